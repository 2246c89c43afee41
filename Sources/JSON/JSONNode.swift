import Text

/// A value of a document; keeps the document alive.
package struct JSONNode: Sendable {
  /// The kind of a value.
  package enum Kind: Equatable, Sendable {
    case object, array, string, number, bool, null
  }

  package let document: JSONDocument
  /// The index of its token in the document.
  package let index: Int

  var token: JSONToken { document.tokens[index] }

  /// The kind of the value.
  package var kind: Kind { token.kind }
  /// The range of the value in the document, with quotes and brackets.
  package var span: Range<Int> { token.range }
  /// The source of the value.
  package var sourceText: String { String(decoding: document.bytes[span], as: UTF8.self) }
  /// The number of members or elements; 0 for other kinds.
  package var count: Int { token.count }

  /// The value of a member; nil if there is none or the value is not an object.
  package subscript(key: String) -> JSONNode? { document.member(key, of: index).map { document.node($0) } }

  /// The elements of an array; empty for other kinds.
  package var elements: [JSONNode] {
    kind == .array ? document.children(of: index).map { document.node($0) } : []
  }

  /// The members of an object in the order of the source, with unescaped keys; empty for other kinds.
  package var members: [(key: String, value: JSONNode)] { memberNodes.map { ($0.key.string ?? "", $0.value) } }

  /// The members with keys as nodes, which have spans; empty for other kinds.
  package var memberNodes: [(key: JSONNode, value: JSONNode)] {
    kind == .object ? document.children(of: index).map { (document.node($0), document.node($0 + 1)) } : []
  }

  /// The unescaped text of a string; nil for other kinds.
  package var string: String? { document.string(index) }

  /// The Boolean value; nil for other kinds.
  package var bool: Bool? { kind == .bool ? document.isTrue(index) : nil }

  /// The number, if it is written without a fraction or exponent and fits into 64 bits; nil otherwise.
  package var int64: Int64? {
    guard kind == .number else { return nil }
    var digits = document.bytes[span]
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative { digits.removeFirst() }
    var value: Int64 = 0
    for byte in digits {
      guard ASCII.isDigit(byte) else { return nil }
      let digit = Int64(byte - UInt8(ascii: "0"))
      let (tens, tooLarge) = value.multipliedReportingOverflow(by: 10)
      // Negative numbers count down, because their range is larger by one.
      let (sum, overflow) = isNegative ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
      if tooLarge || overflow { return nil }
      value = sum
    }
    return value
  }

  /// The number, rounded to the nearest double; nil for other kinds and outside a double's range.
  package var double: Double? {
    guard kind == .number, let value = Double(sourceText), value.isFinite else { return nil }
    return value
  }
}

/// One value of a document; it keeps the document alive.
package struct JSONNode: Sendable {
  /// What a value is.
  package enum Kind: Equatable, Sendable {
    case object, array, string, number, bool, null
  }

  let tape: JSONTape
  let index: Int

  private var entry: JSONToken { tape.entries[index] }

  /// What the value is.
  package var kind: Kind { entry.kind }
  /// The bytes of the value in the document, quotes and brackets included.
  package var span: Range<Int> { entry.start..<entry.end }
  /// The value as it was written.
  package var sourceText: String { String(decoding: tape.bytes[span], as: UTF8.self) }
  /// The number of members or elements; 0 for other kinds.
  package var count: Int { entry.count }

  /// The value of a member; nil where there is none or the value is no object.
  package subscript(key: String) -> JSONNode? {
    guard kind == .object else { return nil }
    var member = index + 1
    for _ in 0..<entry.count {
      let value = tape.entries[member].next
      if JSONNode(tape: tape, index: member).isText(key) { return JSONNode(tape: tape, index: value) }
      member = tape.entries[value].next
    }
    return nil
  }

  /// The values of an array in order; empty for other kinds.
  package var elements: [JSONNode] {
    guard kind == .array else { return [] }
    var elements: [JSONNode] = []
    elements.reserveCapacity(entry.count)
    var element = index + 1
    for _ in 0..<entry.count {
      elements.append(JSONNode(tape: tape, index: element))
      element = tape.entries[element].next
    }
    return elements
  }

  /// The keys, unescaped, and values of an object in the order written; empty for other kinds.
  package var members: [(key: String, value: JSONNode)] { memberNodes.map { ($0.key.string ?? "", $0.value) } }

  /// The members with the keys as nodes, for their spans; empty for other kinds.
  package var memberNodes: [(key: JSONNode, value: JSONNode)] {
    guard kind == .object else { return [] }
    var members: [(key: JSONNode, value: JSONNode)] = []
    members.reserveCapacity(entry.count)
    var member = index + 1
    for _ in 0..<entry.count {
      let value = tape.entries[member].next
      members.append((JSONNode(tape: tape, index: member), JSONNode(tape: tape, index: value)))
      member = tape.entries[value].next
    }
    return members
  }

  /// The characters of a string; nil for other kinds.
  package var string: String? {
    guard kind == .string else { return nil }
    let text = tape.bytes[(entry.start + 1)..<(entry.end - 1)]
    return entry.isEscaped ? JSONStringText.unescaped(text) : String(decoding: text, as: UTF8.self)
  }

  /// Whether a string or key is this text; it is compared in its bytes unless it is escaped.
  private func isText(_ text: String) -> Bool {
    let entry = entry
    guard !entry.isEscaped else { return string == text }
    guard text.utf8.count == entry.end - entry.start - 2 else { return false }
    var text = text
    return text.withUTF8 { text in
      tape.bytes.withUnsafeBytes { $0[(entry.start + 1)..<(entry.end - 1)].elementsEqual(UnsafeRawBufferPointer(text)) }
    }
  }

  /// The truth value; nil for other kinds.
  package var bool: Bool? { kind == .bool ? tape.bytes[entry.start] == UInt8(ascii: "t") : nil }

  /// The number, if it is written as an integer and fits 64 bits; nil for other kinds and for a fraction or exponent.
  package var int64: Int64? {
    guard kind == .number else { return nil }
    var digits = tape.bytes[span]
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative { digits.removeFirst() }
    var value: Int64 = 0
    for byte in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      let digit = Int64(byte - UInt8(ascii: "0"))
      let (tens, tooLarge) = value.multipliedReportingOverflow(by: 10)
      // Counted down for a negative number, whose range reaches one further.
      let (sum, overflow) = isNegative ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
      if tooLarge || overflow { return nil }
      value = sum
    }
    return value
  }

  /// The number, rounded to the nearest double; nil for other kinds and beyond a double's range.
  package var double: Double? {
    guard kind == .number, let value = Double(sourceText), value.isFinite else { return nil }
    return value
  }
}

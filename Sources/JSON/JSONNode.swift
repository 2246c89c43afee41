import Text

/// A value of a document; keeps the document alive.
package struct JSONNode: Sendable {
  /// The kind of a value.
  package enum Kind: Equatable, Sendable {
    case object, array, string, number, bool, null
  }

  let tape: JSONTape
  let index: Int

  private var entry: JSONToken { tape.entries[index] }

  /// The kind of the value.
  package var kind: Kind { entry.kind }
  /// The range of the value in the document, with quotes and brackets.
  package var span: Range<Int> { entry.start..<entry.end }
  /// The source of the value.
  package var sourceText: String { String(decoding: tape.bytes[span], as: UTF8.self) }
  /// The number of members or elements; 0 for other kinds.
  package var count: Int { entry.count }

  /// The value of a member; nil if there is none or the value is not an object.
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

  /// The elements of an array; empty for other kinds.
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

  /// The members of an object in the order of the source, with unescaped keys; empty for other kinds.
  package var members: [(key: String, value: JSONNode)] { memberNodes.map { ($0.key.string ?? "", $0.value) } }

  /// The members with keys as nodes, which have spans; empty for other kinds.
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

  /// The unescaped text of a string; nil for other kinds.
  package var string: String? {
    guard kind == .string else { return nil }
    let text = tape.bytes[(entry.start + 1)..<(entry.end - 1)]
    return entry.isEscaped ? JSONStringText.unescaped(text) : String(decoding: text, as: UTF8.self)
  }

  /// Whether a string or key equals the text; compares bytes unless it is escaped.
  private func isText(_ text: String) -> Bool {
    let entry = entry
    guard !entry.isEscaped else { return string == text }
    guard text.utf8.count == entry.end - entry.start - 2 else { return false }
    var text = text
    return text.withUTF8 { text in
      tape.bytes.withUnsafeBytes { $0[(entry.start + 1)..<(entry.end - 1)].elementsEqual(UnsafeRawBufferPointer(text)) }
    }
  }

  /// The Boolean value; nil for other kinds.
  package var bool: Bool? { kind == .bool ? tape.bytes[entry.start] == UInt8(ascii: "t") : nil }

  /// The number, if it is written without a fraction or exponent and fits into 64 bits; nil otherwise.
  package var int64: Int64? {
    guard kind == .number else { return nil }
    var digits = tape.bytes[span]
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

extension JSONNode {
  /// Whether two values are equal as JSON: the order of members, escapes and white space do not matter.
  ///
  /// Numbers are equal if they have the same value, compared exactly if both are integers of 64 bits and else as doubles.
  package func isEqual(to other: JSONNode) -> Bool {
    guard kind == other.kind else { return false }
    switch kind {
    case .null: return true
    case .bool: return bool == other.bool
    case .string: return string.map { Array($0.utf8) } == other.string.map { Array($0.utf8) }
    case .number: return hasSameNumber(as: other)
    case .array:
      let (ours, theirs) = (elements, other.elements)
      return ours.count == theirs.count && zip(ours, theirs).allSatisfy { $0.isEqual(to: $1) }
    case .object:
      let (ours, theirs) = (memberValues, other.memberValues)
      return ours.count == theirs.count
        && ours.allSatisfy { name, value in theirs[name].map { value.isEqual(to: $0) } ?? false }
    }
  }

  /// By bytes: Swift takes texts that look the same for equal, and JSON does not (RFC 8259 §8.3).
  private var memberValues: [[UInt8]: JSONNode] {
    Dictionary(members.map { (Array($0.key.utf8), $0.value) }) { first, _ in first }
  }

  private func hasSameNumber(as other: JSONNode) -> Bool {
    if let ours = int64, let theirs = other.int64 { return ours == theirs }
    if sourceText == other.sourceText { return true }
    guard let ours = double, let theirs = other.double else { return false }
    return ours == theirs
  }
}

/// A type that is a single string, number or Boolean in JSON.
protocol JSONLeaf: Codable {
  /// Writes the value; throws `EncodingError` for a number that is not finite.
  func write(to writer: inout JSONWriter) throws
  /// The value; nil if it is of another kind or out of range.
  init?(exactly node: JSONNode)
  /// The value in a form that only a tolerant decoding accepts; nil if there is none.
  init?(converting node: JSONNode)
  /// Whether it is an empty text.
  var isBlank: Bool { get }
}

extension JSONLeaf {
  var isBlank: Bool { false }
}

extension Bool: JSONLeaf {
  init?(exactly node: JSONNode) {
    guard let bool = node.bool else { return nil }
    self = bool
  }

  func write(to writer: inout JSONWriter) { writer.flag(self) }

  /// Reads `0`, `1`, and both and the names of the values as text.
  init?(converting node: JSONNode) {
    switch node.string?.lowercased() ?? node.sourceText {
    case "true", "1": self = true
    case "false", "0": self = false
    default: return nil
    }
  }
}

extension String: JSONLeaf {
  init?(exactly node: JSONNode) {
    guard let string = node.string else { return nil }
    self = string
  }

  func write(to writer: inout JSONWriter) { writer.string(self) }

  /// Reads a number as it is written, because ids are often numbers.
  init?(converting node: JSONNode) {
    guard node.kind == .number else { return nil }
    self = node.sourceText
  }

  var isBlank: Bool { isEmpty }
}

extension Double: JSONLeaf {
  init?(exactly node: JSONNode) {
    guard let double = node.double else { return nil }
    self = double
  }

  /// Reads a number as text.
  init?(converting node: JSONNode) {
    guard let number = node.numberInText else { return nil }
    self.init(exactly: number)
  }

  func write(to writer: inout JSONWriter) throws {
    try JSONNumber.check(self)
    writer.number(self)
  }
}

extension Float: JSONLeaf {
  init?(exactly node: JSONNode) {
    guard let double = Double(exactly: node) else { return nil }
    self.init(double)
  }

  /// Reads a number as text.
  init?(converting node: JSONNode) {
    guard let double = Double(converting: node) else { return nil }
    self.init(double)
  }

  func write(to writer: inout JSONWriter) throws {
    try JSONNumber.check(self)
    writer.number(spelled: String(self))
  }
}

extension FixedWidthInteger where Self: JSONLeaf {
  /// Reads an integer in any notation; nil for a fraction, and outside the type's range.
  ///
  /// Nil also beyond 2^53 (RFC 8259 §6), so that sums of a document's numbers cannot overflow.
  init?(exactly node: JSONNode) {
    if let int64 = node.int64 {
      guard JSONNumber.exact.contains(int64), let value = Self(exactly: int64) else { return nil }
      self = value
      return
    }
    guard node.kind == .number else { return nil }
    // The scanner has checked the grammar. Doubles represent all integers up to 2⁵³ only.
    if let double = node.double, abs(double) <= Double(JSONNumber.exact.upperBound), let value = Self(exactly: double) {
      self = value
    } else {
      return nil
    }
  }

  /// Reads a number as text.
  init?(converting node: JSONNode) {
    guard let number = node.numberInText else { return nil }
    self.init(exactly: number)
  }

  func write(to writer: inout JSONWriter) { writer.number(self) }
}

extension Int: JSONLeaf {}
extension Int8: JSONLeaf {}
extension Int16: JSONLeaf {}
extension Int32: JSONLeaf {}
extension Int64: JSONLeaf {}
extension UInt: JSONLeaf {}
extension UInt8: JSONLeaf {}
extension UInt16: JSONLeaf {}
extension UInt32: JSONLeaf {}
extension UInt64: JSONLeaf {}

extension Timestamp: JSONLeaf {
  init?(exactly node: JSONNode) {
    guard let text = node.string else { return nil }
    self.init(parsing: text)
  }

  /// Reads the time since 1970, as a number or as text.
  init?(converting node: JSONNode) {
    guard let number = node.kind == .number ? node : node.numberInText, let value = number.double else { return nil }
    self.init(sinceEpoch: value)
  }

  func write(to writer: inout JSONWriter) { writer.string(text) }
}

extension JSONNode {
  /// The number in a string that contains only a number, in the grammar of JSON; nil if there is none.
  var numberInText: JSONNode? {
    guard let string, string.utf8.count <= 64, let root = try? JSONDocument(parsing: Array(string.utf8)).root,
      root.kind == .number, root.span.count == string.utf8.count
    else { return nil }
    return root
  }
}

enum JSONNumber {
  /// The integers that every reader of JSON keeps exact.
  static let exact: ClosedRange<Int64> = -(1 << 53)...(1 << 53)

  /// Throws `EncodingError` for a number that is not finite.
  static func check(_ number: some BinaryFloatingPoint) throws {
    guard !number.isFinite else { return }
    throw EncodingError.invalidValue(number, .init(codingPath: [], debugDescription: "a number that JSON cannot represent"))
  }
}

import FoundationEssentials

/// Decodes `Decodable` types directly from the tokens of a document, without an intermediate tree.
///
/// Behaves like Foundation's `JSONDecoder`, except that dates are decoded as `Timestamp`, keys of dictionaries are converted like others,
/// and errors are `JSONError`. 2.1 to 2.2 times as fast as the scan followed by `JSONDecoder`.
struct JSONNodeDecoder: Decoder {
  let node: JSONNode
  let keys: JSONCoding.Keys

  var codingPath: [any CodingKey] { node.path.map(JSONCodingKey.init) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard node.kind == .object else { throw node.error(.unexpectedValue) }
    return KeyedDecodingContainer(JSONKeyedDecodingContainer<Key>(node: node, keys: keys))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard node.kind == .array else { throw node.error(.unexpectedValue) }
    return JSONUnkeyedDecodingContainer(node: node, keys: keys)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  /// Decodes a value; a date is decoded as a timestamp.
  func value<T: Decodable>(_ type: T.Type) throws -> T {
    if type == Date.self, let date = try Timestamp(from: self).date as? T { return date }
    return try T(from: self)
  }
}

extension JSONNodeDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { node.kind == .null }
  func decode(_ type: Bool.Type) throws -> Bool { try node.decoded() }
  func decode(_ type: String.Type) throws -> String { try node.decoded() }
  func decode(_ type: Double.Type) throws -> Double { try node.decoded() }
  func decode(_ type: Float.Type) throws -> Float { try Float(node.decoded() as Double) }
  func decode(_ type: Int.Type) throws -> Int { try node.decoded() }
  func decode(_ type: Int8.Type) throws -> Int8 { try node.decoded() }
  func decode(_ type: Int16.Type) throws -> Int16 { try node.decoded() }
  func decode(_ type: Int32.Type) throws -> Int32 { try node.decoded() }
  func decode(_ type: Int64.Type) throws -> Int64 { try node.decoded() }
  func decode(_ type: UInt.Type) throws -> UInt { try node.decoded() }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try node.decoded() }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try node.decoded() }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try node.decoded() }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try node.decoded() }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try value(type) }
}

extension JSONNode {
  /// An error at the value's first byte.
  func error(_ reason: JSONError.Reason, missing key: String? = nil) -> JSONError {
    JSONError(reason, at: span.lowerBound, path: (path + [key].compactMap { $0 }).joined(separator: "."))
  }

  /// The keys and indices that lead to the value.
  var path: [String] {
    var names: [String] = []
    var node = JSONNode(tape: tape, index: 0)
    // A container's `next` lies behind every value inside it.
    while node.index < index {
      if node.kind == .array {
        guard let found = node.elements.enumerated().first(where: { index < tape.entries[$1.index].next }) else { break }
        names.append(String(found.offset))
        node = found.element
      } else {
        guard let found = node.memberNodes.first(where: { index < tape.entries[$1.index].next }) else { break }
        names.append(found.key.string ?? "")
        node = found.value
      }
    }
    return names
  }

  /// The Boolean value; throws `unexpectedValue` for another kind.
  func decoded() throws(JSONError) -> Bool {
    guard let bool else { throw error(.unexpectedValue) }
    return bool
  }

  /// The text; throws `unexpectedValue` for another kind.
  func decoded() throws(JSONError) -> String {
    guard let string else { throw error(.unexpectedValue) }
    return string
  }

  /// The nearest double; throws `unexpectedValue` for another kind and outside a double's range.
  func decoded() throws(JSONError) -> Double {
    guard let double else { throw error(.unexpectedValue) }
    return double
  }

  /// The integer in any notation; throws `unexpectedValue` for another kind, a fraction, and outside the type's range.
  func decoded<T: FixedWidthInteger>() throws(JSONError) -> T {
    if let int64 {
      if let value = T(exactly: int64) { return value }
    } else if kind == .number {
      // The scanner has checked the grammar. Doubles represent all integers up to 2⁵³ only.
      if let value = T(sourceText) { return value }
      if let double, abs(double) <= 9_007_199_254_740_992, let value = T(exactly: double) { return value }
    }
    throw error(.unexpectedValue)
  }
}

/// A key or an index of a coding path.
struct JSONCodingKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init(intValue: Int) { stringValue = String(intValue) }
}

import FoundationEssentials

/// Reads `Decodable` types from the scanned document itself: no second pass over its text, no dictionary of its members.
///
/// It reads as Foundation's `JSONDecoder` does, but dates as `Timestamp` and a dictionary's keys as any others; a fault is thrown as
/// `JSONError` with its place.
struct JSONNodeDecoder: Decoder {
  let node: JSONNode
  let keys: JSONCoding.Keys

  var codingPath: [any CodingKey] { node.path.map(JSONPlace.init) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard node.kind == .object else { throw node.fault(.unexpectedValue) }
    return KeyedDecodingContainer(JSONMembers<Key>(node: node, keys: keys))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard node.kind == .array else { throw node.fault(.unexpectedValue) }
    return JSONElements(node: node, keys: keys)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  /// The value; a date is read as a timestamp.
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
  /// A fault at the value's first byte.
  func fault(_ reason: JSONError.Reason, missing key: String? = nil) -> JSONError {
    JSONError(reason, at: span.lowerBound, path: (path + [key].compactMap { $0 }).joined(separator: "."))
  }

  /// The keys and indices that lead to the value.
  var path: [String] {
    var names: [String] = []
    var node = JSONNode(tape: tape, index: 0)
    // A value lies before the token that follows whatever holds it.
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

  /// The truth value; throws `unexpectedValue` for another kind.
  func decoded() throws(JSONError) -> Bool {
    guard let bool else { throw fault(.unexpectedValue) }
    return bool
  }

  /// The characters; throws `unexpectedValue` for another kind.
  func decoded() throws(JSONError) -> String {
    guard let string else { throw fault(.unexpectedValue) }
    return string
  }

  /// The nearest double; throws `unexpectedValue` for another kind and beyond a double's range.
  func decoded() throws(JSONError) -> Double {
    guard let double else { throw fault(.unexpectedValue) }
    return double
  }

  /// The whole number, however it is written; throws `unexpectedValue` for another kind, a fraction and beyond the type's range.
  func decoded<T: FixedWidthInteger>() throws(JSONError) -> T {
    if let int64 {
      if let value = T(exactly: int64) { return value }
    } else if kind == .number {
      // The scanner has passed the grammar. A double tells whole numbers apart up to 2⁵³ alone.
      if let value = T(sourceText) { return value }
      if let double, abs(double) <= 9_007_199_254_740_992, let value = T(exactly: double) { return value }
    }
    throw fault(.unexpectedValue)
  }
}

/// A key or an index on the way to a value.
struct JSONPlace: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init(intValue: Int) { stringValue = String(intValue) }
}

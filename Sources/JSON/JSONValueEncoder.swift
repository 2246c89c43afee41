/// Encodes `Encodable` types like Foundation's `JSONEncoder` with sorted keys, but directly into the bytes of the document.
///
/// Dates are encoded as `Timestamp`; string keys of dictionaries are not converted. Objects whose keys come in order need no sorting.
struct JSONValueEncoder: Encoder, SingleValueEncodingContainer {
  let output: JSONEncodingOutput

  /// Empty, because no code reads it.
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    output.beginObject()
    return KeyedEncodingContainer(JSONKeyedEncodingContainer<Key>(output: output))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    output.beginArray()
    return JSONUnkeyedEncodingContainer(output: output)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() { output.writeNull() }
  @inline(__always) func encode<Leaf: JSONLeaf>(_ leaf: Leaf) throws { try output.write(leaf: leaf) }
  func encode<T: Encodable>(_ value: T) throws { try output.write(value) }
}

/// The keyed container of `JSONValueEncoder`.
struct JSONKeyedEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let output: JSONEncodingOutput

  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) throws { try output.addNull(for: key.stringValue) }
  @inline(__always) func encode<Leaf: JSONLeaf>(_ leaf: Leaf, forKey key: Key) throws {
    try output.add(leaf: leaf, for: key.stringValue)
  }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try output.add(value, for: key.stringValue) }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
    JSONValueEncoder(output: output.addNested(for: key.stringValue)).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    JSONValueEncoder(output: output.addNested(for: key.stringValue)).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { JSONValueEncoder(output: output.addNested(for: "super")) }
  func superEncoder(forKey key: Key) -> any Encoder { JSONValueEncoder(output: output.addNested(for: key.stringValue)) }
}

/// The unkeyed container of `JSONValueEncoder`.
struct JSONUnkeyedEncodingContainer: UnkeyedEncodingContainer {
  let output: JSONEncodingOutput
  private(set) var count = 0

  var codingPath: [any CodingKey] { [] }

  mutating func encodeNil() {
    output.addNull()
    count += 1
  }

  @inline(__always) mutating func encode<Leaf: JSONLeaf>(_ leaf: Leaf) throws {
    try output.add(leaf: leaf)
    count += 1
  }

  mutating func encode<T: Encodable>(_ value: T) throws {
    try output.add(value)
    count += 1
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    nested().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }
  mutating func superEncoder() -> any Encoder { nested() }

  private mutating func nested() -> JSONValueEncoder {
    count += 1
    return JSONValueEncoder(output: output.addNested())
  }
}

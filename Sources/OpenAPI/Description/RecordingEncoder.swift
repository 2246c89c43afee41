/// An encoder that writes nothing and records the encoded members.
struct RecordingEncoder: Encoder {
  let value: RecordedValue

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    value.beginObject()
    return KeyedEncodingContainer(RecordingMemberWriter<Key>(value: value))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { RecordingElementWriter(value: value) }
  func singleValueContainer() -> any SingleValueEncodingContainer { RecordingSingleValueWriter(value: value) }
}

/// The members that a type writes.
private struct RecordingMemberWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let value: RecordedValue

  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) { value.setMember(key, .any, isRequired: true) }

  func encode<Value: Encodable>(_ member: Value, forKey key: Key) throws {
    value.setMember(key, try RecordedValue.schema(ofEncoded: member), isRequired: true)
  }

  func encodeIfPresent<Value: Encodable>(_ member: Value?, forKey key: Key) throws { try setOptional(key, member) }

  // The protocol's own versions for these types write nothing for nil, and are preferred over the generic one.
  func encodeIfPresent(_ member: Bool?, forKey key: Key) throws { try setOptional(key, member) }
  func encodeIfPresent(_ member: String?, forKey key: Key) throws { try setOptional(key, member) }
  func encodeIfPresent(_ member: Double?, forKey key: Key) throws { try setOptional(key, member) }
  func encodeIfPresent(_ member: Float?, forKey key: Key) throws { try setOptional(key, member) }
  func encodeIfPresent(_ member: Int?, forKey key: Key) throws { try setOptional(key, member) }
  func encodeIfPresent(_ member: Int8?, forKey key: Key) throws { try setOptional(key, member) }
  func encodeIfPresent(_ member: Int16?, forKey key: Key) throws { try setOptional(key, member) }
  func encodeIfPresent(_ member: Int32?, forKey key: Key) throws { try setOptional(key, member) }
  func encodeIfPresent(_ member: Int64?, forKey key: Key) throws { try setOptional(key, member) }
  func encodeIfPresent(_ member: UInt?, forKey key: Key) throws { try setOptional(key, member) }
  func encodeIfPresent(_ member: UInt8?, forKey key: Key) throws { try setOptional(key, member) }
  func encodeIfPresent(_ member: UInt16?, forKey key: Key) throws { try setOptional(key, member) }
  func encodeIfPresent(_ member: UInt32?, forKey key: Key) throws { try setOptional(key, member) }
  func encodeIfPresent(_ member: UInt64?, forKey key: Key) throws { try setOptional(key, member) }

  private func setOptional<Value: Encodable>(_ key: Key, _ member: Value?) throws {
    let schema = try member.map { try RecordedValue.schema(ofEncoded: $0) } ?? RecordedValue.schema(ofEncodable: Value.self)
    value.setMember(key, schema, isRequired: false)
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
    let member = RecordedValue()
    member.beginObject { value.setMember(key, $0, isRequired: true) }
    return KeyedEncodingContainer(RecordingMemberWriter<Nested>(value: member))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    value.setMember(key, .invalid("an array of \(key.stringValue) is encoded by hand"), isRequired: true)
    return RecordingElementWriter(value: RecordedValue())
  }

  func superEncoder() -> any Encoder { RecordingEncoder(value: RecordedValue()) }
  func superEncoder(forKey key: Key) -> any Encoder { RecordingEncoder(value: RecordedValue()) }
}

/// The elements that a type writes; the first one stands for all.
private struct RecordingElementWriter: UnkeyedEncodingContainer {
  let value: RecordedValue
  private(set) var count = 0

  var codingPath: [any CodingKey] { [] }

  mutating func encodeNil() { count += 1 }

  mutating func encode<Value: Encodable>(_ element: Value) throws {
    if count == 0 { value.setElement(try RecordedValue.schema(ofEncoded: element)) }
    count += 1
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(RecordingMemberWriter<Nested>(value: RecordedValue()))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { RecordingElementWriter(value: RecordedValue()) }
  mutating func superEncoder() -> any Encoder { RecordingEncoder(value: RecordedValue()) }
}

/// A value of its own.
private struct RecordingSingleValueWriter: SingleValueEncodingContainer {
  let value: RecordedValue

  var codingPath: [any CodingKey] { [] }

  func encodeNil() { value.set(.any) }
  func encode<Value: Encodable>(_ encoded: Value) throws { value.set(try RecordedValue.schema(ofEncoded: encoded)) }
}

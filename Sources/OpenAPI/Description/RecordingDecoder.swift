/// A decoder without a document: it returns an empty value for each request of a type and records the request.
struct RecordingDecoder: Decoder {
  let value: RecordedValue

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    value.beginObject()
    return KeyedDecodingContainer(RecordingMembers<Key>(value: value))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { RecordingElements(value: value) }
  func singleValueContainer() -> any SingleValueDecodingContainer { RecordingSingleValue(value: value) }
}

/// The members that a type requests.
private final class RecordingMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let value: RecordedValue
  /// The key whose presence was requested, as `decodeIfPresent` does: the member may be missing.
  private var optional: String?

  init(value: RecordedValue) { self.value = value }

  var codingPath: [any CodingKey] { [] }

  var allKeys: [Key] {
    value.allowAnyMember()
    return []
  }

  func contains(_ key: Key) -> Bool {
    optional = key.stringValue
    return true
  }

  func decodeNil(forKey key: Key) -> Bool {
    optional = key.stringValue
    return false
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    let isRequired = isRequired(key)
    let member = RecordedValue()
    let decoded = try member.decode(type)
    value.setMember(key, member.schema ?? .any, isRequired: isRequired)
    return decoded
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    throw RecordedValue.Fault(description: "a nested container cannot be recorded: decode a type for \(key.stringValue)")
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw RecordedValue.Fault(description: "a nested container cannot be recorded: decode a type for \(key.stringValue)")
  }

  func superDecoder() throws -> any Decoder { throw RecordedValue.Fault(description: "classes cannot be recorded") }
  func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder() }

  private func isRequired(_ key: Key) -> Bool {
    defer { optional = nil }
    return optional != key.stringValue
  }
}

/// An array of one element.
private struct RecordingElements: UnkeyedDecodingContainer {
  let value: RecordedValue

  var codingPath: [any CodingKey] { [] }
  var count: Int? { 1 }
  private(set) var currentIndex = 0
  var isAtEnd: Bool { currentIndex > 0 }

  func decodeNil() -> Bool { false }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let element = RecordedValue()
    let decoded = try element.decode(type)
    value.setElement(element.schema ?? .any)
    currentIndex += 1
    return decoded
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    throw RecordedValue.Fault(description: "a nested container cannot be recorded: decode a type for the element")
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw RecordedValue.Fault(description: "a nested container cannot be recorded: decode a type for the element")
  }

  mutating func superDecoder() throws -> any Decoder { throw RecordedValue.Fault(description: "classes cannot be recorded") }
}

/// A value of its own.
private struct RecordingSingleValue: SingleValueDecodingContainer {
  let value: RecordedValue

  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { false }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value.decode(type) }
}

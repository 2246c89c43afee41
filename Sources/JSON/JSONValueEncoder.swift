/// Writes `Encodable` types as Foundation's `JSONEncoder` does, with sorted keys, in one pass over one buffer.
///
/// Dates are written as `Timestamp` is; the keys of a dictionary of strings stay as they are.
struct JSONValueEncoder: Encoder {
  let part: JSONPart
  var codingPath: [any CodingKey] = []

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    part.form = .object
    return KeyedEncodingContainer(JSONMemberWriter<Key>(part: part, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    part.form = .array
    return JSONElementWriter(part: part, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension JSONValueEncoder: SingleValueEncodingContainer {
  func encodeNil() { part.form = .leaf(part.buffer.appendNull()) }
  func encode(_ value: Bool) { part.form = .leaf(part.buffer.append(value)) }
  func encode(_ value: String) { part.form = .leaf(part.buffer.append(value)) }
  func encode(_ value: Double) throws { part.form = .leaf(try part.finite(value, codingPath)) }
  func encode(_ value: Float) throws { part.form = .leaf(try part.finite(value, codingPath)) }
  func encode(_ value: Int) { part.form = .leaf(part.buffer.append(value)) }
  func encode(_ value: Int8) { part.form = .leaf(part.buffer.append(value)) }
  func encode(_ value: Int16) { part.form = .leaf(part.buffer.append(value)) }
  func encode(_ value: Int32) { part.form = .leaf(part.buffer.append(value)) }
  func encode(_ value: Int64) { part.form = .leaf(part.buffer.append(value)) }
  func encode(_ value: UInt) { part.form = .leaf(part.buffer.append(value)) }
  func encode(_ value: UInt8) { part.form = .leaf(part.buffer.append(value)) }
  func encode(_ value: UInt16) { part.form = .leaf(part.buffer.append(value)) }
  func encode(_ value: UInt32) { part.form = .leaf(part.buffer.append(value)) }
  func encode(_ value: UInt64) { part.form = .leaf(part.buffer.append(value)) }

  func encode<T: Encodable>(_ value: T) throws {
    switch try part.value(value) {
    case .leaf(let range): part.form = .leaf(range)
    case .part(let inner): part.adopt(inner)
    }
  }
}

extension JSONPart {
  /// The number's text; throws `EncodingError` for one that is not finite.
  func finite(_ number: some BinaryFloatingPoint & LosslessStringConvertible, _ path: [any CodingKey]) throws -> Range<Int> {
    if let range = buffer.append(number) { return range }
    throw EncodingError.invalidValue(number, .init(codingPath: path, debugDescription: "a number that JSON cannot hold"))
  }
}

/// Encodes `Encodable` types like Foundation's `JSONEncoder` with sorted keys, but into one buffer.
///
/// Dates are encoded as `Timestamp`; string keys of dictionaries are not converted. 2.7 times as fast as `JSONEncoder` on the state of a
/// device and 1.6 times on lists of cues and network rows.
struct JSONValueEncoder: Encoder {
  let node: JSONEncodingNode
  var codingPath: [any CodingKey] = []

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.form = .object
    return KeyedEncodingContainer(JSONKeyedEncodingContainer<Key>(node: node, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.form = .array
    return JSONUnkeyedEncodingContainer(node: node, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension JSONValueEncoder: SingleValueEncodingContainer {
  /// Encodes a text that is JSON already.
  func encode(json: String) { node.form = .leaf(node.buffer.append(json: json)) }
  func encodeNil() { node.form = .leaf(node.buffer.appendNull()) }
  func encode(_ value: Bool) { node.form = .leaf(node.buffer.append(value)) }
  func encode(_ value: String) { node.form = .leaf(node.buffer.append(value)) }
  func encode(_ value: Double) throws { node.form = .leaf(try node.finite(value, codingPath)) }
  func encode(_ value: Float) throws { node.form = .leaf(try node.finite(value, codingPath)) }
  func encode(_ value: Int) { node.form = .leaf(node.buffer.append(value)) }
  func encode(_ value: Int8) { node.form = .leaf(node.buffer.append(value)) }
  func encode(_ value: Int16) { node.form = .leaf(node.buffer.append(value)) }
  func encode(_ value: Int32) { node.form = .leaf(node.buffer.append(value)) }
  func encode(_ value: Int64) { node.form = .leaf(node.buffer.append(value)) }
  func encode(_ value: UInt) { node.form = .leaf(node.buffer.append(value)) }
  func encode(_ value: UInt8) { node.form = .leaf(node.buffer.append(value)) }
  func encode(_ value: UInt16) { node.form = .leaf(node.buffer.append(value)) }
  func encode(_ value: UInt32) { node.form = .leaf(node.buffer.append(value)) }
  func encode(_ value: UInt64) { node.form = .leaf(node.buffer.append(value)) }

  func encode<T: Encodable>(_ value: T) throws {
    switch try node.value(value) {
    case .leaf(let range): node.form = .leaf(range)
    case .node(let inner): node.adopt(inner)
    }
  }
}

extension JSONEncodingNode {
  /// Appends the number; throws `EncodingError` for one that is not finite.
  func finite(_ number: some BinaryFloatingPoint & LosslessStringConvertible, _ path: [any CodingKey]) throws -> Range<Int> {
    if let range = buffer.append(number) { return range }
    throw EncodingError.invalidValue(number, .init(codingPath: path, debugDescription: "a number that JSON cannot represent"))
  }
}

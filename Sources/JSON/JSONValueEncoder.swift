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

/// The keyed container of `JSONValueEncoder`.
struct JSONKeyedEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: JSONEncodingNode
  let codingPath: [any CodingKey]

  private var buffer: JSONBuffer { node.buffer }

  func encodeNil(forKey key: Key) { add(buffer.appendNull(), key) }
  func encode(_ value: Bool, forKey key: Key) { add(buffer.append(value), key) }
  func encode(_ value: String, forKey key: Key) { add(buffer.append(value), key) }
  func encode(_ value: Double, forKey key: Key) throws { add(try node.finite(value, codingPath + [key]), key) }
  func encode(_ value: Float, forKey key: Key) throws { add(try node.finite(value, codingPath + [key]), key) }
  func encode(_ value: Int, forKey key: Key) { add(buffer.append(value), key) }
  func encode(_ value: Int8, forKey key: Key) { add(buffer.append(value), key) }
  func encode(_ value: Int16, forKey key: Key) { add(buffer.append(value), key) }
  func encode(_ value: Int32, forKey key: Key) { add(buffer.append(value), key) }
  func encode(_ value: Int64, forKey key: Key) { add(buffer.append(value), key) }
  func encode(_ value: UInt, forKey key: Key) { add(buffer.append(value), key) }
  func encode(_ value: UInt8, forKey key: Key) { add(buffer.append(value), key) }
  func encode(_ value: UInt16, forKey key: Key) { add(buffer.append(value), key) }
  func encode(_ value: UInt32, forKey key: Key) { add(buffer.append(value), key) }
  func encode(_ value: UInt64, forKey key: Key) { add(buffer.append(value), key) }
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { node.add(try node.value(value), for: key.stringValue) }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
    encoder(forKey: key.stringValue).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(forKey: key.stringValue).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder(forKey: "super") }
  func superEncoder(forKey key: Key) -> any Encoder { encoder(forKey: key.stringValue) }

  private func add(_ range: Range<Int>, _ key: Key) { node.add(.leaf(range), for: key.stringValue) }

  private func encoder(forKey key: String) -> JSONValueEncoder {
    let inner = JSONEncodingNode(buffer: buffer, keys: node.keys)
    node.add(.node(inner), for: key)
    return JSONValueEncoder(node: inner, codingPath: codingPath)
  }
}

/// The unkeyed container of `JSONValueEncoder`.
struct JSONUnkeyedEncodingContainer: UnkeyedEncodingContainer {
  let node: JSONEncodingNode
  let codingPath: [any CodingKey]

  var count: Int { node.elements.count }

  private var buffer: JSONBuffer { node.buffer }

  func encodeNil() { add(buffer.appendNull()) }
  func encode(_ value: Bool) { add(buffer.append(value)) }
  func encode(_ value: String) { add(buffer.append(value)) }
  func encode(_ value: Double) throws { add(try node.finite(value, codingPath)) }
  func encode(_ value: Float) throws { add(try node.finite(value, codingPath)) }
  func encode(_ value: Int) { add(buffer.append(value)) }
  func encode(_ value: Int8) { add(buffer.append(value)) }
  func encode(_ value: Int16) { add(buffer.append(value)) }
  func encode(_ value: Int32) { add(buffer.append(value)) }
  func encode(_ value: Int64) { add(buffer.append(value)) }
  func encode(_ value: UInt) { add(buffer.append(value)) }
  func encode(_ value: UInt8) { add(buffer.append(value)) }
  func encode(_ value: UInt16) { add(buffer.append(value)) }
  func encode(_ value: UInt32) { add(buffer.append(value)) }
  func encode(_ value: UInt64) { add(buffer.append(value)) }
  func encode<T: Encodable>(_ value: T) throws { node.add(try node.value(value)) }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    encoder().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }
  func superEncoder() -> any Encoder { encoder() }

  private func add(_ range: Range<Int>) { node.add(.leaf(range)) }

  private func encoder() -> JSONValueEncoder {
    let inner = JSONEncodingNode(buffer: buffer, keys: node.keys)
    node.add(.node(inner))
    return JSONValueEncoder(node: inner, codingPath: codingPath)
  }
}

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

/// The members of an object as an encoder's keyed container.
struct JSONMemberWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let part: JSONPart
  let codingPath: [any CodingKey]

  private var buffer: JSONBuffer { part.buffer }

  func encodeNil(forKey key: Key) { add(buffer.appendNull(), key) }
  func encode(_ value: Bool, forKey key: Key) { add(buffer.append(value), key) }
  func encode(_ value: String, forKey key: Key) { add(buffer.append(value), key) }
  func encode(_ value: Double, forKey key: Key) throws { add(try part.finite(value, codingPath + [key]), key) }
  func encode(_ value: Float, forKey key: Key) throws { add(try part.finite(value, codingPath + [key]), key) }
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
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { part.add(try part.value(value), for: key.stringValue) }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
    encoder(forKey: key.stringValue).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(forKey: key.stringValue).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder(forKey: "super") }
  func superEncoder(forKey key: Key) -> any Encoder { encoder(forKey: key.stringValue) }

  private func add(_ range: Range<Int>, _ key: Key) { part.add(.leaf(range), for: key.stringValue) }

  private func encoder(forKey key: String) -> JSONValueEncoder {
    let inner = JSONPart(buffer: buffer, keys: part.keys)
    part.add(.part(inner), for: key)
    return JSONValueEncoder(part: inner, codingPath: codingPath)
  }
}

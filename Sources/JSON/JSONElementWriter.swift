/// The elements of an array as an encoder's unkeyed container.
struct JSONElementWriter: UnkeyedEncodingContainer {
  let part: JSONPart
  let codingPath: [any CodingKey]

  var count: Int { part.elements.count }

  private var buffer: JSONBuffer { part.buffer }

  func encodeNil() { add(buffer.appendNull()) }
  func encode(_ value: Bool) { add(buffer.append(value)) }
  func encode(_ value: String) { add(buffer.append(value)) }
  func encode(_ value: Double) throws { add(try part.finite(value, codingPath)) }
  func encode(_ value: Float) throws { add(try part.finite(value, codingPath)) }
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
  func encode<T: Encodable>(_ value: T) throws { part.add(try part.value(value)) }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    encoder().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }
  func superEncoder() -> any Encoder { encoder() }

  private func add(_ range: Range<Int>) { part.add(.leaf(range)) }

  private func encoder() -> JSONValueEncoder {
    let inner = JSONPart(buffer: buffer, keys: part.keys)
    part.add(.part(inner))
    return JSONValueEncoder(part: inner, codingPath: codingPath)
  }
}

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

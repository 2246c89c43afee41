/// The unkeyed container of `JSONNodeDecoder`.
struct JSONUnkeyedDecodingContainer: UnkeyedDecodingContainer {
  private let node: JSONNode
  private let reading: JSONReading
  /// The index of the token of the next element.
  private var next: Int
  private(set) var currentIndex = 0

  init(node: JSONNode, reading: JSONReading) {
    self.node = node
    self.reading = reading
    next = node.index + 1
  }

  var codingPath: [any CodingKey] { node.path.map(JSONCodingKey.init) }
  var count: Int? { node.count }
  var isAtEnd: Bool { currentIndex == node.count }

  mutating func decodeNil() throws -> Bool {
    guard try element().kind == .null else { return false }
    advance()
    return true
  }

  mutating func decode<Leaf: JSONLeaf>(_ type: Leaf.Type) throws -> Leaf { try take { try $0.leaf() } }
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try take { try $0.value(type) } }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    try take { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try take { try $0.unkeyedContainer() } }
  mutating func superDecoder() throws -> any Decoder { try take { $0 } }

  private func element() throws(JSONError) -> JSONNode {
    guard !isAtEnd else { throw node.missing(String(currentIndex), Any.self) }
    return node.document.node(next)
  }

  private mutating func advance() {
    next = node.document[next].next
    currentIndex += 1
  }

  /// Decodes the next element and advances; an error does not advance.
  private mutating func take<T>(_ read: (JSONNodeDecoder) throws -> T) throws -> T {
    let value = try read(JSONNodeDecoder(node: element(), reading: reading))
    advance()
    return value
  }
}

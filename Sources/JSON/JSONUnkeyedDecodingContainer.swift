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

  mutating func decode(_ type: Bool.Type) throws -> Bool { try take { try $0.leaf() } }
  mutating func decode(_ type: String.Type) throws -> String { try take { try $0.leaf() } }
  mutating func decode(_ type: Double.Type) throws -> Double { try take { try $0.leaf() } }
  mutating func decode(_ type: Float.Type) throws -> Float { try take { try $0.decode(type) } }
  mutating func decode(_ type: Int.Type) throws -> Int { try take { try $0.leaf() } }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try take { try $0.leaf() } }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try take { try $0.leaf() } }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try take { try $0.leaf() } }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try take { try $0.leaf() } }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try take { try $0.leaf() } }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try take { try $0.leaf() } }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try take { try $0.leaf() } }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try take { try $0.leaf() } }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try take { try $0.leaf() } }
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try take { try $0.value(type) } }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    try take { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try take { try $0.unkeyedContainer() } }
  mutating func superDecoder() throws -> any Decoder { try take { $0 } }

  private func element() throws(JSONError) -> JSONNode {
    guard !isAtEnd else { throw node.missing(String(currentIndex), Any.self) }
    return JSONNode(tape: node.tape, index: next)
  }

  private mutating func advance() {
    next = node.tape.entries[next].next
    currentIndex += 1
  }

  /// Decodes the next element and advances; an error does not advance.
  private mutating func take<T>(_ read: (JSONNodeDecoder) throws -> T) throws -> T {
    let value = try read(JSONNodeDecoder(node: element(), reading: reading))
    advance()
    return value
  }
}

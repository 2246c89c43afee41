/// The keyed container of `JSONNodeDecoder`.
struct JSONKeyedDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let node: JSONNode
  let keys: JSONCoding.Keys
  /// The members with converted keys, if keys are converted; every property searches them.
  private let properties: [(name: String, value: JSONNode)]

  init(node: JSONNode, keys: JSONCoding.Keys) {
    self.node = node
    self.keys = keys
    properties = keys == .snakeCase ? node.members.map { (SnakeCase.property($0.key), $0.value) } : []
  }

  var codingPath: [any CodingKey] { node.path.map(JSONCodingKey.init) }

  var allKeys: [Key] {
    (keys == .snakeCase ? properties.map(\.name) : node.members.map(\.key)).compactMap { Key(stringValue: $0) }
  }

  func contains(_ key: Key) -> Bool { member(key) != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try found(key).kind == .null }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try found(key).decoded() }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try found(key).decoded() }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try found(key).decoded() }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try Float(found(key).decoded() as Double) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try found(key).decoded() }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try found(key).decoded() }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try found(key).decoded() }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try found(key).decoded() }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try found(key).decoded() }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try found(key).decoded() }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try found(key).decoded() }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try found(key).decoded() }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try found(key).decoded() }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try found(key).decoded() }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decoder(found(key)).value(type) }

  // The standard library's default would search the members three times.
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try present(key)?.decoded() }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try present(key)?.decoded() }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try present(key)?.decoded() }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try present(key)?.decoded() }
  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    try present(key).map { try decoder($0).value(type) }
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
    try decoder(found(key)).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(found(key)).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    guard let parent = node["super"] else { throw node.error(.missingMember, missing: "super") }
    return decoder(parent)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(found(key)) }

  private func decoder(_ node: JSONNode) -> JSONNodeDecoder { JSONNodeDecoder(node: node, keys: keys) }

  private func member(_ key: Key) -> JSONNode? {
    guard keys == .snakeCase else { return node[key.stringValue] }
    let name = key.stringValue
    return properties.first { $0.name == name }?.value
  }

  private func found(_ key: Key) throws(JSONError) -> JSONNode {
    guard let member = member(key) else { throw node.error(.missingMember, missing: key.stringValue) }
    return member
  }

  /// The member's value; nil if it is missing or null.
  private func present(_ key: Key) -> JSONNode? {
    guard let member = member(key), member.kind != .null else { return nil }
    return member
  }
}

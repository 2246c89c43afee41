/// The keyed container of `JSONNodeDecoder`.
struct JSONKeyedDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let node: JSONNode
  let reading: JSONReading
  /// The members with converted keys, if keys are converted; every property searches them.
  private let properties: [(name: String, value: JSONNode)]?

  init(node: JSONNode, reading: JSONReading) {
    self.node = node
    self.reading = reading
    properties = if case .snakeCase = reading { node.members.map { (SnakeCase.property($0.key), $0.value) } } else { nil }
    reading.notes?.addExtraMembers(of: node, Key.self)
  }

  var codingPath: [any CodingKey] { decoder(node).codingPath }

  var allKeys: [Key] { (properties?.map(\.name) ?? node.members.map(\.key)).compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { member(key) != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try found(key, Any.self).kind == .null }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try leaf(key) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try leaf(key) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try leaf(key) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try Float(leaf(key) as Double) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try leaf(key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try leaf(key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try leaf(key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try leaf(key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try leaf(key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try leaf(key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try leaf(key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try leaf(key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try leaf(key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try leaf(key) }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    guard let notes = reading.notes else { return try decoder(found(key, type)).value(type) }
    return try tolerantly(key, notes) { try $0.value(type) }
  }

  // The standard library's default would search the members three times.
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try leafIfPresent(key) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try leafIfPresent(key) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try leafIfPresent(key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try leafIfPresent(key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try leafIfPresent(key) }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    guard let notes = reading.notes else { return try present(key).map { try decoder($0).value(type) } }
    return tolerantlyIfPresent(key, notes) { try $0.value(type) }
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
    try decoder(found(key, Nested.self)).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(found(key, [Any].self)).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    guard let parent = node["super"] else { throw node.missing("super", Any.self) }
    return decoder(parent)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(found(key, Any.self)) }

  private func leaf<Leaf: JSONLeaf>(_ key: Key) throws -> Leaf {
    guard let notes = reading.notes else { return try decoder(found(key, Leaf.self)).leaf() }
    if let member = node[key.stringValue], let leaf = Leaf(exactly: member), !leaf.isBlank { return leaf }
    return try tolerantly(key, notes) { decoder in
      let leaf: Leaf = try decoder.leaf()
      // An empty id is none.
      if leaf.isBlank, !hasOwnDefault(key) { throw decoder.node.mismatch(JSONPhrase.expected(Leaf.self), hasPath: !notes.isFull) }
      return leaf
    }
  }

  private func leafIfPresent<Leaf: JSONLeaf>(_ key: Key) throws -> Leaf? {
    guard let notes = reading.notes else { return try present(key).map { try decoder($0).leaf() } }
    return tolerantlyIfPresent(key, notes) { try $0.leaf() }
  }

  // MARK: Members

  func decoder(_ node: JSONNode) -> JSONNodeDecoder { JSONNodeDecoder(node: node, reading: reading) }

  /// The member of a key; a tolerant decoding also accepts it in camelCase.
  func member(_ key: Key) -> JSONNode? {
    let name = key.stringValue
    if let properties { return properties.first { $0.name == name }?.value }
    return node[name] ?? (reading.notes == nil ? nil : node.member(inCamelCase: name))
  }

  private func found(_ key: Key, _ type: Any.Type) throws(JSONError) -> JSONNode {
    guard let member = member(key) else { throw node.missing(key.stringValue, type) }
    return member
  }

  /// The member's value; nil if it is missing or null.
  private func present(_ key: Key) -> JSONNode? {
    guard let member = member(key), member.kind != .null else { return nil }
    return member
  }
}

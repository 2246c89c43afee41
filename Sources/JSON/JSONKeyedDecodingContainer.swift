import Text

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

  func decode<Leaf: JSONLeaf>(_ type: Leaf.Type, forKey key: Key) throws -> Leaf { try leaf(key) }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    guard let notes = reading.notes else { return try decoder(found(key, type)).value(type) }
    return try tolerantly(key, notes) { try $0.value(type) }
  }

  // The standard library's defaults would search the members three times; a generic function does not replace them.
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
      // An empty id counts as missing.
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

extension JSONKeyedDecodingContainer {
  /// Reads a field that a property requires; if that fails, notes it and reads the replacement.
  private func tolerantly<Value>(
    _ key: Key, _ notes: JSONReadNotes, _ read: (JSONNodeDecoder) throws -> Value
  ) throws -> Value {
    let failure: any Error
    if let member = member(key) {
      do { return try read(decoder(member)) } catch { failure = error }
    } else {
      failure = node.missing(key.stringValue, Value.self, hasPath: !notes.isFull)
    }
    guard let standIn = standIn(for: key) else { throw failure }
    notes.add(JSONError(failure, within: node))
    return try read(JSONNodeDecoder(node: standIn, reading: .tolerant(JSONReadNotes())))
  }

  /// Reads the field of an optional property; nil if it is missing, null or unreadable and has no replacement.
  private func tolerantlyIfPresent<Value>(
    _ key: Key, _ notes: JSONReadNotes, _ read: (JSONNodeDecoder) throws -> Value
  ) -> Value? {
    let member = member(key)
    if let member, member.kind != .null {
      do { return try read(decoder(member)) } catch { notes.add(JSONError(error, within: node)) }
    }
    guard let standIn = standIn(for: key) else {
      if let member, member.kind == .null { notes.add(member.mismatch(JSONPhrase.expected(Value.self))) }
      return nil
    }
    if member == nil || member?.kind == .null { notes.add(node.missing(key.stringValue, Value.self)) }
    return try? read(JSONNodeDecoder(node: standIn, reading: .tolerant(JSONReadNotes())))
  }

  /// Whether the replacement of the field is part of the type and not of the document.
  private func hasOwnDefault(_ key: Key) -> Bool {
    if case .json = (key as? any JSONDefaultingKey)?.fallback { true } else { false }
  }

  private func standIn(for key: Key) -> JSONNode? {
    switch (key as? any JSONDefaultingKey)?.fallback {
    case .json(let text): try? JSONDocument(parsing: Array(text.utf8)).root
    case .member(let name): node[name] ?? node.member(inCamelCase: name)
    case nil: nil
    }
  }
}

/// A list of which a tolerant decoding reads the readable elements.
protocol JSONReadableList {
  /// The readable elements; the others are noted. Throws the error of the first if none is readable.
  static func readable(in decoder: JSONNodeDecoder, _ notes: JSONReadNotes) throws -> Any
}

extension Array: JSONReadableList where Element: Decodable {
  static func readable(in decoder: JSONNodeDecoder, _ notes: JSONReadNotes) throws -> Any {
    var readable: [Element] = []
    var first: (any Error)?
    for element in decoder.node.elements {
      do {
        readable.append(try JSONNodeDecoder(node: element, reading: decoder.reading).value(Element.self))
      } catch {
        notes.add(JSONError(error, within: element))
        first = first ?? error
      }
    }
    if let first, readable.isEmpty { throw first }
    return readable
  }
}

extension JSONNode {
  /// The value of the member whose key is the name in camelCase: `userId` or `userID` for `user_id`.
  func member(inCamelCase name: String) -> JSONNode? {
    guard kind == .object, name.utf8.contains(UInt8(ascii: "_")) else { return nil }
    var name = name
    return name.withUTF8 { name in
      for key in document.children(of: index) where document.node(key).isCamelCase(of: name) { return document.node(key + 1) }
      return nil
    }
  }

  /// Whether a key is the name in snake_case without underscores, with a capital at the start of each later word; the rest of a
  /// word may be in capitals.
  private func isCamelCase(of name: UnsafeBufferPointer<UInt8>) -> Bool {
    let start = span.lowerBound + 1
    let end = span.upperBound - 1
    return document.bytes.withUnsafeBufferPointer { bytes in
      var position = start
      var beginsWord = false
      var isCapital = false
      for byte in name {
        if byte == UInt8(ascii: "_") {
          beginsWord = true
          continue
        }
        guard position < end else { return false }
        let isLetter = ASCII.isLowercase(byte)
        let capital = isLetter ? byte & ~0x20 : byte
        if beginsWord { isCapital = bytes[position] == capital }
        guard bytes[position] == capital && (beginsWord || isCapital) || bytes[position] == byte && !(beginsWord && isLetter)
        else {
          return false
        }
        beginsWord = false
        position += 1
      }
      return position == end
    }
  }
}

/// A JSON value that can be changed and written again; members keep their order, and numbers their spelling.
package enum JSONTree: Hashable, Sendable {
  /// A member of an object.
  package struct Member: Hashable, Sendable {
    package var key: String
    package var value: JSONTree

    package init(_ key: String, _ value: JSONTree) {
      self.key = key
      self.value = value
    }
  }

  case object([Member])
  case array([JSONTree])
  case string(String)
  /// A number, `true`, `false` or `null`, as spelled.
  case literal(String)

  package static let null = JSONTree.literal("null")

  /// An object with its members in the order of their keys.
  package init(_ members: [String: JSONTree]) {
    self = .object(members.sorted { $0.key < $1.key }.map { Member($0.key, $0.value) })
  }

  package static func bool(_ value: Bool) -> JSONTree { .literal(value ? "true" : "false") }

  package static func number(_ value: some FixedWidthInteger) -> JSONTree { .literal(String(value)) }

  /// Copies a value of a document. The depth of documents is limited, so the recursion is too.
  package init(_ node: JSONNode) {
    switch node.kind {
    case .object: self = .object(node.members.map { Member($0.key, JSONTree($0.value)) })
    case .array: self = .array(node.elements.map { JSONTree($0) })
    case .string: self = .string(node.string ?? "")
    case .number, .bool, .null: self = .literal(node.sourceText)
    }
  }

  /// Parses a document as strictly as `JSONDocument`.
  package init(parsing bytes: [UInt8]) throws(JSONError) { self.init(try JSONDocument(parsing: bytes).root) }

  /// The members of an object; empty for other values, which ignore an assignment.
  package var members: [Member] {
    get {
      guard case .object(let members) = self else { return [] }
      return members
    }
    set {
      guard case .object = self else { return }
      self = .object(newValue)
    }
  }

  /// The value of a member, nil if there is none. Assigning changes or appends the member, and nil removes it.
  package subscript(key: String) -> JSONTree? {
    get { members.first { $0.key == key }?.value }
    set {
      let index = members.firstIndex { $0.key == key }
      switch (index, newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(key, value))
      case (nil, nil): break
      }
    }
  }

  /// The text of a string; nil for other values.
  package var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// The same value with the members of all objects in the order of their keys.
  package var sorted: JSONTree {
    switch self {
    case .string, .literal: self
    case .array(let elements): .array(elements.map(\.sorted))
    case .object(let members): .object(members.map { Member($0.key, $0.value.sorted) }.sorted { $0.key < $1.key })
    }
  }

  /// The document, without white space.
  package var bytes: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }

  private func write(to writer: inout JSONWriter) {
    switch self {
    case .literal(let text): writer.raw(text)
    case .string(let text): writer.string(text)
    case .array(let elements):
      writer.beginArray()
      for element in elements { element.write(to: &writer) }
      writer.endArray()
    case .object(let members):
      writer.beginObject()
      for member in members {
        writer.key(member.key)
        member.value.write(to: &writer)
      }
      writer.endObject()
    }
  }
}

extension JSONTree: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(arrayLiteral elements: JSONTree...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSONTree)...) { self = .object(elements.map { Member($0, $1) }) }
}

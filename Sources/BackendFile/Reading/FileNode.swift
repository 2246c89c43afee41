import JSON
import YAML

/// A value of a backend file, with the keys that lead there.
struct FileNode {
  /// A member of a map.
  struct Member {
    let key: String
    let keyPlace: FilePlace
    let value: FileNode

    /// The error for a key that has no meaning.
    func unknown(among names: some Sequence<String>) -> ReadingError {
      ReadingError(keyPlace, "no such key" + NearestWord.hint(key, among: names))
    }

    /// Finds a reference in the key, which would be sent unchanged.
    func checkKey() throws(ReadingError) {
      guard Template(key, at: keyPlace).isLiteral else { throw ReadingError(keyPlace, "a key cannot contain a value") }
    }
  }

  private let node: YAMLNode
  let place: FilePlace

  init(_ node: YAMLNode, path: String) {
    self.node = node
    place = FilePlace(line: node.place.line, column: node.place.column, path: path)
  }

  func error(_ message: String) -> ReadingError { ReadingError(place, message) }

  private func path(of key: String) -> String { place.path.isEmpty ? key : "\(place.path).\(key)" }

  /// The members of a map.
  func members() throws(ReadingError) -> [Member] {
    guard case .mapping(let members) = node.content else { throw error("write a map: keys, each with a value") }
    return members.map { member in
      let path = path(of: member.key)
      return Member(
        key: member.key, keyPlace: FilePlace(line: member.place.line, column: member.place.column, path: path),
        value: FileNode(member.value, path: path))
    }
  }

  /// The members of a map whose keys are fixed.
  func members<Key: RawRepresentable & CaseIterable & Hashable>(
    _ keys: Key.Type
  ) throws(ReadingError) -> [Key: FileNode] where Key.RawValue == String {
    var found: [Key: FileNode] = [:]
    for member in try members() {
      guard let key = Key(rawValue: member.key) else { throw member.unknown(among: Key.allCases.map(\.rawValue)) }
      found[key] = member.value
    }
    return found
  }

  /// The elements of a list; nil for another value.
  var elements: [FileNode]? {
    guard case .sequence(let elements) = node.content else { return nil }
    return elements.enumerated().map { FileNode($0.element, path: "\(place.path)[\($0.offset)]") }
  }

  var isMap: Bool {
    if case .mapping = node.content { true } else { false }
  }

  private var scalar: YAMLScalar? {
    guard case .scalar(let scalar) = node.content else { return nil }
    return scalar
  }

  var integer: Int? {
    guard case .integer(let text)? = scalar?.value else { return nil }
    return Int(text)
  }

  var isNull: Bool { scalar?.value == .null }

  /// True or false.
  func flag() throws(ReadingError) -> Bool {
    guard case .bool(let value)? = scalar?.value else { throw error("write true or false") }
    return value
  }

  /// The text of a scalar; a number or a Boolean is text as it is spelled.
  func text() throws(ReadingError) -> String {
    if let name = unquotedReference { throw error(Self.needsQuotes(name)) }
    guard let scalar else { throw error("write a text") }
    guard scalar.value != .null else { throw error(#"has no value: write "" for an empty text"#) }
    return scalar.text
  }

  /// A text with references.
  func template() throws(ReadingError) -> Template {
    let template = Template(try text(), at: place)
    try Self.check(template)
    return template
  }

  /// A text without characters that end a header or a cookie.
  func lineTemplate() throws(ReadingError) -> Template {
    let template = try template()
    guard template.literalText.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw error("has a character that ends or hides text")
    }
    return template
  }

  /// Finds a malformed reference.
  private static func check(_ template: Template) throws(ReadingError) {
    for part in template.parts {
      guard case .text(let text) = part else { continue }
      if text.contains("${") {
        throw ReadingError(template.place, "write a secret as ${NAME}, with letters, digits and underscores")
      }
      if let match = text.firstMatch(of: /\{\s*([A-Za-z_][A-Za-z0-9_.\-]*)\s*\}/) {
        throw ReadingError(template.place, "write {\(match.output.1)} without blanks")
      }
    }
  }

  /// JSON with references; `name` is its key.
  func jsonTemplate(named name: String = "json") throws(ReadingError) -> JSONTemplate {
    if let name = unquotedReference { throw error(Self.needsQuotes(name)) }
    switch node.content {
    case .mapping:
      var members: [JSONTemplate.Member] = []
      for member in try self.members() {
        try member.checkKey()
        members.append(JSONTemplate.Member(member.key, try member.value.jsonTemplate(named: member.key)))
      }
      return .object(members)
    case .sequence:
      var values: [JSONTemplate] = []
      for element in elements ?? [] { values.append(try element.jsonTemplate(named: name)) }
      return .array(values)
    case .scalar(let scalar):
      switch scalar.value {
      case .null: return .literal("null")
      case .bool(let value): return .literal(value ? "true" : "false")
      case .integer(let source), .decimal(let source):
        try SecretCheck.run(Template(scalar.text, at: place), named: name)
        return .literal(source)
      case .notFinite: throw error("JSON has no such number")
      case .text:
        let template = try template()
        try SecretCheck.run(template, named: name)
        return .text(template)
      }
    }
  }

  /// JSON without references.
  func json() throws(ReadingError) -> JSONTree {
    try Self.tree(try jsonTemplate())
  }

  private static func tree(_ template: JSONTemplate) throws(ReadingError) -> JSONTree {
    switch template {
    case .literal(let source): return .literal(source)
    case .text(let template):
      guard template.isLiteral else { throw ReadingError(template.place, "no value is known here") }
      return .string(template.literalText)
    case .array(let elements):
      var values: [JSONTree] = []
      for element in elements { values.append(try tree(element)) }
      return .array(values)
    case .object(let members):
      var values: [JSONTree.Member] = []
      for member in members { values.append(JSONTree.Member(member.key, try tree(member.value))) }
      return .object(values)
    }
  }

  /// The name in `{identifier}`, which YAML reads as a map with an empty value; nil for other values.
  private var unquotedReference: String? {
    guard case .mapping(let members) = node.content, members.count == 1, let member = members.first,
      case .scalar(let scalar) = member.value.content, scalar.isPlain, scalar.text.isEmpty
    else { return nil }
    return member.key
  }

  private static func needsQuotes(_ name: String) -> String {
    "write \"{\(name)}\" in quotes: without them YAML reads a map"
  }
}

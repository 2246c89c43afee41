import JSON

/// Follows JSON pointers (RFC 6901) in documents; a large object or array is searched once, however many pointers lead into it.
struct PointerResolver {
  private static let smallCount = 16

  private var children: [SchemaIndex.Location: [String: Int]] = [:]

  /// The values from a start value to the pointer's target, both included; nil if the pointer has no target.
  mutating func path(_ pointer: String, from start: SchemaIndex.Location, in tokens: JSONDocument) -> [Int]? {
    var path = [start.token]
    guard !pointer.isEmpty else { return path }
    guard pointer.hasPrefix("/") else { return nil }
    var value = start.token
    for part in pointer.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      let name = part.replacing("~1", with: "/").replacing("~0", with: "~")
      let location = SchemaIndex.Location(document: start.document, token: value)
      guard let next = child(String(name), of: location, in: tokens) else { return nil }
      path.append(next)
      value = next
    }
    return path
  }

  private mutating func child(_ name: String, of location: SchemaIndex.Location, in tokens: JSONDocument) -> Int? {
    if let children = children[location] { return children[name] }
    let value = location.token
    if tokens[value].count <= Self.smallCount {
      guard tokens[value].kind == .array else { return tokens.member(name, of: value) }
      return tokens.elements(of: value).enumerated().first { String($0.offset) == name }?.element
    }
    var table: [String: Int] = [:]
    for (place, element) in tokens.elements(of: value).enumerated() { table[String(place)] = element }
    for (key, member) in tokens.members(of: value) { table[tokens.text(key)] = member }
    children[location] = table
    return table[name]
  }
}

extension JSONDocument {
  /// The most Unicode scalars of a name in a pointer.
  private static let maximumName = 300

  /// The JSON pointer of a value; names that are too long to be shown are cut.
  func pointer(to index: Int) -> String {
    node(index).path.reduce("") { pointer, name in
      pointer + "/" + PointerText.escaped(String(String.UnicodeScalarView(name.unicodeScalars.prefix(Self.maximumName))))
    }
  }
}

/// Components of JSON pointers (RFC 6901 §3).
enum PointerText {
  /// A component with `~` and `/` escaped.
  static func escaped(_ name: String) -> String { name.replacing("~", with: "~0").replacing("/", with: "~1") }
}

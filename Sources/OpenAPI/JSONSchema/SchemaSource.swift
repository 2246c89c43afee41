import JSON

/// A schema in its document: an object whose members are looked up by name.
struct SchemaSource {
  let tokens: JSONDocument
  let location: SchemaIndex.Location
  private let values: [String: Int]

  init(tokens: JSONDocument, location: SchemaIndex.Location) {
    self.tokens = tokens
    self.location = location
    values = Dictionary(tokens.members(of: location.token).map { (tokens.text($0.key), $0.value) }) { first, _ in first }
  }

  /// The value of a member; nil if there is none.
  subscript(name: String) -> Int? { values[name] }

  func string(_ name: String) -> String? { tokens.string(values[name]) }

  func isTrue(_ name: String) -> Bool { tokens.isTrue(values[name]) }

  /// A member that is a length or count; nil if there is none.
  func count(_ name: String) -> Int32? {
    guard let value = values[name], tokens[value].kind == .number else { return nil }
    return JSONDecimal(tokens.bytes[tokens[value].range]).asCount.map { Int32(clamping: $0) }
  }

  /// Where a member is.
  func location(of token: Int) -> SchemaIndex.Location { SchemaIndex.Location(document: location.document, token: token) }
}

extension JSONDocument {
  /// A value as a document of its own, which does not keep this one alive.
  func copy(of value: Int) -> JSONDocument {
    // A part of a valid document is valid.
    (try? JSONDocument(parsing: Array(bytes[self[value].range]), maximumDepth: 512)) ?? self
  }
}

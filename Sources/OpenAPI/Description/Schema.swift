package import JSON

/// A JSON Schema (2020-12) as OpenAPI 3.1 uses it.
///
/// Most schemas are recorded from a `Codable` type with ``of(_:)``, so that they cannot describe a member that the type
/// does not have.
package indirect enum Schema: Hashable, Sendable {
  /// Keywords such as `type`, `enum` or `pattern`; none accept every value.
  case keywords([String: JSONTree])
  case array(Schema)
  case object(Object)
  /// A value that every one of the schemas accepts.
  case allOf([Schema])
  /// A schema that the document lists once under its name and that others refer to.
  case shared(name: String, Schema)
  /// A schema that could not be made, with the reason; ``APIDocument/faults`` reports it.
  case invalid(String)

  /// The members of an object.
  package struct Object: Hashable, Sendable {
    var properties: [String: Schema] = [:]
    var required: Set<String> = []
    /// Whether it has no other members.
    var isClosed = true
  }

  package static let any = Schema.keywords([:])
  package static let string = Schema.keywords(["type": "string"])
  package static let boolean = Schema.keywords(["type": "boolean"])
  package static let integer = Schema.keywords(["type": "integer"])
  package static let number = Schema.keywords(["type": "number"])
  /// An object of whatever members.
  package static let anyObject = Schema.keywords(["type": "object"])
  /// The bytes of a file.
  package static let binary = Schema.keywords(["type": "string", "format": "binary"])
  /// An instant as ``JSON/Timestamp`` writes it.
  package static let instant = Schema.shared(
    name: "Instant",
    .keywords([
      "type": "string", "format": "date-time",
      "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z$",
    ]))

  /// The schema of a type: its own as a ``SchemaProvider``, else its recorded one.
  package static func of<Value: Decodable>(_ type: Value.Type) -> Schema {
    (type as? any SchemaProvider.Type)?.schema ?? recorded(from: type)
  }

  /// The schema of a type as it is encoded and decoded: a closed object for a type with keys.
  package static func recorded<Value: Decodable>(from type: Value.Type) -> Schema { RecordedValue.schema(of: type) }

  /// The schema of the values that the examples are encoded as, for a type with an `encode(to:)` of its own.
  ///
  /// A member is required if every example has it; the examples together have to show each member.
  package static func recorded<Value: Encodable>(fromExamples examples: [Value]) -> Schema {
    RecordedValue.schema(ofExamples: examples)
  }

  /// The schema of a request's body: as ``of(_:)``, but members that the type does not have are ignored.
  package static func request<Value: Decodable>(_ type: Value.Type) -> Schema { of(type).open }

  /// The same schema under a name, which the document lists once.
  package func named(_ name: String) -> Schema { .shared(name: name, self) }

  /// The same schema, which accepts objects with further members; schemas shared by name stay as they are.
  package var open: Schema {
    switch self {
    case .object(var object):
      object.isClosed = false
      object.properties = object.properties.mapValues(\.open)
      return .object(object)
    case .array(let element): return .array(element.open)
    case .allOf(let schemas): return .allOf(schemas.map(\.open))
    case .keywords, .shared, .invalid: return self
    }
  }

  /// The schema at its place of use: a shared one as a reference.
  var json: JSONTree { written { name, _ in ["$ref": .string("#/components/schemas/\(name)")] } }

  /// The schema as it is written on its own, with the shared ones in it.
  var inlined: JSONTree { written { _, schema in schema.inlined } }

  private func written(_ shared: (String, Schema) -> JSONTree) -> JSONTree {
    switch self {
    case .keywords(let keywords): return JSONTree(keywords)
    case .array(let element): return ["type": "array", "items": element.written(shared)]
    case .allOf(let schemas): return ["allOf": .array(schemas.map { $0.written(shared) })]
    case .shared(let name, let schema): return shared(name, schema)
    case .invalid(let reason): return ["description": .string(reason)]
    case .object(let object):
      var members: JSONTree = ["type": "object", "properties": JSONTree(object.properties.mapValues { $0.written(shared) })]
      if !object.required.isEmpty { members["required"] = .array(object.required.sorted().map { .string($0) }) }
      if object.isClosed { members["additionalProperties"] = false }
      return members
    }
  }

  /// Calls the body with this schema and every one within it.
  func forEach(_ body: (Schema) -> Void) {
    body(self)
    switch self {
    case .keywords, .invalid: break
    case .array(let schema), .shared(_, let schema): schema.forEach(body)
    case .allOf(let schemas): for schema in schemas { schema.forEach(body) }
    case .object(let object): for schema in object.properties.values { schema.forEach(body) }
    }
  }
}

/// A type that refines its recorded schema or shares it by name.
package protocol SchemaProvider {
  /// The schema, made from ``Schema/recorded(from:)`` of the type.
  static var schema: Schema { get }
}

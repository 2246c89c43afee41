/// A number of a schema in the program.
typealias SchemaID = Int32

/// A keyword of a compiled schema; larger parts are indices into a table of ``SchemaProgram``.
enum SchemaKeyword: Sendable {
  /// The schema `false`.
  case nothing
  /// `nullable` of OpenAPI 3.0: null fulfills all other keywords.
  case nullable
  case type(JSONKinds)
  case constant(Int32)
  case enumeration(Int32)
  case minimum(Int32, isExclusive: Bool)
  case maximum(Int32, isExclusive: Bool)
  case multipleOf(Int32)
  case minLength(Int32)
  case maxLength(Int32)
  case pattern(Int32)
  case format(StringFormat)
  case minItems(Int32)
  case maxItems(Int32)
  case uniqueItems
  case minProperties(Int32)
  case maxProperties(Int32)
  /// `properties`, `required`, `patternProperties`, `additionalProperties` and `propertyNames`.
  case object(Int32)
  case dependentRequired(Int32)
  case dependentSchemas(Int32)
  /// `prefixItems`, `items`, `contains`, `minContains` and `maxContains`.
  case array(Int32)
  case allOf(Int32)
  case anyOf(Int32)
  case oneOf(Int32)
  case not(SchemaID)
  /// `if`, `then` and `else`.
  case conditional(Int32)
  case reference(SchemaID)
  case dynamicReference(Int32)
  case unevaluatedItems(SchemaID)
  case unevaluatedProperties(SchemaID)

  /// The order of evaluation: cheap keywords first, those that need the results of others last.
  var rank: Int {
    switch self {
    case .nothing, .nullable: 0
    case .type: 1
    case .unevaluatedItems, .unevaluatedProperties: 4
    case .reference, .dynamicReference, .allOf, .anyOf, .oneOf, .not, .conditional, .dependentSchemas: 3
    default: 2
    }
  }
}

/// The types of JSON Schema, as a set.
struct JSONKinds: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  static let null = JSONKinds(rawValue: 1)
  static let boolean = JSONKinds(rawValue: 2)
  static let object = JSONKinds(rawValue: 4)
  static let array = JSONKinds(rawValue: 8)
  static let string = JSONKinds(rawValue: 16)
  /// Every number.
  static let number = JSONKinds(rawValue: 32)
  /// Every number without a fraction.
  static let integer = JSONKinds(rawValue: 64)
  static let all: JSONKinds = [.null, .boolean, .object, .array, .string, .number]

  private static let names: [(kinds: JSONKinds, name: String)] = [
    (.string, "string"), (.integer, "integer"), (.number, "number"), (.boolean, "boolean"), (.object, "object"),
    (.array, "array"), (.null, "null"),
  ]

  /// The type of that name.
  init?(name: String) {
    guard let found = Self.names.first(where: { $0.name == name }) else { return nil }
    self = found.kinds
  }

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The types in words, such as `string or null`.
  var words: String {
    // Every integer is a number.
    let named = contains(.number) ? subtracting(.integer) : self
    return Self.names.filter { named.contains($0.kinds) }.map(\.name).joined(separator: " or ")
  }
}

/// Compiled schemas: flat tables that refer to each other by index. Immutable, so that threads can share it.
final class SchemaProgram: Sendable {
  /// A schema.
  struct Schema: Sendable {
    /// Its first keyword.
    var first: Int32 = 0
    /// The number of its keywords.
    var count: Int32 = 0
    /// The schema resource that it belongs to, for `$dynamicRef`.
    var resource: Int32 = 0
    /// Whether a keyword needs to know what the others have evaluated.
    var tracksEvaluation = false
    /// `readOnly` and `writeOnly`, here or where a reference leads.
    var isReadOnly = false
    var isWriteOnly = false
  }

  /// The keywords for the members of an object.
  struct ObjectRule: Sendable {
    /// What is known about a name.
    struct Member: Sendable {
      let name: String
      /// The schema of the value; -1 if `properties` does not have the name.
      var schema: SchemaID = -1
      var isRequired = false
    }

    var names = NameTable()
    /// In the order of `names`.
    var members: [Member] = []
    var requiredCount = 0
    /// Patterns with the schemas of the members that they match; the index of a pattern is -1 if it did not compile.
    var patterns: [(pattern: Int32, schema: SchemaID)] = []
    /// -1 if there is none, like the following.
    var additional: SchemaID = -1
    var propertyNames: SchemaID = -1
  }

  /// The keywords for the elements of an array.
  struct ArrayRule: Sendable {
    var prefix: [SchemaID] = []
    /// -1 if there is none, like `contains`.
    var items: SchemaID = -1
    var contains: SchemaID = -1
    var minContains: Int32 = 1
    var maxContains = Int32.max
  }

  /// The values of `enum`.
  struct Enumeration: Sendable {
    var strings = NameTable()
    var others: [JSONTokens] = []
    /// The values in words.
    var words = ""
  }

  /// A bound of a number.
  struct Bound: Sendable {
    let decimal: JSONDecimal
    /// The bound, if it is a small whole number.
    let integer: Int64?
    /// The bound as the document writes it.
    let words: String
  }

  struct Conditional: Sendable {
    let condition: SchemaID
    /// -1 if there is none, like `alternative`.
    let consequence: SchemaID
    let alternative: SchemaID
  }

  struct DynamicReference: Sendable {
    /// The target if no resource in scope has a dynamic anchor of that name.
    let initial: SchemaID
    /// The name of the anchor; nil if the reference is an ordinary one.
    let anchor: String?
  }

  let schemas: [Schema]
  let keywords: [SchemaKeyword]
  let tables: Tables
  /// Whether the scope of resources must be tracked.
  let hasDynamicReferences: Bool

  /// What the keywords refer to.
  struct Tables: Sendable {
    var objects: [ObjectRule] = []
    var arrays: [ArrayRule] = []
    var lists: [[SchemaID]] = []
    var constants: [JSONTokens] = []
    var enumerations: [Enumeration] = []
    var bounds: [Bound] = []
    var patterns: [RegularExpression] = []
    var conditionals: [Conditional] = []
    var dynamicReferences: [DynamicReference] = []
    /// For each resource, its dynamic anchors.
    var dynamicAnchors: [[String: SchemaID]] = []
    /// For each name, the names that are required beside it.
    var dependentRequired: [[(name: String, required: [String])]] = []
    var dependentSchemas: [[(name: String, schema: SchemaID)]] = []
  }

  init(schemas: [Schema], keywords: [SchemaKeyword], tables: Tables) {
    self.schemas = schemas
    self.keywords = keywords
    self.tables = tables
    hasDynamicReferences = !tables.dynamicReferences.isEmpty
  }
}

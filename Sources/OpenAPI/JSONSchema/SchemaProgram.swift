import JSON

/// Compiled schemas: flat tables that refer to each other by index. Immutable, so that threads can share it.
final class SchemaProgram: Sendable {
  struct Schema: Sendable {
    /// Its first keyword.
    var first: Int32 = 0
    /// The number of its keywords.
    var count: Int32 = 0
    /// The schema resource that it belongs to, for `$dynamicRef`.
    var resource: Int32 = 0
    /// Whether a keyword depends on the others' evaluation.
    var tracksEvaluation = false
    /// `readOnly` and `writeOnly`, here or at the target of a reference.
    var isReadOnly = false
    var isWriteOnly = false
  }

  /// The keywords for the members of an object.
  struct ObjectRule: Sendable {
    /// The properties of a name.
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
    var others: [JSONDocument] = []
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

  /// The tables that keywords refer to.
  struct Tables: Sendable {
    var objects: [ObjectRule] = []
    var arrays: [ArrayRule] = []
    var lists: [[SchemaID]] = []
    var constants: [JSONDocument] = []
    var enumerations: [Enumeration] = []
    var bounds: [Bound] = []
    var patterns: [RegularExpression] = []
    var conditionals: [Conditional] = []
    var dynamicReferences: [DynamicReference] = []
    /// For each resource, its dynamic anchors.
    var dynamicAnchors: [[String: SchemaID]] = []
    /// For each name, the names that it requires.
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

extension SchemaProgram {
  /// A schema that applies itself to the same value, which would never end; nil if there is none.
  ///
  /// `$dynamicRef` is not followed; the depth of an evaluation is bounded for it.
  var circularSchema: SchemaID? {
    var states = [UInt8](repeating: 0, count: schemas.count)
    for start in schemas.indices where states[start] == 0 {
      var stack = [(schema: SchemaID(start), rest: inPlace(SchemaID(start)))]
      states[start] = 1
      while let top = stack.indices.last {
        guard let next = stack[top].rest.popLast() else {
          states[Int(stack[top].schema)] = 2
          stack.removeLast()
          continue
        }
        switch states[Int(next)] {
        case 1: return next
        case 0:
          states[Int(next)] = 1
          stack.append((next, inPlace(next)))
        default: break
        }
      }
    }
    return nil
  }

  /// The schemas that a schema applies to the same value.
  private func inPlace(_ schema: SchemaID) -> [SchemaID] {
    let schema = schemas[Int(schema)]
    return keywords[Int(schema.first)..<Int(schema.first + schema.count)].flatMap { keyword -> [SchemaID] in
      switch keyword {
      case .reference(let target), .not(let target): [target]
      case .allOf(let list), .anyOf(let list), .oneOf(let list): tables.lists[Int(list)]
      case .dependentSchemas(let number): tables.dependentSchemas[Int(number)].map(\.schema)
      case .conditional(let number):
        [tables.conditionals[Int(number)]].flatMap { [$0.condition, $0.consequence, $0.alternative] }.filter { $0 >= 0 }
      default: []
      }
    }
  }
}

extension JSONKinds {
  /// The types that a value of a kind can have.
  init(kind: JSONNode.Kind) {
    self =
      switch kind {
      case .null: .null
      case .bool: .boolean
      case .object: .object
      case .array: .array
      case .string: .string
      case .number: [.number, .integer]
      }
  }
}

extension SchemaProgram {
  /// The most references and alternatives that are followed to find the types of a schema.
  private static let maximumHops = 64

  /// The types that a schema can accept, according to its keywords and their targets.
  func kinds(of schema: SchemaID) -> JSONKinds {
    var hops = Self.maximumHops
    return kinds(of: schema, depth: 0, hops: &hops)
  }

  private func kinds(of number: SchemaID, depth: Int, hops: inout Int) -> JSONKinds {
    let everything: JSONKinds = [.all, .integer]
    guard hops > 0, depth < 8 else { return everything }
    hops -= 1
    var kinds = everything
    var isNullable = false
    for keyword in keywords(of: number) {
      switch keyword {
      case .nothing: kinds = []
      case .nullable: isNullable = true
      case .type(let types): kinds.formIntersection(types.contains(.number) ? types.union(.integer) : types)
      case .reference(let target): kinds.formIntersection(self.kinds(of: target, depth: depth + 1, hops: &hops))
      case .allOf(let list):
        for schema in tables.lists[Int(list)] {
          guard hops > 0 else { break }
          kinds.formIntersection(self.kinds(of: schema, depth: depth + 1, hops: &hops))
        }
      case .anyOf(let list), .oneOf(let list):
        var union: JSONKinds = []
        for schema in tables.lists[Int(list)] {
          guard hops > 0 else {
            union = everything
            break
          }
          union.formUnion(self.kinds(of: schema, depth: depth + 1, hops: &hops))
        }
        kinds.formIntersection(union)
      default: break
      }
    }
    return isNullable ? kinds.union(.null) : kinds
  }

  /// Whether a schema describes an object: by its types, or by its keywords for members if it names no types.
  func describesObject(_ schema: SchemaID) -> Bool {
    let kinds = kinds(of: schema)
    guard kinds.isSuperset(of: .all) else { return kinds.contains(.object) }
    return keywords(of: target(of: schema)).contains { if case .object = $0 { true } else { false } }
  }

  /// The types of the elements of an array that the schema accepts.
  func elementKinds(of schema: SchemaID) -> JSONKinds {
    for keyword in keywords(of: target(of: schema)) {
      if case .array(let number) = keyword, tables.arrays[Int(number)].items >= 0 {
        return kinds(of: tables.arrays[Int(number)].items)
      }
    }
    return [.all, .integer]
  }

  /// The target of a schema's references.
  private func target(of schema: SchemaID) -> SchemaID {
    var target = schema
    for _ in 0..<16 {
      guard case .reference(let next)? = keywords(of: target).first(where: { $0.rank == 3 }) else { break }
      target = next
    }
    return target
  }

  /// A schema's expected values, in a few words.
  func words(of schema: SchemaID) -> String {
    for keyword in keywords(of: target(of: schema)) {
      if case .enumeration(let number) = keyword { return tables.enumerations[Int(number)].words }
      if case .format(let format) = keyword { return format.rawValue }
    }
    let kinds = kinds(of: schema)
    if kinds.isSuperset(of: .all) { return "a value" }
    return kinds.isEmpty ? "nothing" : kinds.words
  }

  private func keywords(of schema: SchemaID) -> ArraySlice<SchemaKeyword> {
    let schema = schemas[Int(schema)]
    return keywords[Int(schema.first)..<Int(schema.first) + Int(schema.count)]
  }
}

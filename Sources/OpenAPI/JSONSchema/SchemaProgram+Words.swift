import JSON

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

  /// The types that a schema accepts at most, as far as its keywords and those that they lead to say.
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

  /// Whether a schema says that a value can be an object: by its types, or by its keywords for members if it names no types.
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

  /// Where the references of a schema lead.
  private func target(of schema: SchemaID) -> SchemaID {
    var target = schema
    for _ in 0..<16 {
      guard case .reference(let next)? = keywords(of: target).first(where: { $0.rank == 3 }) else { break }
      target = next
    }
    return target
  }

  /// What a schema expects, in a few words.
  func words(of schema: SchemaID) -> String {
    for keyword in keywords(of: target(of: schema)) {
      if case .enumeration(let number) = keyword { return tables.enumerations[Int(number)].words }
      if case .format(let format) = keyword { return format.rawValue }
    }
    let kinds = kinds(of: schema)
    if kinds.isSuperset(of: .all) { return "a value" }
    return kinds.isEmpty ? "nothing" : kinds.words
  }

  func keywords(of schema: SchemaID) -> ArraySlice<SchemaKeyword> {
    let schema = schemas[Int(schema)]
    return keywords[Int(schema.first)..<Int(schema.first) + Int(schema.count)]
  }
}

extension SchemaCompiler {
  /// The keywords for objects.
  mutating func addObject(_ source: SchemaSource, validates: Bool, to keywords: inout [SchemaKeyword]) {
    let tokens = source.tokens
    var members: [String: SchemaProgram.ObjectRule.Member] = [:]
    for (key, value) in tokens.members(of: source["properties"]) {
      let name = tokens.text(key)
      members[name] = .init(name: name, schema: schema(at: source.location(of: value)))
    }
    if validates {
      for name in tokens.elements(of: source["required"]).compactMap(tokens.string) {
        members[name, default: .init(name: name)].isRequired = true
      }
    }
    var rule = SchemaProgram.ObjectRule()
    for (key, value) in tokens.members(of: source["patternProperties"]) {
      let number = pattern(tokens.text(key), at: source.location(of: key))
      rule.patterns.append((number, schema(at: source.location(of: value))))
    }
    if let value = source["additionalProperties"] { rule.additional = schema(at: source.location(of: value)) }
    if let value = source["propertyNames"] { rule.propertyNames = schema(at: source.location(of: value)) }
    let (table, names) = NameTable.make(members.keys)
    rule.names = table
    rule.members = names.map { members[$0] ?? .init(name: $0) }
    rule.requiredCount = rule.members.count { $0.isRequired }
    if !members.isEmpty || !rule.patterns.isEmpty || rule.additional >= 0 || rule.propertyNames >= 0 {
      tables.objects.append(rule)
      keywords.append(.object(Int32(clamping: tables.objects.count - 1)))
    }
    addDependencies(source, validates: validates, to: &keywords)
  }

  private mutating func addDependencies(_ source: SchemaSource, validates: Bool, to keywords: inout [SchemaKeyword]) {
    let tokens = source.tokens
    let required = validates ? tokens.members(of: source["dependentRequired"]) : []
    if !required.isEmpty {
      tables.dependentRequired.append(
        required.map { (tokens.text($0.key), tokens.elements(of: $0.value).compactMap(tokens.string)) })
      keywords.append(.dependentRequired(Int32(clamping: tables.dependentRequired.count - 1)))
    }
    var dependencies: [(name: String, schema: SchemaID)] = []
    for (key, value) in tokens.members(of: source["dependentSchemas"]) {
      dependencies.append((tokens.text(key), schema(at: source.location(of: value))))
    }
    if !dependencies.isEmpty {
      tables.dependentSchemas.append(dependencies)
      keywords.append(.dependentSchemas(Int32(clamping: tables.dependentSchemas.count - 1)))
    }
  }

  /// The keywords for arrays.
  mutating func addArray(_ source: SchemaSource, to keywords: inout [SchemaKeyword]) {
    var rule = SchemaProgram.ArrayRule()
    for element in source.tokens.elements(of: source["prefixItems"]) {
      rule.prefix.append(schema(at: source.location(of: element)))
    }
    if let value = source["items"] { rule.items = schema(at: source.location(of: value)) }
    if let value = source["contains"] {
      rule.contains = schema(at: source.location(of: value))
      rule.minContains = source.count("minContains") ?? 1
      rule.maxContains = source.count("maxContains") ?? .max
    }
    guard !rule.prefix.isEmpty || rule.items >= 0 || rule.contains >= 0 else { return }
    tables.arrays.append(rule)
    keywords.append(.array(Int32(clamping: tables.arrays.count - 1)))
  }

  /// The keywords that apply schemas to the same value, and those that need to know what the others evaluated.
  mutating func addApplicators(_ source: SchemaSource, to keywords: inout [SchemaKeyword]) {
    if let list = list(source["allOf"], source) { keywords.append(.allOf(list)) }
    if let list = list(source["anyOf"], source) { keywords.append(.anyOf(list)) }
    if let list = list(source["oneOf"], source) { keywords.append(.oneOf(list)) }
    if let value = source["not"] { keywords.append(.not(schema(at: source.location(of: value)))) }
    if let condition = source["if"] {
      tables.conditionals.append(
        SchemaProgram.Conditional(
          condition: schema(at: source.location(of: condition)),
          consequence: source["then"].map { schema(at: source.location(of: $0)) } ?? -1,
          alternative: source["else"].map { schema(at: source.location(of: $0)) } ?? -1))
      keywords.append(.conditional(Int32(clamping: tables.conditionals.count - 1)))
    }
    if let value = source["unevaluatedItems"] {
      keywords.append(.unevaluatedItems(schema(at: source.location(of: value))))
    }
    if let value = source["unevaluatedProperties"] {
      keywords.append(.unevaluatedProperties(schema(at: source.location(of: value))))
    }
  }

  private mutating func list(_ value: Int?, _ source: SchemaSource) -> Int32? {
    let elements = source.tokens.elements(of: value)
    guard !elements.isEmpty else { return nil }
    tables.lists.append(elements.map { schema(at: source.location(of: $0)) })
    return Int32(clamping: tables.lists.count - 1)
  }
}

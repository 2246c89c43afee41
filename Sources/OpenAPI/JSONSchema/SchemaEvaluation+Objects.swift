import JSON

extension SchemaEvaluation {
  mutating func evaluateObject(_ number: Int32, _ token: JSONToken, _ value: Int, _ frame: Int) -> Bool {
    var isValid = true
    // Before the members, which can take all steps.
    if program.tables.objects[Int(number)].requiredCount > 0, !hasRequired(number, token, value), !reportMissing(number, value) {
      isValid = false
      if silence > 0 { return false }
    }
    var key = value + 1
    for place in 0..<token.count {
      work -= 1
      guard work > 0 else { return true }
      let member = instance[key].next
      let (isMemberValid, isEvaluated) = evaluateMember(number, key, member)
      if !isMemberValid {
        isValid = false
        if silence > 0 { return false }
      }
      if isEvaluated, frame >= 0 { marks[frame + place] = true }
      key = instance[member].next
    }
    return isValid
  }

  /// Whether an object has as many required members as there are; true if no steps are left.
  private mutating func hasRequired(_ number: Int32, _ token: JSONToken, _ value: Int) -> Bool {
    let rule = Int(number)
    var missing = program.tables.objects[rule].requiredCount
    var key = value + 1
    for _ in 0..<token.count {
      work -= 1
      chargeBytes(of: key)
      guard work > 0 else { return true }
      if let place = withText(of: key, { program.tables.objects[rule].names.index(of: $0) }),
        program.tables.objects[rule].members[place].isRequired
      {
        missing -= 1
        if missing == 0 { return true }
      }
      key = instance[instance[key].next].next
    }
    return false
  }

  /// Evaluates a member against what the rule says of its name; also whether a schema applied to it.
  private mutating func evaluateMember(_ number: Int32, _ key: Int, _ value: Int) -> (isValid: Bool, isEvaluated: Bool) {
    var isValid = true
    var isEvaluated = false
    let rule = Int(number)
    chargeBytes(of: key)
    guard work > 0 else { return (true, false) }
    if program.tables.objects[rule].names.count > 0,
      let place = withText(of: key, { program.tables.objects[rule].names.index(of: $0) })
    {
      let schema = program.tables.objects[rule].members[place].schema
      if schema >= 0 {
        isEvaluated = true
        path.append(.member(key))
        isValid = isAllowed(schema) && evaluate(schema, value)
        path.removeLast()
      }
    }
    for place in program.tables.objects[rule].patterns.indices {
      let (pattern, schema) = program.tables.objects[rule].patterns[place]
      work -= 1
      guard work > 0 else { break }
      let outcome = pattern < 0 ? .unknown : match(pattern, key)
      guard outcome != .mismatch else { continue }
      // Whether a pattern matches is not always known; then nothing is said about the member.
      isEvaluated = true
      if outcome == .match, !evaluateUnnamed(schema, key, value) { isValid = false }
    }
    let (additional, propertyNames) = program.tables.objects[rule].rest
    if !isEvaluated, additional >= 0 {
      isEvaluated = true
      if !evaluateUnnamed(additional, key, value) { isValid = false }
    }
    if propertyNames >= 0, !evaluateUnnamed(propertyNames, key, key) { isValid = false }
    return (isValid, isEvaluated)
  }

  private mutating func evaluateUnnamed(_ schema: SchemaID, _ key: Int, _ value: Int) -> Bool {
    path.append(.unnamedMember(key))
    defer { path.removeLast() }
    return evaluate(schema, value)
  }

  /// Whether a member may be sent in this direction (OpenAPI 3.0.4 §4.7.24, JSON Schema Validation §9.4).
  private mutating func isAllowed(_ schema: SchemaID) -> Bool {
    switch direction {
    case .request where program.schemas[Int(schema)].isReadOnly: report("no read-only member", "read-only member")
    case .response where program.schemas[Int(schema)].isWriteOnly: report("no write-only member", "write-only member")
    default: true
    }
  }

  /// Reports the required members that are missing; returns whether there is none.
  private mutating func reportMissing(_ number: Int32, _ value: Int) -> Bool {
    var isComplete = true
    for member in program.tables.objects[Int(number)].members where member.isRequired {
      if member.schema >= 0 {
        let schema = program.schemas[Int(member.schema)]
        if direction == .request && schema.isReadOnly || direction == .response && schema.isWriteOnly { continue }
      }
      work -= costOfSearch(for: member.name, instance[value])
      guard work > 0 else { return true }
      if instance.member(member.name, of: value) == nil {
        isComplete = false
        if silence > 0 { return false }
        path.append(.missing(member.name))
        let program = program
        _ = report(member.schema >= 0 ? program.words(of: member.schema) : "a value", .missing)
        path.removeLast()
      }
    }
    return isComplete
  }

  mutating func evaluateDependentRequired(_ number: Int32, _ token: JSONToken, _ value: Int) -> Bool {
    var isValid = true
    for (name, required) in program.tables.dependentRequired[Int(number)] {
      work -= costOfSearch(for: name, token)
      guard work > 0 else { return true }
      guard instance.member(name, of: value) != nil else { continue }
      for other in required {
        work -= costOfSearch(for: other, token)
        guard work > 0 else { return true }
        if instance.member(other, of: value) == nil {
          isValid = false
          path.append(.missing(other))
          _ = report("a value, because \(name) is present", .missing)
          path.removeLast()
        }
      }
    }
    return isValid
  }

  /// The steps to look for a member of that name; only keys of about its length are read.
  private func costOfSearch(for name: String, _ token: JSONToken) -> Int { (token.count + 1) * (1 + name.utf8.count / 16) }

  mutating func evaluateDependentSchemas(_ number: Int32, _ token: JSONToken, _ value: Int, _ frame: Int) -> Bool {
    var isValid = true
    for (name, schema) in program.tables.dependentSchemas[Int(number)] {
      work -= costOfSearch(for: name, token)
      guard work > 0 else { return true }
      if instance.member(name, of: value) != nil, !evaluate(schema, value, frame: frame) { isValid = false }
    }
    return isValid
  }

  /// Evaluates the members or elements that nothing else has evaluated.
  mutating func evaluateUnevaluated(_ schema: SchemaID, _ token: JSONToken, _ value: Int, _ frame: Int) -> Bool {
    guard frame >= 0 else { return true }
    var isValid = true
    var entry = value + 1
    for place in 0..<token.count {
      let member = token.kind == .object ? instance[entry].next : entry
      if !marks[frame + place] {
        path.append(token.kind == .object ? .unnamedMember(entry) : .element(place))
        if !evaluate(schema, member) { isValid = false }
        path.removeLast()
        marks[frame + place] = true
      }
      entry = instance[member].next
    }
    return isValid
  }

  /// Reports a value where the schema is `false`.
  mutating func reportNothing(_ token: JSONToken, _ value: Int) -> Bool {
    switch path.last {
    case .unnamedMember: report("no other members", .undocumented("member"))
    case .element: report("no further elements", .undocumented("element"))
    default: report("nothing", .kind(value))
    }
  }
}

extension SchemaProgram.ObjectRule {
  fileprivate var rest: (additional: SchemaID, propertyNames: SchemaID) { (additional, propertyNames) }
}

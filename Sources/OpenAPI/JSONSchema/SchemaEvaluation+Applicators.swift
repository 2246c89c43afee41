import JSON

extension SchemaEvaluation {
  mutating func evaluateAll(_ number: Int32, _ value: Int, _ frame: Int) -> Bool {
    var isValid = true
    for schema in program.tables.lists[Int(number)] where !evaluate(schema, value, frame: frame) {
      isValid = false
      if silence > 0 { break }
    }
    return isValid
  }

  mutating func evaluateAny(_ number: Int32, _ token: JSONToken, _ value: Int, _ frame: Int) -> Bool {
    let list = program.tables.lists[Int(number)]
    var isValid = false
    for schema in list where holdsTentatively(schema, token, value, frame) {
      isValid = true
      // The others matter only if their evaluated members do.
      if frame < 0 { break }
    }
    return isValid || reportAlternatives(list, token, value)
  }

  mutating func evaluateOne(_ number: Int32, _ token: JSONToken, _ value: Int, _ frame: Int) -> Bool {
    let list = program.tables.lists[Int(number)]
    var matches = 0
    for schema in list where holdsTentatively(schema, token, value, frame) {
      matches += 1
      if matches > 1 { break }
    }
    if matches == 1 { return true }
    if matches == 0 { return reportAlternatives(list, token, value) }
    return report("exactly one of \(list.count) alternatives", "more than one that match")
  }

  mutating func evaluateNot(_ schema: SchemaID, _ value: Int) -> Bool {
    guard holdsSilently(schema, value) else { return true }
    let program = program
    return report("not \(program.words(of: schema))", .kind(value))
  }

  mutating func evaluateConditional(_ number: Int32, _ value: Int, _ frame: Int) -> Bool {
    let conditional = program.tables.conditionals[Int(number)]
    let holds = holdsTentatively(conditional.condition, instance[value], value, frame)
    let next = holds ? conditional.consequence : conditional.alternative
    return next < 0 || evaluate(next, value, frame: frame)
  }

  /// Whether a value fulfils a schema, without findings; what a failed schema evaluated is not marked.
  private mutating func holdsTentatively(_ schema: SchemaID, _ token: JSONToken, _ value: Int, _ frame: Int) -> Bool {
    guard frame >= 0 else { return holdsSilently(schema, value) }
    // The schema marks a frame of its own, which is merged if the value fulfils it.
    let own = marks.count
    work -= token.count
    guard work > 0 else { return true }
    marks.append(contentsOf: repeatElement(false, count: token.count))
    let holds = holdsSilently(schema, value, frame: own)
    if holds {
      for place in 0..<token.count where marks[own + place] { marks[frame + place] = true }
    }
    marks.removeLast(marks.count - own)
    return holds
  }

  /// Reports that no alternative matches: the findings of the one that the value was meant for, if that is clear.
  private mutating func reportAlternatives(_ list: [SchemaID], _ token: JSONToken, _ value: Int) -> Bool {
    work -= 4 * list.count
    guard silence == 0, work > 0 else { return false }
    let kind = JSONKinds(kind: token.kind)
    let accepted = list.map { program.kinds(of: $0) }
    let candidates = list.indices.filter { !accepted[$0].isDisjoint(with: kind) }.map { list[$0] }
    if candidates.count == 1, !evaluate(candidates[0], value) { return false }
    guard candidates.isEmpty else { return report("one of \(list.count) alternatives", "\(kindWords(value)) that matches none") }
    let kinds = accepted.reduce(into: JSONKinds()) { $0.formUnion($1) }
    return report(kinds.words, .kind(value))
  }
}

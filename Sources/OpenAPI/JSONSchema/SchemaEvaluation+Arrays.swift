import JSON

extension SchemaEvaluation {
  mutating func evaluateArray(_ number: Int32, _ token: JSONToken, _ value: Int, _ frame: Int) -> Bool {
    let rule = program.tables.arrays[Int(number)]
    var isValid = true
    var matches = 0
    var element = value + 1
    for place in 0..<token.count {
      work -= 1
      guard work > 0 else { return true }
      let schema = place < rule.prefix.count ? rule.prefix[place] : rule.items
      if schema >= 0 {
        path.append(.element(place))
        if !evaluate(schema, element) { isValid = false }
        path.removeLast()
        if !isValid, silence > 0 { return false }
        if frame >= 0 { marks[frame + place] = true }
      }
      if rule.contains >= 0, holdsSilently(rule.contains, element) {
        matches += 1
        if frame >= 0 { marks[frame + place] = true }
      }
      element = instance[element].next
    }
    guard rule.contains >= 0 else { return isValid }
    if matches < Int(rule.minContains) {
      isValid = report("at least \(rule.minContains) elements that match", "\(matches) that match")
    }
    if matches > Int(rule.maxContains) {
      isValid = report("at most \(rule.maxContains) elements that match", "\(matches) that match")
    }
    return isValid
  }

  /// Whether a value fulfils a schema, without findings.
  mutating func holdsSilently(_ schema: SchemaID, _ value: Int, frame: Int = -1) -> Bool {
    silence += 1
    defer { silence -= 1 }
    return evaluate(schema, value, frame: frame)
  }
}

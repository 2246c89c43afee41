import JSON
import Text

/// Evaluates a value against a schema of a program and collects the differences.
///
/// Work, depth and the number of findings are bounded. If a bound is reached, earlier findings stay.
struct SchemaEvaluation {
  /// The message that a body belongs to, for `readOnly` and `writeOnly`.
  enum Direction {
    case request, response
  }

  /// A place where the value differs; contains no value.
  struct Finding: Equatable {
    let pointer: String
    let expected: String
    let got: String
    let kind: Drift.Kind
  }

  /// The sent value, described only for a finding.
  enum Got: ExpressibleByStringInterpolation {
    case text(String)
    /// Nothing.
    case missing
    /// A part that the schema does not describe: a member or an element.
    case undocumented(String)
    /// The kind of a value.
    case kind(Int)
    /// The kind of a value that differs from the expected kind.
    case another(Int)

    init(stringLiteral text: String) { self = .text(text) }

    var kind: Drift.Kind {
      switch self {
      case .missing: .missing
      case .undocumented: .undocumented
      case .text, .kind, .another: .invalid
      }
    }
  }

  /// A step on the way to the value.
  enum Step {
    /// A member that the schema names; the token is that of the key.
    case member(Int)
    /// A member whose name the schema does not have.
    case unnamedMember(Int)
    case element(Int)
    /// A member that is missing.
    case missing(String)
  }

  /// The most steps of an evaluation; a step is about one keyword of one value, or 16 bytes of a long one.
  static let maximumWork = 500_000
  /// The most schemas that apply within each other.
  private static let maximumDepth = 256
  private static let maximumFindings = 50
  /// The longest text that patterns are tried on, in bytes as sent; longer ones count as matches.
  private static let maximumPatternText = 8192

  private let program: SchemaProgram
  private let instance: JSONDocument
  private let direction: Direction?
  var work = Self.maximumWork
  /// Whether a text or a name stands for a hidden one, which fulfills every schema; nil if none does.
  var isMasked: (@Sendable (String) -> Bool)?
  private(set) var findings: [Finding] = []
  private var reported: Set<String> = []
  private var path: [Step] = []
  /// Above 0 while findings are suppressed.
  var silence = 0
  private var depth = 0
  /// The schema resources that were entered, outermost first.
  private var scope: [Int32] = []
  /// For each schema that tracks evaluation, which members or elements of the value were evaluated.
  private var marks: [Bool] = []
  private var matcher: PatternMatcher?

  init(_ program: SchemaProgram, _ instance: JSONDocument, direction: Direction? = nil) {
    self.program = program
    self.instance = instance
    self.direction = direction
  }

  /// Whether a bound was reached.
  var isIncomplete: Bool { work <= 0 }

  /// Whether a value fulfills a schema; `frame` is where its evaluated members are marked, -1 if no keyword needs them.
  mutating func evaluate(_ number: SchemaID, _ value: Int, frame: Int = -1) -> Bool {
    let schema = program.schemas[Int(number)]
    work -= 1
    guard schema.count > 0, work > 0 else { return true }
    if let isMasked, instance[value].kind == .string, !isNothing(schema) {
      chargeBytes(of: value)
      if isMasked(instance.text(value)) { return true }
    }
    guard depth < Self.maximumDepth else {
      work = 0
      return true
    }
    depth += 1
    let isValid: Bool
    if program.hasDynamicReferences {
      scope.append(schema.resource)
      isValid = schema.tracksEvaluation ? evaluateTracking(schema, value, frame) : evaluateKeywords(schema, value, frame)
      scope.removeLast()
    } else {
      isValid = schema.tracksEvaluation ? evaluateTracking(schema, value, frame) : evaluateKeywords(schema, value, frame)
    }
    depth -= 1
    return isValid
  }

  /// Whether no value fulfills a schema.
  private func isNothing(_ schema: SchemaProgram.Schema) -> Bool {
    if case .nothing = program.keywords[Int(schema.first)] { true } else { false }
  }

  private mutating func evaluateKeywords(_ schema: SchemaProgram.Schema, _ value: Int, _ frame: Int) -> Bool {
    var isValid = true
    let token = instance[value]
    for place in Int(schema.first)..<Int(schema.first) + Int(schema.count) {
      work -= 1
      guard work > 0 else { return true }
      let keyword = program.keywords[place]
      if case .nullable = keyword {
        if token.kind == .null { return true }
        continue
      }
      if evaluate(keyword, token, value, frame) { continue }
      isValid = false
      // Further findings about a value of another type are useless.
      if silence > 0 || keyword.rank <= 1 { break }
    }
    return isValid
  }

  /// Evaluates a schema with `unevaluatedItems` or `unevaluatedProperties`, and marks the members that its other keywords
  /// evaluate.
  private mutating func evaluateTracking(_ schema: SchemaProgram.Schema, _ value: Int, _ frame: Int) -> Bool {
    let count = instance[value].count
    let own = marks.count
    work -= count
    guard work > 0 else { return true }
    marks.append(contentsOf: repeatElement(false, count: count))
    let isValid = evaluateKeywords(schema, value, own)
    if isValid, frame >= 0 {
      for place in 0..<count where marks[own + place] { marks[frame + place] = true }
    }
    marks.removeLast(marks.count - own)
    return isValid
  }

  private mutating func evaluate(_ keyword: SchemaKeyword, _ token: JSONToken, _ value: Int, _ frame: Int) -> Bool {
    switch keyword {
    case .nothing: return reportNothing(value)
    case .nullable: return true
    case .type(let kinds): return evaluateType(kinds, token, value)
    case .constant, .enumeration, .uniqueItems: return evaluateEquality(keyword, token, value)
    case .minimum, .maximum, .multipleOf: return token.kind != .number || evaluateNumber(keyword, value)
    case .minLength, .maxLength, .pattern, .format: return token.kind != .string || evaluateString(keyword, token, value)
    case .minItems, .maxItems, .minProperties, .maxProperties: return evaluateCount(keyword, token)
    case .object(let number): return token.kind != .object || evaluateObject(number, token, value, frame)
    case .dependentRequired(let number): return token.kind != .object || evaluateDependentRequired(number, token, value)
    case .dependentSchemas(let number):
      return token.kind != .object || evaluateDependentSchemas(number, token, value, frame)
    case .array(let number): return token.kind != .array || evaluateArray(number, token, value, frame)
    case .allOf(let number): return evaluateAll(number, value, frame)
    case .anyOf(let number): return evaluateAny(number, token, value, frame)
    case .oneOf(let number): return evaluateOne(number, token, value, frame)
    case .not(let schema): return evaluateNot(schema, value)
    case .conditional(let number): return evaluateConditional(number, value, frame)
    case .reference(let schema): return evaluate(schema, value, frame: frame)
    case .dynamicReference(let number): return evaluate(dynamicTarget(number), value, frame: frame)
    case .unevaluatedItems(let schema): return token.kind != .array || evaluateUnevaluated(schema, token, value, frame)
    case .unevaluatedProperties(let schema):
      return token.kind != .object || evaluateUnevaluated(schema, token, value, frame)
    }
  }

  /// Charges for reading all bytes of a value.
  private mutating func chargeBytes(of value: Int) { work -= instance[value].range.count / 16 }

  /// The first schema in scope that has the dynamic anchor (JSON Schema Core §8.2.3.2).
  private mutating func dynamicTarget(_ number: Int32) -> SchemaID {
    let reference = program.tables.dynamicReferences[Int(number)]
    guard let anchor = reference.anchor else { return reference.initial }
    let cost = 1 + anchor.utf8.count / 16
    for resource in scope {
      work -= cost
      if let target = program.tables.dynamicAnchors[Int(resource)][anchor] { return target }
    }
    return reference.initial
  }

  /// Records a finding and returns false.
  ///
  /// The same finding at another element of an array is not recorded again.
  private mutating func report(_ expected: @autoclosure () -> String, _ got: Got) -> Bool {
    guard silence == 0, work > 0, findings.count < Self.maximumFindings else { return false }
    switch got {
    case .kind(let value), .another(let value): if instance[value].kind == .number { chargeBytes(of: value) }
    case .text, .missing, .undocumented: break
    }
    let finding = "\(pointer(isExact: false)) \(expected()) \(words(of: got))"
    work -= 20 + finding.utf8.count
    guard reported.insert(finding).inserted else { return false }
    findings.append(Finding(pointer: pointer(isExact: true), expected: expected(), got: words(of: got), kind: got.kind))
    return false
  }

  /// The pointer of the current value; `*` stands for every element if it is not to be exact.
  private func pointer(isExact: Bool) -> String {
    var pointer = ""
    for step in path {
      switch step {
      case .member(let key): pointer += "/" + PointerText.escaped(instance.text(key))
      case .unnamedMember(let key): pointer += "/" + (isLong(key) ? "*" : PlainName.shown(instance.text(key)))
      case .element(let place): pointer += isExact ? "/\(place)" : "/*"
      case .missing(let name): pointer += "/" + PointerText.escaped(name)
      }
    }
    return pointer
  }

  /// Whether a name is too long to be shown, whatever its escapes.
  private func isLong(_ key: Int) -> Bool { instance[key].range.count > 200 }

  /// Matches a pattern within the bounds.
  private mutating func match(_ number: Int32, _ value: Int) -> PatternMatcher.Outcome {
    let expression = program.tables.patterns[Int(number)]
    let length = instance[value].range.count
    work -= 10
    guard length <= Self.maximumPatternText else { return .unknown }
    work -= length
    guard work > 0 else { return .unknown }
    if matcher == nil { matcher = PatternMatcher() }
    guard let matcher else { return .unknown }
    let quick = withText(of: value) { matcher.match(expression, in: $0, steps: 100) }
    guard quick == .unknown else { return quick }
    // Few texts need more steps, so they pay for them in advance.
    work -= 100 * length
    guard work > 0 else { return .unknown }
    return withText(of: value) { matcher.match(expression, in: $0, steps: 10_000) }
  }

  /// The unescaped UTF-8 of a string or key.
  private func withText<Result>(of value: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    if instance[value].isEscaped { return Array(instance.text(value).utf8).withUnsafeBufferPointer(body) }
    let range = instance[value].plainRange
    return instance.bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[range])) }
  }
}

extension SchemaEvaluation {
  private mutating func evaluateAll(_ number: Int32, _ value: Int, _ frame: Int) -> Bool {
    var isValid = true
    for schema in program.tables.lists[Int(number)] where !evaluate(schema, value, frame: frame) {
      isValid = false
      if silence > 0 { break }
    }
    return isValid
  }

  private mutating func evaluateAny(_ number: Int32, _ token: JSONToken, _ value: Int, _ frame: Int) -> Bool {
    let list = program.tables.lists[Int(number)]
    var isValid = false
    for schema in list where holdsTentatively(schema, token, value, frame) {
      isValid = true
      // The others matter only if their evaluated members do.
      if frame < 0 { break }
    }
    return isValid || reportAlternatives(list, token, value)
  }

  private mutating func evaluateOne(_ number: Int32, _ token: JSONToken, _ value: Int, _ frame: Int) -> Bool {
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

  private mutating func evaluateNot(_ schema: SchemaID, _ value: Int) -> Bool {
    guard holdsSilently(schema, value) else { return true }
    let program = program
    return report("not \(program.words(of: schema))", .kind(value))
  }

  private mutating func evaluateConditional(_ number: Int32, _ value: Int, _ frame: Int) -> Bool {
    let conditional = program.tables.conditionals[Int(number)]
    let holds = holdsTentatively(conditional.condition, instance[value], value, frame)
    let next = holds ? conditional.consequence : conditional.alternative
    return next < 0 || evaluate(next, value, frame: frame)
  }

  /// Whether a value fulfills a schema, without findings; does not mark members that a failed schema evaluated.
  private mutating func holdsTentatively(_ schema: SchemaID, _ token: JSONToken, _ value: Int, _ frame: Int) -> Bool {
    guard frame >= 0 else { return holdsSilently(schema, value) }
    // The schema marks a frame of its own, which is merged if the value fulfills it.
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

  /// Reports that no alternative matches: the findings of the intended one, if that is clear.
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

extension SchemaEvaluation {
  private mutating func evaluateArray(_ number: Int32, _ token: JSONToken, _ value: Int, _ frame: Int) -> Bool {
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

  /// Whether a value fulfills a schema, without findings.
  private mutating func holdsSilently(_ schema: SchemaID, _ value: Int, frame: Int = -1) -> Bool {
    silence += 1
    defer { silence -= 1 }
    return evaluate(schema, value, frame: frame)
  }
}

extension SchemaEvaluation {
  private mutating func evaluateObject(_ number: Int32, _ token: JSONToken, _ value: Int, _ frame: Int) -> Bool {
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

  /// Evaluates a member against the rule for its name; also returns whether a schema applied to it.
  private mutating func evaluateMember(_ number: Int32, _ key: Int, _ value: Int) -> (isValid: Bool, isEvaluated: Bool) {
    var isValid = true
    var isEvaluated = false
    let rule = Int(number)
    chargeBytes(of: key)
    guard work > 0 else { return (true, false) }
    if let isMasked, isMasked(instance.text(key)) { return (true, true) }
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
      // If a pattern's result is unknown, the member has no finding.
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

  private mutating func evaluateDependentRequired(_ number: Int32, _ token: JSONToken, _ value: Int) -> Bool {
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

  private mutating func evaluateDependentSchemas(_ number: Int32, _ token: JSONToken, _ value: Int, _ frame: Int) -> Bool {
    var isValid = true
    for (name, schema) in program.tables.dependentSchemas[Int(number)] {
      work -= costOfSearch(for: name, token)
      guard work > 0 else { return true }
      if instance.member(name, of: value) != nil, !evaluate(schema, value, frame: frame) { isValid = false }
    }
    return isValid
  }

  /// Evaluates the members or elements that no other keyword has evaluated.
  private mutating func evaluateUnevaluated(_ schema: SchemaID, _ token: JSONToken, _ value: Int, _ frame: Int) -> Bool {
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
  private mutating func reportNothing(_ value: Int) -> Bool {
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

extension SchemaEvaluation {
  private mutating func evaluateType(_ kinds: JSONKinds, _ token: JSONToken, _ value: Int) -> Bool {
    if token.kind == .number { chargeBytes(of: value) }
    let isType: Bool =
      switch token.kind {
      case .null: kinds.contains(.null)
      case .bool: kinds.contains(.boolean)
      case .object: kinds.contains(.object)
      case .array: kinds.contains(.array)
      case .string: kinds.contains(.string)
      case .number: kinds.contains(.number) || kinds.contains(.integer) && isInteger(value)
      }
    return isType || report(kinds.words, .kind(value))
  }

  private func isInteger(_ value: Int) -> Bool {
    let source = source(value)
    return SmallInteger.read(source) != nil || JSONDecimal(source).isInteger
  }

  private func source(_ value: Int) -> ArraySlice<UInt8> { instance.bytes[instance[value].range] }

  private func words(of got: Got) -> String {
    switch got {
    case .text(let text): text
    case .missing: "missing"
    case .undocumented(let what): "undocumented \(what)"
    case .kind(let value): kindWords(value)
    case .another(let value): instance[value].kind == .null ? "null" : "another \(kindWords(value))"
    }
  }

  /// The kind of a value in words.
  private func kindWords(_ value: Int) -> String {
    switch instance[value].kind {
    case .null: "null"
    case .bool: "boolean"
    case .object: "object"
    case .array: "array"
    case .string: "string"
    case .number: isInteger(value) ? "integer" : "number"
    }
  }

  private mutating func evaluateNumber(_ keyword: SchemaKeyword, _ value: Int) -> Bool {
    let source = source(value)
    let small = SmallInteger.read(source)
    chargeBytes(of: value)
    switch keyword {
    case .minimum(let number, let isExclusive):
      let bound = program.tables.bounds[Int(number)]
      let isBelow: Bool, isEqual: Bool
      if let small, let integer = bound.integer {
        (isBelow, isEqual) = (small < integer, small == integer)
      } else {
        let decimal = JSONDecimal(source)
        (isBelow, isEqual) = (decimal < bound.decimal, decimal == bound.decimal)
      }
      return !(isBelow || isExclusive && isEqual)
        || report("number \(isExclusive ? ">" : "≥") \(bound.words)", isEqual ? "the limit itself" : "a smaller number")
    case .maximum(let number, let isExclusive):
      let bound = program.tables.bounds[Int(number)]
      let isAbove: Bool, isEqual: Bool
      if let small, let integer = bound.integer {
        (isAbove, isEqual) = (small > integer, small == integer)
      } else {
        let decimal = JSONDecimal(source)
        (isAbove, isEqual) = (bound.decimal < decimal, decimal == bound.decimal)
      }
      return !(isAbove || isExclusive && isEqual)
        || report("number \(isExclusive ? "<" : "≤") \(bound.words)", isEqual ? "the limit itself" : "a greater number")
    case .multipleOf(let number):
      let bound = program.tables.bounds[Int(number)]
      // A divisor that is not positive is invalid (JSON Schema Validation §6.2.1).
      guard !bound.decimal.isNegative, !bound.decimal.digits.isEmpty else { return true }
      work -= source.count
      return JSONDecimal(source).isMultiple(of: bound.decimal) ?? true
        || report("multiple of \(bound.words)", "another number")
    default: return true
    }
  }

  private mutating func evaluateString(_ keyword: SchemaKeyword, _ token: JSONToken, _ value: Int) -> Bool {
    switch keyword {
    case .minLength(let count):
      let length = length(value)
      return length >= Int(count)
        || report("string of at least \(Self.counted(count, "character"))", "string of \(Self.counted(length, "character"))")
    case .maxLength(let count):
      // No text has more characters than bytes.
      guard token.plainRange.count > Int(count) else { return true }
      let length = length(value)
      return length <= Int(count)
        || report("string of at most \(Self.counted(count, "character"))", "string of \(Self.counted(length, "character"))")
    case .pattern(let number):
      let expression = program.tables.patterns[Int(number)]
      return match(number, value) != .mismatch
        || report("string that matches \(expression.shownSource)", "string that does not match")
    case .format(let format):
      work -= token.end - token.start
      return format.matches(instance.text(value)) || report(format.rawValue, "string of another format")
    default: return true
    }
  }

  /// The length in Unicode code points (JSON Schema Validation §6.3.1).
  private mutating func length(_ value: Int) -> Int {
    chargeBytes(of: value)
    return withText(of: value) { text in text.reduce(0) { $1 & 0xc0 == 0x80 ? $0 : $0 + 1 } }
  }

  private static func counted(_ count: some BinaryInteger, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  private mutating func evaluateCount(_ keyword: SchemaKeyword, _ token: JSONToken) -> Bool {
    let count = token.count
    switch keyword {
    case .minItems(let limit):
      return token.kind != .array || count >= Int(limit) || report("array of at least \(limit)", "array of \(count)")
    case .maxItems(let limit):
      return token.kind != .array || count <= Int(limit) || report("array of at most \(limit)", "array of \(count)")
    case .minProperties(let limit):
      return token.kind != .object || count >= Int(limit)
        || report("at least \(Self.counted(limit, "member"))", "\(Self.counted(count, "member"))")
    case .maxProperties(let limit):
      return token.kind != .object || count <= Int(limit)
        || report("at most \(Self.counted(limit, "member"))", "\(Self.counted(count, "member"))")
    default: return true
    }
  }

  private mutating func evaluateEquality(_ keyword: SchemaKeyword, _ token: JSONToken, _ value: Int) -> Bool {
    switch keyword {
    case .constant(let number):
      let constant = program.tables.constants[Int(number)]
      return isEqual(value, constant) || report(constant.words, .another(value))
    case .enumeration(let number):
      let enumeration = program.tables.enumerations[Int(number)]
      if token.kind == .string {
        chargeBytes(of: value)
        return withText(of: value) { enumeration.strings.index(of: $0) } != nil || report(enumeration.words, "another string")
      }
      for other in enumeration.others {
        guard work > 0 else { return true }
        if isEqual(value, other) { return true }
      }
      return report(enumeration.words, .another(value))
    case .uniqueItems:
      guard token.kind == .array, token.count > 1 else { return true }
      return areUnique(value) || report("array of different elements", "array with equal elements")
    default: return true
    }
  }

  private mutating func isEqual(_ value: Int, _ constant: JSONDocument) -> Bool {
    instance.node(value).isEqual(to: constant.root, work: &work)
  }

  private mutating func areUnique(_ array: Int) -> Bool {
    let elements = instance.elements(of: array)
    guard elements.count > 1 else { return true }
    var hashed: [(hash: Int, element: Int)] = []
    hashed.reserveCapacity(elements.count)
    for element in elements {
      chargeBytes(of: element)
      work -= instance[element].next - element
      guard work > 0 else { return true }
      hashed.append((instance.node(element).valueHash, element))
    }
    hashed.sort { $0.hash < $1.hash }
    for place in 1..<hashed.count {
      var earlier = place - 1
      while earlier >= 0, hashed[earlier].hash == hashed[place].hash {
        if instance.node(hashed[earlier].element).isEqual(to: instance.node(hashed[place].element), work: &work) {
          return false
        }
        earlier -= 1
      }
    }
    return true
  }
}

extension JSONDocument {
  /// A constant as its document writes it, if it is short.
  fileprivate var words: String {
    bytes.count <= 60 ? String(decoding: bytes, as: UTF8.self) : "a constant"
  }
}

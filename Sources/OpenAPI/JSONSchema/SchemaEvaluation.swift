import JSON
import Text

/// Evaluates a value against a schema of a program and collects what differs.
///
/// Work, depth and the number of findings are bounded. If a bound is reached, what was found before stands.
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

  /// What was sent, in words that are made only for a finding.
  enum Got: ExpressibleByStringInterpolation {
    case text(String)
    /// Nothing.
    case missing
    /// Something that the schema does not describe: a member or an element.
    case undocumented(String)
    /// The kind of a value.
    case kind(Int)
    /// The kind of a value that is another one than was expected.
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
  static let maximumDepth = 256
  static let maximumFindings = 50
  /// The longest text that patterns are tried on, in bytes as sent; longer ones count as matches.
  private static let maximumPatternText = 8192

  let program: SchemaProgram
  let instance: JSONTokens
  let direction: Direction?
  var work = Self.maximumWork
  private(set) var findings: [Finding] = []
  private var reported: Set<String> = []
  var path: [Step] = []
  /// Above 0 while findings are not wanted.
  var silence = 0
  private var depth = 0
  /// The schema resources that were entered, outermost first.
  var scope: [Int32] = []
  /// For each schema that tracks evaluation, which members or elements of the value were evaluated.
  var marks: [Bool] = []
  private var matcher: PatternMatcher?

  init(_ program: SchemaProgram, _ instance: JSONTokens, direction: Direction? = nil) {
    self.program = program
    self.instance = instance
    self.direction = direction
  }

  /// Whether a bound was reached.
  var isIncomplete: Bool { work <= 0 }

  /// Whether a value fulfils a schema; `frame` is where its evaluated members are marked, -1 if nothing asks for them.
  mutating func evaluate(_ number: SchemaID, _ value: Int, frame: Int = -1) -> Bool {
    let schema = program.schemas[Int(number)]
    work -= 1
    guard schema.count > 0, work > 0 else { return true }
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
      // Nothing else is worth reporting about a value of another type.
      if silence > 0 || keyword.rank <= 1 { break }
    }
    return isValid
  }

  /// Evaluates a schema with `unevaluatedItems` or `unevaluatedProperties`, for which it marks what the other keywords evaluate.
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
    case .nothing: return reportNothing(token, value)
    case .nullable: return true
    case .type(let kinds): return evaluateType(kinds, token, value)
    case .constant, .enumeration, .uniqueItems: return evaluateEquality(keyword, token, value)
    case .minimum, .maximum, .multipleOf: return token.kind != .number || evaluateNumber(keyword, token, value)
    case .minLength, .maxLength, .pattern, .format: return token.kind != .string || evaluateString(keyword, token, value)
    case .minItems, .maxItems, .minProperties, .maxProperties: return evaluateCount(keyword, token, value)
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
  mutating func chargeBytes(of value: Int) { work -= (instance[value].end - instance[value].start) / 16 }

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
  mutating func report(_ expected: @autoclosure () -> String, _ got: Got) -> Bool {
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
  private func isLong(_ key: Int) -> Bool { instance[key].end - instance[key].start > 200 }

  /// Matches a pattern within the bounds.
  mutating func match(_ number: Int32, _ value: Int) -> PatternMatcher.Outcome {
    let expression = program.tables.patterns[Int(number)]
    let length = instance[value].end - instance[value].start
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
  func withText<Result>(of value: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    if instance[value].isEscaped { return Array(instance.text(value).utf8).withUnsafeBufferPointer(body) }
    let range = instance.plainRange(value)
    return instance.bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[range])) }
  }
}

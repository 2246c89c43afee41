import JSON

/// Compiles schemas of documents into a ``SchemaProgram``; does not recurse, however deep a schema is.
struct SchemaCompiler {
  typealias Location = SchemaIndex.Location

  /// The meaning of a document's keywords.
  enum Dialect: Sendable {
    /// JSON Schema 2020-12, also that of OpenAPI 3.1.
    case draft2020
    /// The schemas of OpenAPI 3.0.
    case openAPI30
  }

  /// A reference to be resolved when all documents and anchors are known.
  private struct Pending {
    let reference: String
    let location: Location
    let resource: Int
  }

  /// The most memory that compiled patterns may take, in bytes.
  private static let patternMemory = 16 << 20
  private static let maximumNotes = 100
  /// The most Unicode scalars of a note.
  private static let noteLength = 300

  private let dialect: Dialect
  private let assertsFormats: Bool
  private let maximumSchemas: Int
  var index: SchemaIndex
  private var tables = SchemaProgram.Tables()
  /// The parts that are not compared, one line each.
  private(set) var notes: [String] = []
  private var noted: Set<Location> = []
  private var schemas: [SchemaProgram.Schema] = []
  private var keywords: [SchemaKeyword] = []
  private var locations: [Location] = []
  private var numbers: [Location: SchemaID] = [:]
  private var queue: [SchemaID] = []
  private var pending: [Pending] = []
  /// For each resource, how many of its dynamic anchors were added.
  private var addedAnchors: [Int: Int] = [:]
  private var targets: [SchemaID] = []
  private var patternNumbers: [String: Int32] = [:]
  private var patternBytes = 0

  init(_ dialect: Dialect = .draft2020, assertsFormats: Bool = false, maximumSchemas: Int = 200_000) {
    self.dialect = dialect
    self.assertsFormats = assertsFormats
    self.maximumSchemas = maximumSchemas
    index = SchemaIndex(hasIdentifiers: dialect == .draft2020)
  }

  /// The number of the schema at a location, which is compiled by ``finish()`` at the latest.
  mutating func schema(at location: Location) -> SchemaID {
    if let number = numbers[location] { return number }
    let number = SchemaID(clamping: schemas.count)
    numbers[location] = number
    schemas.append(SchemaProgram.Schema())
    locations.append(location)
    queue.append(number)
    return number
  }

  /// Adds a line about a part that is not compared, such as "The external reference at"; a location has one line at most.
  mutating func note(_ subject: String, _ location: Location) {
    guard notes.count < Self.maximumNotes, noted.insert(location).inserted else { return }
    let end = " is not compared."
    let limit = Self.noteLength - end.unicodeScalars.count
    notes.append(DocumentText.line("\(subject) \(pointer(location))", limit: limit) + end)
  }

  /// The pointer of a location.
  private func pointer(_ location: Location) -> String { "#" + index.documents[location.document].pointer(to: location.token) }

  /// The number of a pattern; -1 if it cannot be compiled.
  private mutating func pattern(_ text: String, at location: Location) -> Int32 {
    if let number = patternNumbers[text] { return number }
    var number: Int32 = -1
    if patternBytes < Self.patternMemory, let expression = RegularExpression(text) {
      patternBytes += expression.size
      number = Int32(clamping: tables.patterns.count)
      tables.patterns.append(expression)
    } else {
      note("The regular expression at", location)
    }
    patternNumbers[text] = number
    return number
  }

  /// A keyword for a reference.
  private mutating func reference(_ text: String, from location: Location, resource: Int, isDynamic: Bool) -> SchemaKeyword {
    pending.append(Pending(reference: text, location: location, resource: resource))
    let number = Int32(clamping: pending.count - 1)
    guard isDynamic else { return .reference(number) }
    tables.dynamicReferences.append(SchemaProgram.DynamicReference(initial: number, anchor: nil))
    return .dynamicReference(Int32(clamping: tables.dynamicReferences.count - 1))
  }

  /// Compiles all requested schemas and their targets.
  mutating func finish() throws(SchemaError) -> SchemaProgram {
    while !queue.isEmpty || targets.count < pending.count {
      while let number = queue.popLast() { try compile(number) }
      while targets.count < pending.count { targets.append(try resolve(pending[targets.count])) }
    }
    connect()
    // Dynamic anchors can be targets without a reference to them.
    for resource in index.resources {
      tables.dynamicAnchors.append(resource.dynamicAnchors.compactMapValues { numbers[$0] })
    }
    let program = SchemaProgram(schemas: schemas, keywords: keywords, tables: tables)
    if let circular = program.circularSchema { throw .circularReference(pointer: pointer(locations[Int(circular)])) }
    return program
  }

  private mutating func compile(_ number: SchemaID) throws(SchemaError) {
    guard schemas.count <= maximumSchemas else { throw .tooManySchemas }
    let location = locations[Int(number)]
    let resource = index.resource(of: location)
    guard !index.hasTooManyIdentifiers else { throw .tooManyIdentifiers }
    addDynamicAnchors(of: resource)
    var schema = SchemaProgram.Schema(first: Int32(clamping: keywords.count), resource: Int32(clamping: resource))
    let compiled = compiledKeywords(of: location, resource: resource, schema: &schema)
    schema.count = Int32(clamping: compiled.count)
    keywords += compiled
    schemas[Int(number)] = schema
  }

  /// Adds the schemas with dynamic anchors that were found since the last call: each can be a target if its resource is in scope.
  private mutating func addDynamicAnchors(of resource: Int) {
    let anchors = index.resources[resource].dynamicAnchorSchemas
    let added = addedAnchors[resource, default: 0]
    guard added < anchors.count else { return }
    addedAnchors[resource] = anchors.count
    for anchor in anchors[added...] { _ = schema(at: anchor) }
  }

  private mutating func resolve(_ pending: Pending) throws(SchemaError) -> SchemaID {
    let target = index.target(of: pending.reference, in: pending.resource)
    guard !index.hasTooManyIdentifiers else { throw .tooManyIdentifiers }
    switch target {
    case .schema(let location): return schema(at: location)
    case .nothing:
      throw .unresolvedReference(pending.reference, pointer: pointer(pending.location))
    case .external:
      note("The external reference at", pending.location)
      // A schema without keywords accepts everything.
      schemas.append(SchemaProgram.Schema())
      locations.append(pending.location)
      return SchemaID(clamping: schemas.count - 1)
    }
  }

  /// Puts the targets of references in place.
  private mutating func connect() {
    for place in keywords.indices {
      if case .reference(let number) = keywords[place] { keywords[place] = .reference(targets[Int(number)]) }
    }
    for place in tables.dynamicReferences.indices {
      let number = Int(tables.dynamicReferences[place].initial)
      let anchor = dynamicAnchor(of: pending[number], target: targets[number])
      tables.dynamicReferences[place] = SchemaProgram.DynamicReference(initial: targets[number], anchor: anchor)
    }
    for number in schemas.indices {
      var target = number
      var hops = 0
      while hops < 16, let next = reference(of: target) { (target, hops) = (next, hops + 1) }
      schemas[number].isReadOnly = schemas[number].isReadOnly || schemas[target].isReadOnly
      schemas[number].isWriteOnly = schemas[number].isWriteOnly || schemas[target].isWriteOnly
    }
  }

  private func reference(of number: Int) -> Int? {
    for place in 0..<Int(schemas[number].count) {
      if case .reference(let target) = keywords[Int(schemas[number].first) + place] { return Int(target) }
    }
    return nil
  }

  /// The name of a reference that leads to a dynamic anchor; nil if it leads elsewhere, so that it is an ordinary reference (JSON
  /// Schema Core §8.2.3.2).
  private mutating func dynamicAnchor(of pending: Pending, target: SchemaID) -> String? {
    guard let fragment = URIReference(pending.reference).fragment, !fragment.hasPrefix("/") else { return nil }
    let location = locations[Int(target)]
    return index.resources[index.resource(of: location)].dynamicAnchors[fragment] == location ? fragment : nil
  }
}

extension SchemaCompiler {
  /// The keywords for objects.
  private mutating func addObject(_ source: SchemaSource, validates: Bool, to keywords: inout [SchemaKeyword]) {
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
  private mutating func addArray(_ source: SchemaSource, to keywords: inout [SchemaKeyword]) {
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

  /// The keywords that apply schemas to the same value, and those that depend on the others' evaluation.
  private mutating func addApplicators(_ source: SchemaSource, to keywords: inout [SchemaKeyword]) {
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

extension SchemaCompiler {
  /// The keywords of a schema in the order of evaluation.
  private mutating func compiledKeywords(
    of location: Location, resource: Int, schema: inout SchemaProgram.Schema
  ) -> [SchemaKeyword] {
    let tokens = index.documents[location.document]
    guard tokens[location.token].kind == .object else {
      return tokens[location.token].kind == .bool && !tokens.isTrue(location.token) ? [.nothing] : []
    }
    let source = SchemaSource(tokens: tokens, location: location)
    if dialect == .openAPI30, let text = source.string("$ref") {
      // A Reference Object; its other members are ignored (OpenAPI 3.0.4 §4.7.24).
      return [reference(text, from: location, resource: resource, isDynamic: false)]
    }
    schema.isReadOnly = source.isTrue("readOnly")
    schema.isWriteOnly = source.isTrue("writeOnly")
    var keywords: [SchemaKeyword] = []
    if let text = source.string("$ref") {
      keywords.append(reference(text, from: location, resource: resource, isDynamic: false))
    }
    if let text = source.string("$dynamicRef") {
      keywords.append(reference(text, from: location, resource: resource, isDynamic: true))
    }
    let validates = index.resources[resource].usesValidation
    if validates {
      addGeneral(source, to: &keywords)
      addNumbers(source, to: &keywords)
      addCounts(source, to: &keywords)
    }
    addStrings(source, validates: validates, to: &keywords)
    addObject(source, validates: validates, to: &keywords)
    addArray(source, to: &keywords)
    addApplicators(source, to: &keywords)
    schema.tracksEvaluation = keywords.contains { $0.rank == 4 }
    // A stable order, so that compilation is repeatable.
    return keywords.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.map(\.element)
  }

  /// `type`, `const`, `enum`, `nullable`.
  private mutating func addGeneral(_ source: SchemaSource, to keywords: inout [SchemaKeyword]) {
    let tokens = source.tokens
    if dialect == .openAPI30, source.isTrue("nullable") { keywords.append(.nullable) }
    if let type = source["type"] {
      let names = tokens[type].kind == .array ? tokens.elements(of: type) : [type]
      let kinds = names.compactMap { tokens.string($0).flatMap(JSONKinds.init(name:)) }
      if !kinds.isEmpty { keywords.append(.type(JSONKinds(kinds))) }
    }
    if let value = source["const"] {
      tables.constants.append(tokens.copy(of: value))
      keywords.append(.constant(Int32(clamping: tables.constants.count - 1)))
    }
    if let values = source["enum"], tokens[values].kind == .array {
      var enumeration = SchemaProgram.Enumeration()
      let elements = tokens.elements(of: values)
      enumeration.strings = NameTable.make(Set(elements.compactMap { tokens.string($0).map(UTF8Text.init) }).map(\.text)).table
      enumeration.others = elements.filter { tokens[$0].kind != .string }.map(tokens.copy)
      enumeration.words = Self.words(of: elements, in: tokens)
      tables.enumerations.append(enumeration)
      keywords.append(.enumeration(Int32(clamping: tables.enumerations.count - 1)))
    }
  }

  private static func words(of values: [Int], in tokens: JSONDocument) -> String {
    let words = values.prefix(6).map { String(decoding: tokens.bytes[tokens[$0].range], as: UTF8.self) }
    let list = words.joined(separator: ", ")
    return values.count > 6 || list.utf8.count > 120
      ? "one of \(values.count) values" : values.count == 1 ? list : "one of \(list)"
  }

  private mutating func addNumbers(_ source: SchemaSource, to keywords: inout [SchemaKeyword]) {
    if let bound = bound(source["minimum"], source) {
      keywords.append(.minimum(bound, isExclusive: dialect == .openAPI30 && source.isTrue("exclusiveMinimum")))
    }
    if let bound = bound(source["maximum"], source) {
      keywords.append(.maximum(bound, isExclusive: dialect == .openAPI30 && source.isTrue("exclusiveMaximum")))
    }
    if let bound = bound(source["exclusiveMinimum"], source) { keywords.append(.minimum(bound, isExclusive: true)) }
    if let bound = bound(source["exclusiveMaximum"], source) { keywords.append(.maximum(bound, isExclusive: true)) }
    if let bound = bound(source["multipleOf"], source) { keywords.append(.multipleOf(bound)) }
  }

  private mutating func bound(_ value: Int?, _ source: SchemaSource) -> Int32? {
    guard let value, source.tokens[value].kind == .number else { return nil }
    let range = source.tokens[value].range
    let text = String(decoding: source.tokens.bytes[range], as: UTF8.self)
    tables.bounds.append(
      SchemaProgram.Bound(
        decimal: JSONDecimal(source.tokens.bytes[range]), integer: SmallInteger.read(source.tokens.bytes[range]),
        words: text.utf8.count <= 24 ? text : "a limit"))
    return Int32(clamping: tables.bounds.count - 1)
  }

  private func addCounts(_ source: SchemaSource, to keywords: inout [SchemaKeyword]) {
    if let count = source.count("minLength") { keywords.append(.minLength(count)) }
    if let count = source.count("maxLength") { keywords.append(.maxLength(count)) }
    if let count = source.count("minItems") { keywords.append(.minItems(count)) }
    if let count = source.count("maxItems") { keywords.append(.maxItems(count)) }
    if let count = source.count("minProperties") { keywords.append(.minProperties(count)) }
    if let count = source.count("maxProperties") { keywords.append(.maxProperties(count)) }
    if source.isTrue("uniqueItems") { keywords.append(.uniqueItems) }
  }

  private mutating func addStrings(_ source: SchemaSource, validates: Bool, to keywords: inout [SchemaKeyword]) {
    if validates, let text = source.string("pattern"), let value = source["pattern"] {
      let number = pattern(text, at: Location(document: source.location.document, token: value))
      if number >= 0 { keywords.append(.pattern(number)) }
    }
    if assertsFormats, let format = source.string("format").flatMap(StringFormat.init(rawValue:)) {
      keywords.append(.format(format))
    }
  }
}

/// A text that is equal to another if its bytes are, unlike `String`, which compares canonical equivalents.
private struct UTF8Text: Hashable {
  let text: String

  static func == (left: UTF8Text, right: UTF8Text) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }
  func hash(into hasher: inout Hasher) { for byte in text.utf8 { hasher.combine(byte) } }
}

/// Why schemas cannot be compiled.
enum SchemaError: Error, Equatable {
  /// A reference has no target in a known document.
  case unresolvedReference(String, pointer: String)
  /// A schema refers to itself without a member or element in between.
  case circularReference(pointer: String)
  /// There are more schemas than the limit allows.
  case tooManySchemas
  /// There are more `$id` or `$dynamicAnchor` than the limits allow, or one is too long.
  case tooManyIdentifiers
}

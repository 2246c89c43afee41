/// Compiles schemas of documents into a ``SchemaProgram``; does not recurse, however deep a schema is.
struct SchemaCompiler {
  typealias Location = SchemaIndex.Location

  /// What the keywords of a document mean.
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

  let dialect: Dialect
  let assertsFormats: Bool
  let maximumSchemas: Int
  var index: SchemaIndex
  var tables = SchemaProgram.Tables()
  /// What is not compared, one line each.
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

  /// Adds a line about what is not compared, such as "The external reference at"; a location has one line at most.
  mutating func note(_ subject: String, _ location: Location) {
    guard notes.count < Self.maximumNotes, noted.insert(location).inserted else { return }
    let end = " is not compared."
    let limit = Self.noteLength - end.unicodeScalars.count
    notes.append(DocumentText.line("\(subject) \(pointer(location))", limit: limit) + end)
  }

  /// The pointer of a location.
  func pointer(_ location: Location) -> String { "#" + index.documents[location.document].pointer(to: location.token) }

  /// The number of a pattern; -1 if it cannot be compiled.
  mutating func pattern(_ text: String, at location: Location) -> Int32 {
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
  mutating func reference(_ text: String, from location: Location, resource: Int, isDynamic: Bool) -> SchemaKeyword {
    pending.append(Pending(reference: text, location: location, resource: resource))
    let number = Int32(clamping: pending.count - 1)
    guard isDynamic else { return .reference(number) }
    tables.dynamicReferences.append(SchemaProgram.DynamicReference(initial: number, anchor: nil))
    return .dynamicReference(Int32(clamping: tables.dynamicReferences.count - 1))
  }

  /// Compiles everything that was asked for and what it refers to.
  mutating func finish() throws(SchemaError) -> SchemaProgram {
    while !queue.isEmpty || targets.count < pending.count {
      while let number = queue.popLast() { try compile(number) }
      while targets.count < pending.count { targets.append(try resolve(pending[targets.count])) }
    }
    connect()
    // Dynamic anchors can be targets although nothing refers to them.
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
      var (target, hops) = (number, 0)
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

  /// The name of a reference that leads to a dynamic anchor; nil if it leads elsewhere, so that it is an ordinary reference
  /// (JSON Schema Core §8.2.3.2).
  private mutating func dynamicAnchor(of pending: Pending, target: SchemaID) -> String? {
    guard let fragment = URIReference(pending.reference).fragment, !fragment.hasPrefix("/") else { return nil }
    let location = locations[Int(target)]
    return index.resources[index.resource(of: location)].dynamicAnchors[fragment] == location ? fragment : nil
  }
}

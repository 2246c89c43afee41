import JSON

extension SchemaCompiler {
  /// The keywords of a schema in the order of evaluation.
  mutating func compiledKeywords(
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

  private static func words(of values: [Int], in tokens: JSONTokens) -> String {
    let words = values.prefix(6).map { String(decoding: tokens.bytes[tokens[$0].start..<tokens[$0].end], as: UTF8.self) }
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
    let range = source.tokens[value].start..<source.tokens[value].end
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

/// Whole numbers of at most 18 digits, which most numbers are.
enum SmallInteger {
  /// Reads a number without fraction and exponent; nil for others.
  static func read(_ source: ArraySlice<UInt8>) -> Int64? {
    guard source.count <= 18 else { return nil }
    var value: Int64 = 0
    let isNegative = source.first == UInt8(ascii: "-")
    for byte in isNegative ? source.dropFirst() : source {
      let digit = byte &- 0x30
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int64(digit)
    }
    return isNegative ? -value : value
  }
}

import JSON

extension SchemaEvaluation {
  mutating func evaluateType(_ kinds: JSONKinds, _ token: JSONToken, _ value: Int) -> Bool {
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

  func isInteger(_ value: Int) -> Bool {
    let source = source(value)
    return SmallInteger.read(source) != nil || JSONDecimal(source).isInteger
  }

  private func source(_ value: Int) -> ArraySlice<UInt8> { instance.bytes[instance[value].start..<instance[value].end] }

  func words(of got: Got) -> String {
    switch got {
    case .text(let text): text
    case .missing: "missing"
    case .undocumented(let what): "undocumented \(what)"
    case .kind(let value): kindWords(value)
    case .another(let value): instance[value].kind == .null ? "null" : "another \(kindWords(value))"
    }
  }

  /// The kind of a value in words.
  func kindWords(_ value: Int) -> String {
    switch instance[value].kind {
    case .null: "null"
    case .bool: "boolean"
    case .object: "object"
    case .array: "array"
    case .string: "string"
    case .number: isInteger(value) ? "integer" : "number"
    }
  }

  mutating func evaluateNumber(_ keyword: SchemaKeyword, _ token: JSONToken, _ value: Int) -> Bool {
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

  mutating func evaluateString(_ keyword: SchemaKeyword, _ token: JSONToken, _ value: Int) -> Bool {
    switch keyword {
    case .minLength(let count):
      let length = length(value, token)
      return length >= Int(count)
        || report("string of at least \(Self.counted(count, "character"))", "string of \(Self.counted(length, "character"))")
    case .maxLength(let count):
      // No text has more characters than bytes.
      guard token.end - token.start - 2 > Int(count) else { return true }
      let length = length(value, token)
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
  private mutating func length(_ value: Int, _ token: JSONToken) -> Int {
    chargeBytes(of: value)
    return withText(of: value) { text in text.reduce(0) { $1 & 0xc0 == 0x80 ? $0 : $0 + 1 } }
  }

  private static func counted(_ count: some BinaryInteger, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  mutating func evaluateCount(_ keyword: SchemaKeyword, _ token: JSONToken, _ value: Int) -> Bool {
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

  mutating func evaluateEquality(_ keyword: SchemaKeyword, _ token: JSONToken, _ value: Int) -> Bool {
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

  private mutating func isEqual(_ value: Int, _ constant: JSONTokens) -> Bool {
    JSONEquality.areEqual((instance, value), (constant, 0), work: &work)
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
      hashed.append((JSONEquality.hash(instance, element), element))
    }
    hashed.sort { $0.hash < $1.hash }
    for place in 1..<hashed.count {
      var earlier = place - 1
      while earlier >= 0, hashed[earlier].hash == hashed[place].hash {
        if JSONEquality.areEqual((instance, hashed[earlier].element), (instance, hashed[place].element), work: &work) {
          return false
        }
        earlier -= 1
      }
    }
    return true
  }
}

extension JSONTokens {
  /// A constant as its document writes it, if it is short.
  fileprivate var words: String {
    bytes.count <= 60 ? String(decoding: bytes, as: UTF8.self) : "a constant"
  }
}

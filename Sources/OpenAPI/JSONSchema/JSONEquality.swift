import JSON

/// Equality of JSON values: numbers by value, strings by code points, objects whatever the order of their members
/// (JSON Schema Core §4.2.2).
///
/// Recurses as deep as the values, whose depth the parser limits.
enum JSONEquality {
  typealias Value = (tokens: JSONTokens, index: Int)

  /// Whether two values are equal; subtracts the steps taken from `work`, and returns false if none is left.
  static func areEqual(_ left: Value, _ right: Value, work: inout Int) -> Bool {
    let (one, other) = (left.tokens[left.index], right.tokens[right.index])
    work -= 1
    guard one.kind == other.kind, one.count == other.count else { return false }
    work -= one.count
    guard work > 0 else { return false }
    switch one.kind {
    case .null: return true
    case .bool: return one.end - one.start == other.end - other.start
    case .string: return areEqualStrings(left, right, work: &work)
    case .number:
      let (source, otherSource) = (left.tokens.bytes[one.start..<one.end], right.tokens.bytes[other.start..<other.end])
      if let small = SmallInteger.read(source), let otherSmall = SmallInteger.read(otherSource) { return small == otherSmall }
      work -= (source.count + otherSource.count) / 16
      guard work > 0 else { return false }
      return JSONDecimal(source) == JSONDecimal(otherSource)
    case .array:
      for (element, otherElement) in zip(left.tokens.elements(of: left.index), right.tokens.elements(of: right.index)) {
        guard areEqual((left.tokens, element), (right.tokens, otherElement), work: &work) else { return false }
      }
      return true
    case .object: return areEqualObjects(left, right, work: &work)
    }
  }

  private static func areEqualObjects(_ left: Value, _ right: Value, work: inout Int) -> Bool {
    let others = right.tokens.members(of: right.index)
    for (place, member) in left.tokens.members(of: left.index).enumerated() {
      var found: Int?
      for offset in others.indices {
        work -= 1
        guard work > 0 else { return false }
        // Most often the members have the same order.
        let candidate = others[(place + offset) % others.count]
        if areEqualStrings((left.tokens, member.key), (right.tokens, candidate.key), work: &work) {
          found = candidate.value
          break
        }
      }
      guard let found, areEqual((left.tokens, member.value), (right.tokens, found), work: &work) else { return false }
    }
    return true
  }

  private static func areEqualStrings(_ left: Value, _ right: Value, work: inout Int) -> Bool {
    let (token, other) = (left.tokens[left.index], right.tokens[right.index])
    work -= (token.end - token.start + other.end - other.start) / 32
    guard work > 0 else { return false }
    if left.tokens[left.index].isEscaped || right.tokens[right.index].isEscaped {
      return left.tokens.text(left.index).utf8.elementsEqual(right.tokens.text(right.index).utf8)
    }
    let (range, otherRange) = (left.tokens.plainRange(left.index), right.tokens.plainRange(right.index))
    return range.count == otherRange.count && left.tokens.bytes[range].elementsEqual(right.tokens.bytes[otherRange])
  }

  /// A hash that equal values share, different in each process.
  static func hash(_ tokens: JSONTokens, _ index: Int) -> Int {
    var hasher = Hasher()
    let token = tokens[index]
    switch token.kind {
    case .null: hasher.combine(0)
    case .bool: hasher.combine(token.end - token.start)
    case .string:
      hasher.combine(1)
      if token.isEscaped {
        Array(tokens.text(index).utf8).withUnsafeBytes { hasher.combine(bytes: $0) }
      } else {
        let range = tokens.plainRange(index)
        tokens.bytes.withUnsafeBytes { hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0[range])) }
      }
    case .number:
      let decimal = JSONDecimal(tokens.bytes[token.start..<token.end])
      hasher.combine(decimal)
    case .array:
      hasher.combine(2)
      for element in tokens.elements(of: index) { hasher.combine(hash(tokens, element)) }
    case .object:
      hasher.combine(3)
      // A sum, because the order of members does not matter.
      let sum = tokens.members(of: index).reduce(0) { sum, member in
        var pair = Hasher()
        pair.combine(hash(tokens, member.key))
        pair.combine(hash(tokens, member.value))
        return sum &+ pair.finalize()
      }
      hasher.combine(sum)
    }
    return hasher.finalize()
  }
}

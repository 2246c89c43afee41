extension JSONNode {
  /// Whether two values are equal as JSON: numbers by their exact value, strings by code points, objects whatever the order of their
  /// members (JSON Schema Core §4.2.2). Subtracts the steps taken from `work`, and returns false if none is left.
  ///
  /// Recurses as deep as the values, whose depth the parser limits.
  package func isEqual(to other: JSONNode, work: inout Int) -> Bool {
    work -= 1
    guard kind == other.kind, count == other.count else { return false }
    work -= count
    guard work > 0 else { return false }
    switch kind {
    case .null: return true
    case .bool: return span.count == other.span.count
    case .string: return hasSameText(as: other, work: &work)
    case .number:
      let (source, otherSource) = (document.bytes[span], other.document.bytes[other.span])
      if let small = SmallInteger.read(source), let otherSmall = SmallInteger.read(otherSource) { return small == otherSmall }
      work -= (source.count + otherSource.count) / 16
      guard work > 0 else { return false }
      return JSONDecimal(source) == JSONDecimal(otherSource)
    case .array:
      for (element, otherElement) in zip(children, other.children) {
        guard document.node(element).isEqual(to: other.document.node(otherElement), work: &work) else { return false }
      }
      return true
    case .object: return hasSameMembers(as: other, work: &work)
    }
  }

  private func hasSameMembers(as other: JSONNode, work: inout Int) -> Bool {
    let others = Array(other.children)
    for (place, key) in children.enumerated() {
      var found: Int?
      for offset in others.indices {
        work -= 1
        guard work > 0 else { return false }
        // Most often the members have the same order.
        let candidate = others[(place + offset) % others.count]
        if document.node(key).hasSameText(as: other.document.node(candidate), work: &work) {
          found = candidate + 1
          break
        }
      }
      guard let found, document.node(key + 1).isEqual(to: other.document.node(found), work: &work) else { return false }
    }
    return true
  }

  private func hasSameText(as other: JSONNode, work: inout Int) -> Bool {
    work -= (span.count + other.span.count) / 32
    guard work > 0 else { return false }
    if token.isEscaped || other.token.isEscaped {
      return document.text(index).utf8.elementsEqual(other.document.text(other.index).utf8)
    }
    return document.bytes[span].elementsEqual(other.document.bytes[other.span])
  }

  /// A hash that equal values share, different in each process.
  package var valueHash: Int {
    var hasher = Hasher()
    switch kind {
    case .null: hasher.combine(0)
    case .bool: hasher.combine(span.count)
    case .string:
      hasher.combine(1)
      if token.isEscaped {
        Array(document.text(index).utf8).withUnsafeBytes { hasher.combine(bytes: $0) }
      } else {
        document.bytes.withUnsafeBytes { hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0[token.plainRange])) }
      }
    case .number: hasher.combine(JSONDecimal(document.bytes[span]))
    case .array:
      hasher.combine(2)
      for element in children { hasher.combine(document.node(element).valueHash) }
    case .object:
      hasher.combine(3)
      // A sum, because the order of members does not matter.
      let sum = children.reduce(0) { sum, key in
        var pair = Hasher()
        pair.combine(document.node(key).valueHash)
        pair.combine(document.node(key + 1).valueHash)
        return sum &+ pair.finalize()
      }
      hasher.combine(sum)
    }
    return hasher.finalize()
  }

  private var children: JSONChildren { document.children(of: index) }
}

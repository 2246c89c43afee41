extension JSONNode {
  /// Whether two values are equal as JSON: the order of members, escapes and white space do not matter.
  ///
  /// Numbers are equal if they have the same value, compared exactly if both are integers of 64 bits and else as doubles.
  package func isEqual(to other: JSONNode) -> Bool {
    guard kind == other.kind else { return false }
    switch kind {
    case .null: return true
    case .bool: return bool == other.bool
    case .string: return string.map { Array($0.utf8) } == other.string.map { Array($0.utf8) }
    case .number: return hasSameNumber(as: other)
    case .array:
      let (ours, theirs) = (elements, other.elements)
      return ours.count == theirs.count && zip(ours, theirs).allSatisfy { $0.isEqual(to: $1) }
    case .object:
      let (ours, theirs) = (memberValues, other.memberValues)
      return ours.count == theirs.count
        && ours.allSatisfy { name, value in theirs[name].map { value.isEqual(to: $0) } ?? false }
    }
  }

  /// By bytes: Swift takes texts that look the same for equal, and JSON does not (RFC 8259 §8.3).
  private var memberValues: [[UInt8]: JSONNode] {
    Dictionary(members.map { (Array($0.key.utf8), $0.value) }) { first, _ in first }
  }

  private func hasSameNumber(as other: JSONNode) -> Bool {
    if let ours = int64, let theirs = other.int64 { return ours == theirs }
    if sourceText == other.sourceText { return true }
    guard let ours = double, let theirs = other.double else { return false }
    return ours == theirs
  }
}

import JSON

extension JSONNode {
  /// What the numbers of a row can be: sizes, counts, places, status codes and milliseconds are neither negative nor larger.
  private static let numbers = 0...Double(1 << 53)

  /// The name of the first member with a number that no row can have; nil if there is none. The parser limits the depth.
  func memberBeyondBounds(named name: String = "") -> String? {
    switch kind {
    case .number: double.map(Self.numbers.contains) ?? false ? nil : name
    case .object: memberNodes.lazy.compactMap { $0.value.memberBeyondBounds(named: $0.key.string ?? "") }.first
    case .array: elements.lazy.compactMap { $0.memberBeyondBounds(named: name) }.first
    default: nil
    }
  }
}

import Text

/// A part of the checks, with which several machines share a run: `2/3` is the second of three.
struct CheckShard: Hashable, Sendable {
  /// From 1.
  let number: Int
  /// The number of parts.
  let count: Int

  /// Parses `I/N` with 1 ≤ I ≤ N; nil for anything else, and for more parts than there are flows.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Self.number(parts[0]), let count = Self.number(parts[1]),
      (1...CheckCase.flows.count).contains(count), (1...count).contains(number)
    else { return nil }
    self.number = number
    self.count = count
  }

  /// The part as `I/N`.
  var text: String { "\(number)/\(count)" }

  /// The checks of the part: consecutive flows, in parts whose numbers of flows differ by one at most.
  var cases: [CheckCase] {
    let flows = CheckCase.flows
    return Array(flows[(number - 1) * flows.count / count..<number * flows.count / count].joined())
  }

  private static func number(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { ASCII.isDigit($0) } ? Int(text) : nil
  }
}

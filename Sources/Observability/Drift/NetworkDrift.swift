import Text

/// A difference between an exchange and the API description that it is compared with. Contains no value of the exchange.
package struct NetworkDrift: Codable, Hashable, Sendable {
  /// The message that differs.
  package enum Side: String, Codable, CaseIterable, Sendable {
    case request, response
  }

  /// The kind of difference.
  package enum Kind: String, Codable, CaseIterable, Sendable {
    /// The message lacks a part that the description requires.
    case missing
    /// The message has a part that the description lacks: an operation, a status, a media type or a member.
    case undocumented
    /// Both have it, but the message's value does not fit.
    case invalid
  }

  /// The most differences in a row; `drift_count` is the number of all.
  package static let rowLimit = 20

  /// The message.
  package let side: Side
  /// The place: a JSON Pointer (RFC 6901) into the body, or the place that the comparison names for other parts. Redacted.
  package internal(set) var pointer: String
  /// The description's requirement, in a few words.
  package internal(set) var expected: String
  /// The message's part, in a few words without its value.
  package internal(set) var got: String
  /// The kind of difference.
  package let kind: Kind

  package init(side: Side, pointer: String, expected: String, got: String, kind: Kind) {
    self.side = side
    self.pointer = pointer
    self.expected = expected
    self.got = got
    self.kind = kind
  }

  private enum CodingKeys: String, CodingKey {
    case pointer, expected, got, kind
    case side = "where"
  }

  /// The same difference in any element: `*` replaces the positions in arrays.
  var generalized: NetworkDrift {
    var drift = self
    drift.pointer = pointer.split(separator: "/", omittingEmptySubsequences: false)
      .map { !$0.isEmpty && $0.utf8.allSatisfy { ASCII.isDigit($0) } ? "*" : String($0) }.joined(separator: "/")
    return drift
  }

  /// Whether the filter `drift:missing` selects it: a part is missing on one side.
  package var isMissing: Bool { kind != .invalid }

  /// The first occurrence of each difference, regardless of the element; at most `rowLimit`.
  package static func distinct(_ all: [NetworkDrift]) -> [NetworkDrift] {
    var seen: Set<NetworkDrift> = []
    var kept: [NetworkDrift] = []
    for drift in all where seen.insert(drift.generalized).inserted {
      kept.append(drift)
      if kept.count == rowLimit { break }
    }
    return kept
  }
}

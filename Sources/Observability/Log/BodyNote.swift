/// Why a row shows no body.
package enum BodyNote: String, Codable, CaseIterable, Sendable {
  /// The endpoint's bodies may not be kept.
  case notKept = "not kept"
  /// It may be kept, but is no JSON that could be redacted with certainty.
  case unreadable = "not kept: not JSON"
  /// It is too large to be kept.
  case tooLarge = "not kept: too large"
  /// It was kept, and gave way to later ones.
  case dropped = "dropped"
}

/// The number of secrets of one kind that were masked in one part of an attempt.
package struct Redaction: Codable, Equatable, Hashable, Sendable {
  /// A part of an attempt.
  package enum Place: String, Codable, CaseIterable, Sendable {
    case url
    case requestHeaders = "request.headers"
    case requestBody = "request.body"
    case responseHeaders = "response.headers"
    case responseBody = "response.body"
    case error
  }

  /// The part.
  package let place: Place
  /// The kind of secret.
  package let kind: SecretKind
  /// The number of occurrences.
  package let count: Int

  private enum CodingKeys: String, CodingKey {
    case kind, count
    case place = "where"
  }

  /// The counts of one part, in a stable order.
  package static func list(_ counts: [SecretKind: Int], in place: Place) -> [Redaction] {
    SecretKind.allCases.compactMap { kind in counts[kind].map { Redaction(place: place, kind: kind, count: $0) } }
  }
}

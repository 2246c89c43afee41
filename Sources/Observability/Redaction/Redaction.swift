/// How many secrets of a kind were taken out of one part of an attempt.
package struct Redaction: Codable, Equatable, Hashable, Sendable {
  /// The parts of an attempt.
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
  /// What was taken out.
  package let kind: SecretKind
  /// How often.
  package let count: Int

  private enum CodingKeys: String, CodingKey {
    case kind, count
    case place = "where"
  }

  /// The counts of one part in a steady order.
  static func list(_ counts: [SecretKind: Int], in place: Place) -> [Redaction] {
    SecretKind.allCases.compactMap { kind in counts[kind].map { Redaction(place: place, kind: kind, count: $0) } }
  }
}

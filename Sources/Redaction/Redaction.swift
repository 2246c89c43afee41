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
  package let kind: SecretKind
  /// The number of occurrences, of which a message has fewer than bytes.
  package let count: Int

  private static let counts = 0...Redactor.maximumBodyBytes

  private enum CodingKeys: String, CodingKey {
    case kind, count
    case place = "where"
  }

  package init(place: Place, kind: SecretKind, count: Int) {
    self.place = place
    self.kind = kind
    self.count = count
  }

  /// Decodes it; throws `DecodingError.dataCorrupted` for a count that no message can have.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    place = try container.decode(Place.self, forKey: .place)
    kind = try container.decode(SecretKind.self, forKey: .kind)
    count = try container.decode(Int.self, forKey: .count)
    guard Self.counts.contains(count) else {
      throw DecodingError.dataCorruptedError(forKey: .count, in: container, debugDescription: "not a count of a message")
    }
  }

  /// The counts of one part, in a stable order.
  package static func list(_ counts: [SecretKind: Int], in place: Place) -> [Redaction] {
    SecretKind.allCases.compactMap { kind in counts[kind].map { Redaction(place: place, kind: kind, count: $0) } }
  }
}

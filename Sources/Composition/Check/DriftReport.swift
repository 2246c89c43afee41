package import Console
import Observability

/// How the exchanges of a run differ from the OpenAPI document.
package struct DriftReport: Hashable, Encodable, Sendable {
  package let document: DriftDetector.Document
  /// The number of exchanges that were compared.
  package let compared: UInt64
  /// The number of them that differ.
  package let drifted: UInt64
  /// The number of exchanges that were not compared, because too many waited.
  package let dropped: UInt64
  /// The differences by endpoint.
  package let endpoints: [DriftEndpointBody]
  /// The number of differences that are not listed, because there are too many.
  package let unlisted: Int
  /// Whether differences are allowed, so that they do not fail the run.
  package let isAllowed: Bool

  private enum CodingKeys: String, CodingKey {
    case document, compared, drifted, dropped, endpoints, unlisted
    case isAllowed = "allowed"
  }

  /// Whether no exchange differs.
  package var isEmpty: Bool { endpoints.isEmpty }
  /// Whether its differences let the run pass.
  package var hasPassed: Bool { isEmpty || isAllowed }

  init(_ file: OpenAPIFile, _ summary: DriftSummary, _ counts: ExchangeComparer.Counts, isAllowed: Bool) {
    document = DriftDetector.Document(file.contract, source: file.path)
    compared = counts.compared
    drifted = counts.drifted
    dropped = counts.dropped
    endpoints = summary.endpoints.map(DriftEndpointBody.init)
    unlisted = summary.unlisted
    self.isAllowed = isAllowed
  }
}

extension DriftEndpointBody.Difference {
  /// The difference in one line, without its count.
  var text: String {
    let place = pointer.isEmpty ? "" : " \(pointer)"
    return "\(side.rawValue)\(place): expected \(expected), got \(got)"
  }
}

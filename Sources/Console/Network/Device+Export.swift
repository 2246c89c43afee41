import Client
import Domain
import JSON
import Observability

extension Device {
  /// The data of a bundle beside the rows.
  func surroundings() async throws -> ExportBundle.Surroundings {
    let state = await client.session.state
    return ExportBundle.Surroundings(
      version: version, createdAt: Timestamp(time.wall()), backend: backend.origin, isEmbedded: backend.embedded != nil,
      session: state.phase.rawValue, dropped: log.rows(filter: .none).dropped, timeline: timeline.entries,
      faults: try maskedFaults())
  }

  /// The fault rules as JSON; a person writes their names, so known secrets are masked.
  private func maskedFaults() throws -> [UInt8] {
    let text = String(decoding: try JSONCoding.encode(faultRules, keys: .snakeCase), as: UTF8.self)
    return Array(secrets.mask(text, context: .authentication).text.utf8)
  }
}

extension NetworkFilter {
  /// Selects a single row, for a caller that only needs the counts.
  fileprivate static var none: NetworkFilter {
    var filter = NetworkFilter()
    filter.limit = 1
    return filter
  }
}

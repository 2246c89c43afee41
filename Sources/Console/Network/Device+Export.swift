import Client
import Domain
import JSON
import Observability

extension Device {
  /// What a bundle tells beside the rows.
  func surroundings() async throws -> ExportBundle.Surroundings {
    let state = await client.session.state
    return ExportBundle.Surroundings(
      version: version, createdAt: Timestamp(time.wall()), backend: backend.origin, isEmbedded: backend.embedded != nil,
      session: state.phase.rawValue, dropped: log.rows(filter: .none).dropped, timeline: timeline.entries,
      faults: try maskedFaults())
  }

  /// The armed rules as JSON; their names are a person's own words, so what is known to be secret is masked in them.
  private func maskedFaults() throws -> [UInt8] {
    let text = String(decoding: try JSONCoding.encode(faultRules, keys: .snakeCase), as: UTF8.self)
    return Array(secrets.mask(text, context: .authentication).text.utf8)
  }
}

extension NetworkFilter {
  /// Asks for a single row, where only what stands beside the rows matters.
  fileprivate static var none: NetworkFilter {
    var filter = NetworkFilter()
    filter.limit = 1
    return filter
  }
}

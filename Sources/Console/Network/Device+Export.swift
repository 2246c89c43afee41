import Client
import Domain
import JSON
package import Observability

extension Device {
  /// The data of a bundle beside the rows.
  package func surroundings() async throws -> ExportBundle.Surroundings {
    let state = await client.session.state
    return ExportBundle.Surroundings(
      version: version, createdAt: Timestamp(time.wall()), backend: backend.origin, isEmbedded: backend.embedded != nil,
      session: state.phase.rawValue, dropped: log.rows(filter: .none).dropped,
      timeline: timeline.entries.map { entry in
        // A person writes the names of faults.
        entry.maskingName { secrets.mask($0, context: .authentication).text }
      }, faults: try maskedFaults())
  }

  /// The fault rules as JSON, redacted; a person writes their names, so known secrets are masked there too.
  package func maskedFaults() throws -> [UInt8] {
    let redactor = Redactor(registry: secrets)
    let rules = faultRules.map { $0.redacted(by: redactor) }
    let text = String(decoding: try JSONCoding.encode(rules, keys: .snakeCase), as: UTF8.self)
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

import Client
import Domain
import JSON
package import Observability
import Redaction

extension Device {
  /// The data of a bundle in addition to the rows.
  package func surroundings() async throws -> ExportBundle.Surroundings {
    let state = await client.session.state
    return ExportBundle.Surroundings(
      version: version, createdAt: Timestamp(time.wall()), backend: backend.origin, isEmbedded: backend.embedded != nil,
      session: state.phase.rawValue, dropped: log.rows(filter: .none).dropped,
      timeline: timeline.entries.map { entry in
        // People write the names of faults.
        entry.maskingName { secrets.mask($0, context: .authentication).text }
      }, faults: try maskedFaults())
  }

  /// The maximum number of bytes of evicted bodies that an export reads again.
  private static let exportedBodyLimit = 64 << 20

  /// The rows of a selection, with the bodies that were evicted from memory, and with those rows of `ids` that only the disk
  /// still has.
  ///
  /// Throws `Problem.savedLogUnavailable`.
  func rows(_ selection: ExportSelection, ids: Set<String>?) async throws -> [NetworkRowDetail] {
    guard let savedLog else { return selection.rows }
    var rows = selection.rows
    var left = Self.exportedBodyLimit
    for index in rows.indices where rows[index].lacksBody && left > 0 {
      guard let saved = try await savedLog.attempt(id: rows[index].row.id) else { continue }
      left -= saved.bodyBytes
      rows[index] = saved
    }
    let known = Set(rows.lazy.map(\.row.id))
    for id in ids ?? [] where !known.contains(id) && left > 0 {
      guard let saved = try await savedLog.attempt(id: id) else { continue }
      left -= saved.bodyBytes
      rows.append(saved)
    }
    return rows.sorted { $0.row.seq < $1.row.seq }
  }

  /// The fault rules as JSON, redacted; known secrets are also masked in their names, which people write.
  package func maskedFaults() throws -> [UInt8] {
    let redactor = Redactor(registry: secrets)
    let rules = faultRules.map { $0.redacted(by: redactor) }
    let text = String(decoding: try JSONCoding.encode(rules, keys: .snakeCase), as: UTF8.self)
    return Array(secrets.mask(text, context: .authentication).text.utf8)
  }
}

extension NetworkRowDetail {
  /// The bytes of both bodies.
  fileprivate var bodyBytes: Int { (request.body?.utf8.count ?? 0) + (response?.body?.utf8.count ?? 0) }
}

extension NetworkFilter {
  /// Selects a single row, for a caller that only needs the counts.
  fileprivate static var none: NetworkFilter {
    var filter = NetworkFilter()
    filter.limit = 1
    return filter
  }
}

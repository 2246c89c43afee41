import GRDB
package import Server

extension ReferenceBackend {
  /// What of the backend could grow, with its limits.
  package func bounds() async -> [Bound] {
    let sends = try? await services.database.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM login_send") }
    return [
      Bound("embedded_messages", limit: Inbox.capacity, used: inbox.count),
      Bound("embedded_rate_limit_keys", limit: SendLimit.capacity, used: sends.flatMap { $0 } ?? 0),
      Bound("embedded_body_bytes", limit: Self.bodyLimit),
    ]
  }
}

import GRDB
package import Server

extension ReferenceBackend {
  /// What of the backend could grow, with its limits.
  package func bounds() async -> [Bound] {
    let sends = try? await services.database.read { db in try SendLimit.counts(db) }
    return [
      Bound("embedded_messages", limit: Inbox.capacity, used: inbox.count),
      Bound("embedded_rate_limit_keys", limit: SendLimit.capacity, used: sends?.total ?? 0),
      Bound("embedded_rate_limit_keys_of_a_client", limit: SendLimit.sendsPerAddress, used: sends?.largestAddress ?? 0),
      Bound("embedded_signatures", limit: SignatureReplayCache.capacity, used: signature?.replays.count ?? 0),
      Bound("embedded_body_bytes", limit: Self.bodyLimit),
    ]
  }
}

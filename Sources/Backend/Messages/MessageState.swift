import JSON
import Storage

/// Whether the link and the code of a message still work.
package enum MessageState: String, Codable, CaseIterable, Sendable {
  case live
  /// One of them was redeemed, which ends both.
  case used
  /// Its code was entered wrong too often; a link still works.
  case blocked
  /// A newer message to the same identifier replaced it.
  case replaced
  case expired
}

extension ReferenceBackend {
  /// Returns the states of messages by their ids; throws `database`.
  package func states(of messages: [InboxMessage]) async throws(BackendStartError) -> [String: MessageState] {
    let now = clock.now
    var newest: [String: String] = [:]
    for message in await inbox.messages(to: Set(messages.map(\.to))) { newest[message.to] = message.id }
    let open = messages.filter { $0.expiresAt > now && newest[$0.to] == $0.id }
    let attempts: [String: Int64]
    do {
      attempts = try await services.storage.read { transaction in
        var attempts: [String: Int64] = [:]
        for message in open {
          let row = try transaction.first(
            "SELECT attempts FROM login_challenge WHERE identifier = ? AND expires_at > ?", message.to, now.milliseconds)
          attempts[message.id] = try row?.integer("attempts")
        }
        return attempts
      }
    } catch {
      throw .database(DatabaseFault.description(of: error))
    }
    return Dictionary(
      messages.map { message in
        let state: MessageState =
          if message.expiresAt <= now { .expired } else if newest[message.to] != message.id { .replaced } else {
            switch attempts[message.id] {
            case nil: .used
            case let count? where count >= Lifetimes.codeAttempts && message.code != nil: .blocked
            default: .live
            }
          }
        return (message.id, state)
      }, uniquingKeysWith: { $1 })
  }
}

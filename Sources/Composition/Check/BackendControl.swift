import Backend

/// What a check can do with its backend beside calling it: read what was sent, and move the clock.
struct BackendControl: Sendable {
  /// What somebody was sent.
  struct Message: Sendable {
    let id: String
    let link: String?
    let code: String?
  }

  /// The messages to an identifier, oldest first, after the one of the id; waits up to 10 s for one. Throws `CheckStop`.
  var messages: @Sendable (_ identifier: String, _ after: String?) async throws(CheckStop) -> [Message]
  /// Moves the clock forward. Throws `CheckStop`.
  var advance: @Sendable (_ seconds: Int) async throws(CheckStop) -> Void

  /// How long a message is waited for, in seconds.
  private static let messageTimeout = 10

  /// The embedded backend's.
  static func embedded(_ backend: ReferenceBackend) -> BackendControl {
    BackendControl(
      messages: { identifier, after throws(CheckStop) in
        await backend.inbox.messages(to: [identifier], after: after, wait: .seconds(messageTimeout))
          .map { Message(id: $0.id, link: $0.link, code: $0.code) }
      },
      advance: { seconds throws(CheckStop) in
        do throws(BackendError) { try await backend.clock.advance(seconds: seconds) } catch {
          throw .failed("the embedded backend's clock cannot be advanced")
        }
      })
  }

  /// That of `understudy backend` with `--dev-token-file`.
  static func developer(_ client: DeveloperAPIClient) -> BackendControl {
    BackendControl(
      messages: { identifier, after throws(CheckStop) in
        try await client.messages(to: identifier, after: after, wait: messageTimeout)
          .map { Message(id: $0.id, link: $0.link, code: $0.code) }
      },
      advance: { seconds throws(CheckStop) in try await client.advance(seconds: seconds) })
  }
}

import Backend

/// What a check can do with its backend besides calling it: read sent messages and advance the clock.
struct BackendControl: Sendable {
  /// A sent message.
  struct Message: Sendable {
    let id: String
    let link: String?
    let code: String?
  }

  /// The messages to an identifier after the one with the id, oldest first; waits at most 10 s for one. Throws `CheckStop`.
  var messages: @Sendable (_ identifier: String, _ after: String?) async throws(CheckStop) -> [Message]
  /// Advances the clock. Throws `CheckStop`.
  var advance: @Sendable (_ seconds: Int) async throws(CheckStop) -> Void

  /// How long to wait for a message, in seconds.
  private static let messageTimeout = 10

  /// Controls the embedded backend.
  static func embedded(_ backend: ReferenceBackend) -> BackendControl {
    BackendControl(
      messages: { identifier, after throws(CheckStop) in
        await backend.inbox.messages(to: [identifier], after: after, wait: .seconds(messageTimeout))
          .map { Message(id: $0.id, link: $0.link, code: $0.code) }
      },
      advance: { seconds throws(CheckStop) in
        do throws(BackendStartError) { try await backend.clock.advance(seconds: seconds) } catch {
          throw .failed("the embedded backend's clock cannot be advanced")
        }
      })
  }

  /// Controls `understudy backend` with `--dev-token-file`.
  static func developer(_ client: DeveloperAPIClient) -> BackendControl {
    BackendControl(
      messages: { identifier, after throws(CheckStop) in
        try await client.messages(to: identifier, after: after, wait: messageTimeout)
          .map { Message(id: $0.id, link: $0.link, code: $0.code) }
      },
      advance: { seconds throws(CheckStop) in try await client.advance(seconds: seconds) })
  }
}

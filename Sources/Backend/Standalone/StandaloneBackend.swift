import HTTPTypes
import JSON
import RPC
package import Server
import Vault
import Wire

/// A backend that listens by itself, with what only such a one has: the page that its links lead to, and `/dev/*` for whoever
/// holds the developers' token. Without a token, or with another, nothing under `/dev/` is there.
package struct StandaloneBackend: Sendable {
  /// The backend.
  let backend: ReferenceBackend
  /// What `Authorization: Bearer` must say; nil for no `/dev/*`.
  let developerToken: String?

  /// Puts the developers' routes in front of a backend.
  package init(_ backend: ReferenceBackend, developerToken: String?) {
    self.backend = backend
    self.developerToken = developerToken
  }

  /// Where a link leads.
  static let callbackPath = "/callback"

  /// The page that a link of this backend's leads to: it does nothing, as the token stays in the browser.
  static let callbackPage = """
    <!doctype html>
    <html lang="en"><meta charset="utf-8"><title>Sign in</title>
    <p>Open this link in the app that asked for it. This page changed nothing; the link is still good.</p>
    </html>

    """

  /// Answers a call, the page, or a developer.
  package func respond(_ request: Request) async -> Response {
    if request.path == Self.callbackPath { return Self.page(request.method) }
    guard request.path.hasPrefix("/dev/") else { return await backend.respond(request) }
    let head = CallHead(method: request.method, path: request.path, query: request.query, fields: request.headers)
    do {
      guard let developerToken, let token = head.bearerToken,
        constantTimeEquals(SHA256Digest.hash(Array(token.utf8)), SHA256Digest.hash(Array(developerToken.utf8)))
      else { throw BackendFailure.notFound }
      return try await developer(head, request.body).response(to: head)
    } catch {
      return (error as? BackendFailure ?? .unavailable).response(to: head)
    }
  }

  private static func page(_ method: HTTPRequest.Method) -> Response {
    guard method == .get || method == .head else { return .methodNotAllowed(allow: [.get, .head]) }
    var response = Response(status: .ok, body: .bytes(Array(callbackPage.utf8)))
    response.headers[.contentType] = "text/html; charset=utf-8"
    response.headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
    response.headers[.cacheControl] = "no-store"
    return response
  }

  private func developer(_ head: CallHead, _ body: RequestBody) async throws -> Answer {
    let isRead = head.method == .get || head.method == .head
    switch (head.path, head.method) {
    case ("/dev/inbox", _) where isRead: return try await inbox(head)
    case ("/dev/limits", _) where isRead: return try .json(try await backend.limitsState())
    case ("/dev/clock", .post): return try await clock(head, body)
    case ("/dev/limits", .post): return try await limits(head, body)
    case ("/dev/inbox", _): throw BackendFailure.methodNotAllowed([.get, .head])
    case ("/dev/limits", _): throw BackendFailure.methodNotAllowed([.get, .head, .post])
    case ("/dev/clock", _): throw BackendFailure.methodNotAllowed([.post])
    default: throw BackendFailure.notFound
    }
  }

  private struct InboxBody: Encodable {
    let messages: [InboxMessage]
    let serverTime: Timestamp
  }

  /// `GET /dev/inbox?to=&after=&wait=`: `wait` in seconds, 0 to 30, holds the answer until a message arrives.
  private func inbox(_ head: CallHead) async throws -> Answer {
    let call = Call(request: head, body: [], now: backend.clock.now)
    var recipients: Set<String>?
    if let to = try call.parameter("to") {
      guard let identifier = LoginIdentifier(to) else { throw BackendFailure.invalidIdentifier }
      recipients = [identifier.text]
    }
    var wait = 0
    if let text = try call.parameter("wait") {
      guard (1...2).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }), let seconds = Int(text),
        seconds <= 30
      else { throw BackendFailure.invalidRequest("wait is not 0 to 30.") }
      wait = seconds
    }
    let messages = await backend.inbox.messages(to: recipients, after: try call.parameter("after"), wait: .seconds(wait))
    let body = InboxBody(messages: messages, serverTime: backend.clock.now)
    return Answer(status: .ok, body: try JSONCoding.encode(body, keys: .snakeCase))
  }

  private struct ClockRequest: Decodable {
    let advanceSeconds: Int?
    let reset: Bool?
  }

  private struct ClockBody: Encodable {
    let offsetSeconds: Int
    let now: Timestamp
  }

  /// `POST /dev/clock` `{advance_seconds}` or `{reset:true}`.
  private func clock(_ head: CallHead, _ body: RequestBody) async throws -> Answer {
    let asked = try await Self.body(ClockRequest.self, head, body)
    switch (asked.advanceSeconds, asked.reset) {
    case (let seconds?, nil):
      do throws(BackendError) { try await backend.clock.advance(seconds: seconds) } catch {
        throw error == .clockOutOfRange
          ? BackendFailure.invalidRequest("The clock goes forward by 1 second to 400 days.") : .unavailable
      }
    case (nil, true): try await backend.clock.reset()
    default: throw BackendFailure.invalidRequest("Either advance_seconds or reset is needed.")
    }
    let told = ClockBody(offsetSeconds: Int(clamping: backend.clock.offset.components.seconds), now: backend.clock.now)
    return Answer(status: .ok, body: try JSONCoding.encode(told, keys: .snakeCase))
  }

  private struct LimitsRequest: Decodable {
    let mode: String?
    let reset: Bool?
  }

  /// `POST /dev/limits` `{mode}` or `{reset:true}`; answers what is counted then.
  private func limits(_ head: CallHead, _ body: RequestBody) async throws -> Answer {
    let asked = try await Self.body(LimitsRequest.self, head, body)
    switch (asked.mode, asked.reset) {
    case (let text?, nil):
      guard let mode = LimitsMode(rawValue: text) else { throw BackendFailure.invalidRequest("mode is prod, relaxed or off.") }
      backend.limits = mode
    case (nil, true): try await backend.resetLimits()
    default: throw BackendFailure.invalidRequest("Either mode or reset is needed.")
    }
    return try .json(try await backend.limitsState())
  }

  private static func body<T: Decodable>(_ type: T.Type, _ head: CallHead, _ body: RequestBody) async throws -> T {
    guard head.isJSON else { throw BackendFailure.unsupportedMediaType }
    do {
      return try JSONCoding.decode(type, from: try await body.collect(upTo: 65_536), keys: .snakeCase)
    } catch {
      switch error as? BodyError {
      case .tooLarge: throw BackendFailure.payloadTooLarge
      case .overBudget: throw BackendFailure.unavailable
      default: throw BackendFailure.invalidRequest("The body cannot be read.")
      }
    }
  }
}

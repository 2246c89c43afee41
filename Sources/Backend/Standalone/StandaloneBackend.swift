import HTTPTypes
import JSON
package import Server
import Text
import Vault

/// The routes that only `understudy backend` serves: the page that sign-in links open, and `/dev/*` for callers with the
/// developer token. Without the right token, every path below `/dev/` responds with 404.
package struct StandaloneBackend: Sendable {
  private let backend: ReferenceBackend
  /// The token that `/dev/*` requires; nil to disable `/dev/*`.
  private let developerToken: String?

  package init(_ backend: ReferenceBackend, developerToken: String?) {
    self.backend = backend
    self.developerToken = developerToken
  }

  /// The path of sign-in links.
  static let callbackPath = "/callback"

  /// The page that a sign-in link opens in a browser; the token in the fragment is not sent, so the link stays valid.
  private static let callbackPage = """
    <!doctype html>
    <html lang="en"><meta charset="utf-8"><title>Sign in</title>
    <p>Open this link in the app that requested it. Opening this page did not use the link.</p>
    </html>

    """

  package func respond(_ request: Request) async -> Response {
    if request.path == Self.callbackPath { return Self.page(request.method) }
    guard request.path.hasPrefix("/dev/") else { return await backend.respond(request) }
    let head = CallHead(method: request.method, path: request.path, query: request.query, fields: request.headers)
    do {
      guard let developerToken, let token = head.bearerToken,
        constantTimeEquals(SHA256Digest.hash(token), SHA256Digest.hash(developerToken))
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
    try await backend.services.catchUp()
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

  /// `GET /dev/inbox?to=&after=&wait=`: responds at once, or waits up to `wait` seconds (0 to 30) for a message.
  private func inbox(_ head: CallHead) async throws -> Answer {
    let call = BackendCall(request: head, body: [], now: backend.clock.now)
    var recipients: Set<String>?
    if let to = try call.parameter("to") {
      guard let identifier = LoginIdentifier(to) else { throw BackendFailure.invalidIdentifier }
      recipients = [identifier.text]
    }
    var wait = 0
    if let text = try call.parameter("wait") {
      guard (1...2).contains(text.utf8.count), text.utf8.allSatisfy({ ASCII.isDigit($0) }), let seconds = Int(text),
        seconds <= 30
      else { throw BackendFailure.invalidRequest("wait must be 0 to 30.") }
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
    let request = try await Self.body(ClockRequest.self, head, body)
    switch (request.advanceSeconds, request.reset) {
    case (let seconds?, nil):
      do throws(BackendStartError) { try await backend.clock.advance(seconds: seconds) } catch {
        throw error == .clockOutOfRange
          ? BackendFailure.invalidRequest("The clock can be advanced by 1 second to 400 days.") : .unavailable
      }
    case (nil, true): try await backend.clock.reset()
    default: throw BackendFailure.invalidRequest("Either advance_seconds or reset is required.")
    }
    let state = ClockBody(offsetSeconds: Int(clamping: backend.clock.offset.components.seconds), now: backend.clock.now)
    return Answer(status: .ok, body: try JSONCoding.encode(state, keys: .snakeCase))
  }

  private struct LimitsRequest: Decodable {
    let mode: String?
    let reset: Bool?
  }

  /// `POST /dev/limits` `{mode}` or `{reset:true}`; responds with the new state.
  private func limits(_ head: CallHead, _ body: RequestBody) async throws -> Answer {
    let request = try await Self.body(LimitsRequest.self, head, body)
    switch (request.mode, request.reset) {
    case (let text?, nil):
      guard let mode = LimitsMode(rawValue: text) else {
        throw BackendFailure.invalidRequest("mode must be prod, relaxed or off.")
      }
      try await backend.setLimits(mode)
    case (nil, true): try await backend.resetLimits()
    default: throw BackendFailure.invalidRequest("Either mode or reset is required.")
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

/// Why the backend could not start, or its clock could not be set; no case contains a secret.
package enum BackendStartError: Error, Equatable, Sendable {
  /// The configuration contradicts itself; the text describes the change to make.
  case configuration(String)
  /// The database could not be opened, migrated or written; the text is for the log.
  case database(String)
  /// The data of the database that backends share belongs to another key.
  case foreignKey
  /// The certificate could not be read, created or stored; the text is for the log.
  case certificate(String)
  /// The listener could not be started; the text is for the log.
  case listener(String)
  /// The clock can be advanced by 1 s to 400 days at a time, and by 100 years in total.
  case clockOutOfRange
}

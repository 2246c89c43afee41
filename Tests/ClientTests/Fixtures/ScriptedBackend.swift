import Client
import FoundationEssentials
import HTTPTypes
import JSON
import RPC
import Locking

/// A backend behind a `Transport` value that issues, checks and rotates tokens, and counts.
final class ScriptedBackend: Sendable {
  typealias Handler = @Sendable (TransportRequest) async throws(TransportError) -> TransportResponse

  struct State {
    var issued = 0
    var validAccess: Set<String> = []
    var validRefresh: Set<String> = []
    var requests: [TransportRequest] = []
    var handlers: [String: Handler] = [:]
    var accessLifetime = 900
    /// The `expires_at` to send; nil to send none.
    var expiresAt: Date?
  }

  let state = Locked(State())

  /// The transport for the client.
  var transport: Transport {
    Transport { request throws(TransportError) in
      let handler = self.state.withLock { state in
        state.requests.append(request)
        return state.handlers[Self.path(request)]
      }
      if let handler { return try await handler(request) }
      return self.answer(request)
    }
  }

  /// Replaces the handler of a path.
  func on(_ path: String, _ handler: @escaping Handler) { state.withLock { $0.handlers[path] = handler } }

  /// Holds every refresh at a gate from now on, and returns the gate.
  func gateRefreshes() -> Gate {
    let gate = Gate()
    on(AuthEndpoints.RefreshTokens.path) { [self] request throws(TransportError) in
      await gate.pass()
      return refresh(request)
    }
    return gate
  }

  /// Returns one outcome after the other for a path, then the default response.
  func script(_ path: String, _ outcomes: [Result<TransportResponse, TransportError>]) {
    let rest = Locked(outcomes)
    on(path) { request throws(TransportError) in
      let next = rest.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      return try next?.get() ?? self.answer(request)
    }
  }

  /// Restores the default handler of a path.
  func reset(_ path: String) { state.withLock { $0.handlers[path] = nil } }

  /// Expires every access token.
  func expireAccessTokens() { state.withLock { $0.validAccess = [] } }

  /// The requests of a path, in order.
  func requests(_ path: String) -> [TransportRequest] {
    state.withLock { $0.requests.filter { Self.path($0) == path } }
  }

  /// The number of refreshes.
  var refreshes: Int { requests(AuthEndpoints.RefreshTokens.path).count }

  /// A new pair, valid from now on.
  func issue() -> TokenPair {
    let (number, lifetime, expiresAt) = state.withLock { state in
      state.issued += 1
      state.validAccess.insert("access-\(state.issued)")
      state.validRefresh.insert("refresh-\(state.issued)")
      return (state.issued, state.accessLifetime, state.expiresAt)
    }
    return TokenPair(
      accessToken: "access-\(number)", refreshToken: "refresh-\(number)", expiresIn: lifetime,
      expiresAt: expiresAt.map { Timestamp($0) }, refreshExpiresIn: 1_209_600,
      refreshExpiresAt: nil, sessionID: "session", profile: nil)
  }

  /// Exchanges a refresh token for a new pair, or rejects it.
  func refresh(_ request: TransportRequest) -> TransportResponse {
    guard let body = try? JSONCoding.decode(RefreshRequest.self, from: request.body ?? []) else {
      return Self.error(400, "invalid_request")
    }
    let isKnown = state.withLock { state in
      state.validAccess = []
      return state.validRefresh.remove(body.refreshToken) != nil
    }
    return isKnown ? Self.json(issue()) : Self.error(401, BackendErrorCode.refreshTokenReused)
  }

  /// The default response to a request.
  func answer(_ request: TransportRequest) -> TransportResponse {
    switch Self.path(request) {
    case AuthEndpoints.RefreshTokens.path:
      return refresh(request)
    case AuthEndpoints.LoginWithCode.path, AuthEndpoints.LoginWithMagicToken.path:
      return Self.json(issue())
    case AuthEndpoints.RequestLoginCode.path, AuthEndpoints.RequestMagicLink.path:
      return Self.json(LoginMessageReceipt(cooldownSeconds: 30, expiresInSeconds: 600))
    default:
      let token = (request.headers[.authorization] ?? "").dropFirst("Bearer ".count)
      let isValid = state.withLock { $0.validAccess.contains(String(token)) }
      return isValid ? Self.json(Self.me) : Self.error(401, BackendErrorCode.accessTokenExpired)
    }
  }

  static let me = MeBody(
    userID: "u1", accountID: "a1", email: "someone@example.org", phone: nil, displayName: nil, roles: nil, activeProfileID: nil,
    profiles: nil, createdAt: Timestamp(Date(timeIntervalSince1970: 1_700_000_000)), deletionScheduledFor: nil)

  /// A configuration.
  static func config(hasLogout: Bool = false) -> AppConfigBody {
    AppConfigBody(
      defaultLanguageCode: "en", supportedLanguages: [],
      features: .init(
        loginCode: true, analyticsOptOut: true, developerTools: true, accountDeletion: true, logoutEndpoint: hasLogout,
        idempotencyKeys: true), auth: .init(cooldownSeconds: 5, codeLength: 6, trustedLinkHosts: []),
      networkLog: .init(capacity: 100), session: .init(refreshMarginSeconds: 60))
  }

  static func json(_ value: some Encodable, status: Int = 200, headers: HTTPFields = [:]) -> TransportResponse {
    TransportResponse(status: status, headers: headers, body: (try? JSONCoding.encode(value)) ?? [])
  }

  static func error(_ status: Int, _ code: String, headers: HTTPFields = [:]) -> TransportResponse {
    json(BackendErrorBody(code: code, message: "", requestID: nil), status: status, headers: headers)
  }

  /// A response with a JSON text as its body.
  static func text(_ status: Int, _ text: String, headers: HTTPFields = [:]) -> TransportResponse {
    TransportResponse(status: status, headers: headers, body: Array(text.utf8))
  }

  static func path(_ request: TransportRequest) -> String {
    let rest = request.url.dropFirst("https://backend.test:8443".count)
    return String(rest.prefix { $0 != "?" })
  }
}

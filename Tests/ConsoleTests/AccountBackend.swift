import Client
import FoundationEssentials
import HTTPTypes
import JSON
import RPC
import Locking

/// A scripted backend behind a `Transport`, with one account; a test can replace each answer.
final class AccountBackend: Sendable {
  typealias Handler = @Sendable (TransportRequest) async throws(TransportError) -> TransportResponse

  struct State {
    var profiles: [ProfileBody] = [AccountBackend.profile("en")]
    var activeProfileID: String? = "profile-en"
    var deletionScheduledFor: Timestamp?
    var roles: [String]? = ["user"]
    var features = Features()
    var capacity = 2000
    var handlers: [String: Handler] = [:]
    var requests: [TransportRequest] = []
  }

  struct Features {
    var analyticsOptOut = true
    var developerTools = true
    var accountDeletion = true
  }

  static let origin = "https://backend.test:8443"
  static let deletionInstant = Timestamp(Date(timeIntervalSince1970: 1_900_000_000))

  let state = Locked(State())

  /// The transport for a device's client.
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

  /// Replaces the answer of a path; nil restores it.
  func on(_ path: String, _ handler: Handler?) { state.withLock { $0.handlers[path] = handler } }

  /// The requests of a path, in order.
  func requests(_ path: String) -> [TransportRequest] { state.withLock { $0.requests.filter { Self.path($0) == path } } }

  /// The answer of the backend unless it was replaced.
  func answer(_ request: TransportRequest) -> TransportResponse {
    switch Self.path(request) {
    case AuthEndpoints.LoginWithCode.path, AuthEndpoints.LoginWithMagicToken.path, AuthEndpoints.RefreshTokens.path:
      return Self.json(
        TokenPair(
          accessToken: "access", refreshToken: "refresh", expiresIn: 900, expiresAt: nil,
          refreshExpiresIn: 1_209_600, refreshExpiresAt: nil, sessionID: "session", profile: nil))
    case AuthEndpoints.RequestMagicLink.path, AuthEndpoints.RequestLoginCode.path:
      return Self.json(LoginMessageReceipt(cooldownSeconds: 0, expiresInSeconds: 600))
    case AppEndpoints.AppConfig.path: return Self.json(config)
    case AccountEndpoints.Me.path: return Self.json(me)
    case AccountEndpoints.GetOrCreateProfile.path, AccountEndpoints.SetActiveProfile.path: return profile(request)
    case AccountEndpoints.RequestDeletion.path:
      state.withLock { $0.deletionScheduledFor = Self.deletionInstant }
      return Self.json(DeletionReceipt(scheduledFor: Self.deletionInstant), status: 202)
    default: return TransportResponse(status: 204)
    }
  }

  private func profile(_ request: TransportRequest) -> TransportResponse {
    guard let body = try? JSONCoding.decode(ProfileRequest.self, from: request.body ?? []), body.accountID == "account" else {
      return Self.error(404, BackendErrorCode.notFound)
    }
    return state.withLock { state in
      let profile = state.profiles.first { $0.languageCode == body.languageCode }
      if Self.path(request) == AccountEndpoints.SetActiveProfile.path {
        guard let profile else { return Self.error(404, BackendErrorCode.profileNotFound) }
        state.activeProfileID = profile.profileID
        return Self.json(profile)
      }
      if let profile { return Self.json(profile) }
      state.profiles.append(Self.profile(body.languageCode))
      return Self.json(Self.profile(body.languageCode), status: 201)
    }
  }

  private var me: MeBody {
    state.withLock { state in
      MeBody(
        userID: "user", accountID: "account", email: "dana@example.com", phone: nil, displayName: "Dana", roles: state.roles,
        activeProfileID: state.activeProfileID, profiles: state.profiles,
        createdAt: Timestamp(Date(timeIntervalSince1970: 1_700_000_000)), deletionScheduledFor: state.deletionScheduledFor)
    }
  }

  private var config: AppConfigBody {
    state.withLock { state in
      AppConfigBody(
        defaultLanguageCode: "en", supportedLanguages: ["en", "de", "fr"].map { .init(code: $0, name: $0) },
        features: .init(
          loginCode: true, analyticsOptOut: state.features.analyticsOptOut, developerTools: state.features.developerTools,
          accountDeletion: state.features.accountDeletion, logoutEndpoint: true, idempotencyKeys: true),
        auth: .init(cooldownSeconds: 0, codeLength: 6, trustedLinkHosts: []), networkLog: .init(capacity: state.capacity),
        session: .init(refreshMarginSeconds: 120))
    }
  }

  static func profile(_ language: String) -> ProfileBody {
    ProfileBody(
      profileID: "profile-\(language)", languageCode: language, displayName: nil,
      createdAt: Timestamp(Date(timeIntervalSince1970: 1_700_000_000)))
  }

  static func json(_ value: some Encodable, status: Int = 200) -> TransportResponse {
    TransportResponse(
      status: status, headers: [.contentType: "application/json"], body: (try? JSONCoding.encode(value)) ?? [])
  }

  static func error(_ status: Int, _ code: String, headers: HTTPFields = [:]) -> TransportResponse {
    var response = json(BackendErrorBody(code: code, message: "", requestID: nil), status: status)
    response.headers.append(contentsOf: headers)
    return response
  }

  static func path(_ request: TransportRequest) -> String {
    String(request.url.dropFirst(origin.count).prefix { $0 != "?" })
  }
}

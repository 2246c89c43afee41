import FoundationEssentials
import HTTPTypes
import JSON
import RPC
import Locking
import Wire

/// An in-memory backend that issues and rotates tokens and counts calls.
final class BenchmarkBackend: Sendable {
  private struct State {
    var issued = 0
    var refreshes = 0
    var calls = 0
    var acceptsAnyToken = true
  }

  private let state = Locked(State())
  /// The response of `/rpc/me`, about 1 KB of JSON.
  let meBody: [UInt8]
  private let me: [UInt8]
  private let expired = BenchmarkServer.json(
    (try? JSONCoding.encode(BackendErrorBody(code: BackendErrorCode.accessTokenExpired, message: "", requestID: nil))) ?? [],
    status: "401 Unauthorized")

  init() throws {
    let profiles = (0..<8).map {
      ProfileBody(profileID: "profile-\($0)", languageCode: "en", displayName: "Someone", createdAt: Timestamp(Date()))
    }
    let body = MeBody(
      userID: "user", accountID: "account", email: "bench@example.org", phone: nil, displayName: "Someone", roles: ["user"],
      activeProfileID: "profile-0", profiles: profiles, createdAt: Timestamp(Date()), deletionScheduledFor: nil)
    meBody = try JSONCoding.encode(body)
    me = BenchmarkServer.json(meBody)
  }

  /// The number of refreshes.
  var refreshes: Int { state.withLock { $0.refreshes } }
  /// The number of other calls.
  var calls: Int { state.withLock { $0.calls } }

  /// Rejects all tokens until the next refresh, and from then on all but the latest.
  func expireTokens() {
    state.withLock { state in
      state.acceptsAnyToken = false
      state.issued += 1
    }
  }

  func respond(_ head: RequestHead, _ body: [UInt8]) -> BenchmarkServer.Action {
    switch head.path {
    case AuthEndpoints.RefreshTokens.path: .respond(issue(isRefresh: true))
    case AuthEndpoints.LoginWithCode.path: .respond(issue(isRefresh: false))
    default: .respond(isValid(head.fields[.authorization]) ? me : expired)
    }
  }

  private func isValid(_ authorization: String?) -> Bool {
    state.withLock { state in
      state.calls += 1
      return state.acceptsAnyToken || authorization == "Bearer access-token-\(state.issued)"
    }
  }

  private func issue(isRefresh: Bool) -> [UInt8] {
    let number = state.withLock { state in
      state.issued += 1
      state.refreshes += isRefresh ? 1 : 0
      return state.issued
    }
    let pair = TokenPair(
      accessToken: "access-token-\(number)", refreshToken: "refresh-token-\(number)", expiresIn: 3600,
      expiresAt: Timestamp(Date() + 3600), refreshExpiresIn: 86_400, refreshExpiresAt: Timestamp(Date() + 86_400),
      sessionID: "session", profile: nil)
    return BenchmarkServer.json((try? JSONCoding.encode(pair)) ?? [])
  }
}

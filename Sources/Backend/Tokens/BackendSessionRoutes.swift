import HTTPTypes
import OpenAPI
import RPC
import Storage

/// Refreshing and ending a session.
struct BackendSessionRoutes: Sendable {
  let services: BackendServices

  var routes: [BackendRoute] {
    let refreshing = RouteDescription(
      tag: .session, summary: "Exchanges the refresh token, which is then spent, for a new token pair.",
      success: [.ok: "A new token pair."])
    return [
      BackendRoute(AuthEndpoints.RefreshTokens.self, refreshing, handler: refresh),
      BackendRoute(AuthEndpoints.AppRefreshToken.self, refreshing, handler: refresh),
      BackendRoute(
        AuthEndpoints.Logout.self,
        RouteDescription(tag: .session, summary: "Ends the session at once.", success: [.noContent: "The session has ended."]),
        services: services, effect: Self.logout),
    ]
  }

  /// `POST /rpc/refresh_tokens` and `POST /app/api/refresh-token`.
  private func refresh(_ call: BackendCall) async throws -> Answer {
    let body = try call.decode(RefreshRequest.self)
    let deviceID = call.request.deviceID
    let (outcome, profile) = try await services.storage.write { transaction in
      let outcome = try RefreshExchange.run(transaction, refreshToken: body.refreshToken, deviceID: deviceID, now: call.now)
      return (outcome, try outcome.accountID.flatMap { try Account.find(transaction, accountID: $0)?.activeProfile(transaction) })
    }
    switch outcome {
    case .rotated(let tokens, _), .repeated(let tokens, _):
      var answer = try Answer.json(tokens.body(profile: profile, now: call.now))
      answer.events = [AuditEvent(kind: outcome.kind, accountID: outcome.accountID, sessionID: tokens.sessionID)]
      return answer
    case .ended(let sessionID):
      services.audit.record(AuditEvent(kind: outcome.kind, sessionID: sessionID))
      throw BackendFailure.refreshTokenReused
    case .refused(let failure):
      services.audit.record(AuditEvent(kind: outcome.kind))
      throw failure
    }
  }

  /// `POST /app/api/logout`.
  private static func logout(_ transaction: any StorageTransaction, _ call: BackendCall, _ session: Session) throws -> Answer {
    try Session.end(transaction, sessionID: session.sessionID, reason: .loggedOut, now: call.now)
    var answer = Answer.noContent
    answer.events = [AuditEvent(kind: .loggedOut, accountID: session.accountID, sessionID: session.sessionID)]
    return answer
  }
}

extension RefreshExchange.Outcome {
  /// The account, if tokens were issued.
  fileprivate var accountID: String? {
    switch self {
    case .rotated(_, let accountID), .repeated(_, let accountID): accountID
    case .ended, .refused: nil
    }
  }

  fileprivate var kind: AuditEvent.Kind {
    switch self {
    case .rotated: .refreshed
    case .repeated: .refreshRepeated
    case .ended: .refreshReused
    case .refused: .refreshRefused
    }
  }
}

extension TokenPair: DescribedBody {
  static let schema = Schema.recorded(from: TokenPair.self)
    .refined([
      "access_token": .minimumLength(43), "refresh_token": .minimumLength(43), "token_type": .constant("Bearer"),
      "expires_in": .minimum(0), "refresh_expires_in": .minimum(0),
    ])
    .replacing(["session_id": .id, "profile": ProfileBody.schema])
    .requiring([
      "refresh_token", "token_type", "expires_in", "expires_at", "refresh_expires_in", "refresh_expires_at", "session_id",
    ])
    .named("TokenPair")
}

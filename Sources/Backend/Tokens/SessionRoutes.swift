import GRDB
import RPC

/// Refreshing and ending a session.
struct SessionRoutes: Sendable {
  let services: BackendServices

  /// `POST /rpc/refresh_tokens` and `POST /app/api/refresh-token`.
  func refresh(_ call: Call) async throws -> Answer {
    let body = try call.decode(RefreshRequest.self)
    let deviceID = call.request.deviceID
    let (outcome, profile) = try await services.database.write { db in
      let outcome = try RefreshExchange.run(db, refreshToken: body.refreshToken, deviceID: deviceID, now: call.now)
      return (outcome, try outcome.accountID.flatMap { try Account.find(db, accountID: $0)?.activeProfile(db) })
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

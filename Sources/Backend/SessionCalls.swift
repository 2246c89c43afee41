import GRDB
import Logging
import RPC

/// The calls that carry a session on and end it.
struct SessionCalls: Sendable {
  /// What they work with.
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
      services.log.info("refresh", metadata: ["session": "\(tokens.sessionID.prefix(5))", "outcome": "\(outcome.name)"])
      return try .json(tokens.body(profile: profile, now: call.now))
    case .ended(let sessionID):
      services.log.warning("refresh token reused, session ended", metadata: ["session": "\(sessionID.prefix(5))"])
      throw BackendFailure.refreshTokenReused
    case .refused(let failure):
      services.log.info("refresh refused", metadata: ["code": "\(failure.code)"])
      throw failure
    }
  }

  /// `POST /app/api/logout`.
  func logout(_ call: Call) async throws -> Answer {
    let session = try call.requiredSession()
    try await services.database.write { db in
      try Session.end(db, sessionID: session.sessionID, reason: .loggedOut, now: call.now)
    }
    services.log.info("logout", metadata: ["session": "\(session.sessionID.prefix(5))"])
    return .noContent
  }
}

extension RefreshExchange.Outcome {
  /// The account whose tokens were handed out.
  fileprivate var accountID: String? {
    switch self {
    case .rotated(_, let accountID), .repeated(_, let accountID): accountID
    case .ended, .refused: nil
    }
  }

  /// What the log calls it.
  fileprivate var name: String {
    switch self {
    case .rotated: "rotated"
    case .repeated: "repeated"
    case .ended: "ended"
    case .refused: "refused"
    }
  }
}

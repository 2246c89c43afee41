import GRDB
import HTTPTypes
import JSON
import RPC

/// A signed-in call that changes something: session, idempotency record and effect are one transaction.
///
/// So a session that ends meanwhile lets nothing through, and of concurrent calls with one key one has an effect.
struct IdempotentCall: Sendable {
  /// What the call does; it throws `BackendFailure` to refuse, and everything that it wrote is undone.
  typealias Effect = @Sendable (Database, Call, Session) throws -> Answer

  /// What it works with.
  let services: BackendServices
  /// What the call does.
  let effect: Effect

  /// Runs the call, or gives the answer that its key got before.
  func run(_ call: Call) async throws -> Answer {
    // Looked at once the session is known: who is not signed in is told of that first.
    let asked = Result { () throws(BackendFailure) in try IdempotencyRecord.key(of: call.request) }
    guard let token = call.request.bearerToken else { throw BackendFailure.invalidToken }
    return try await services.database.write { db in
      let session: Session
      do {
        session = try Session.authorize(db, accessToken: token, deviceID: call.request.deviceID, now: call.now)
      } catch let failure as BackendFailure where failure == .invalidToken {
        guard let key = try? asked.get(), let repeated = try logout(db, call, token: token, key: key) else { throw failure }
        return repeated
      }
      guard let key = try asked.get() else { return try effect(db, call, session) }
      let scope = IdempotencyRecord.Scope(accountID: session.accountID, path: call.request.path, key: key)
      if let kept = try IdempotencyRecord.find(db, scope, body: call.body, now: call.now) { return kept }
      let answer = try settled(db, call, session)
      // Nothing was done for a body that is not what the call takes: the key stays free for the right one.
      guard answer.status != .badRequest else { return answer }
      try IdempotencyRecord.keep(db, scope, body: call.body, answer: answer, now: call.now)
      return answer
    }
  }

  /// The answer, a refusal included: a key is answered the same way every time.
  private func settled(_ db: Database, _ call: Call, _ session: Session) throws -> Answer {
    var answer = Answer.noContent
    do {
      try db.inSavepoint {
        answer = try effect(db, call, session)
        return .commit
      }
    } catch let failure as BackendFailure {
      answer = Answer(status: failure.status, body: failure.body(requestID: call.request.requestID))
    }
    return answer
  }

  /// A logout that is sent again: its own effect is why its token is no longer good.
  private func logout(_ db: Database, _ call: Call, token: String, key: String) throws -> Answer? {
    guard call.request.path == AuthEndpoints.Logout.path, let deviceID = call.request.deviceID,
      let accountID = try Session.accountID(db, loggedOutAccessToken: token, deviceID: deviceID)
    else { return nil }
    let scope = IdempotencyRecord.Scope(accountID: accountID, path: call.request.path, key: key)
    return try IdempotencyRecord.find(db, scope, body: call.body, now: call.now)
  }
}

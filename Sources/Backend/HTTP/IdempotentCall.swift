import HTTPTypes
import RPC
import Storage

/// A call of a signed-in user that changes data and may carry an `Idempotency-Key`.
///
/// Session check, idempotency record and effect share one transaction: a session that ends in between has no effect, and of
/// concurrent calls with the same key only one has.
struct IdempotentCall: Sendable {
  /// Makes the change; if it throws, its writes are rolled back.
  typealias Effect = @Sendable (any StorageTransaction, BackendCall, Session) throws -> Answer

  let services: BackendServices
  let effect: Effect

  /// Makes the change, or returns the stored response of an earlier call with the same key.
  func run(_ call: BackendCall) async throws -> Answer {
    // An invalid key is reported only after the session was checked: 401 comes before 400.
    let requestedKey = Result { () throws(BackendFailure) in try IdempotencyRecord.key(of: call.request) }
    guard let token = call.request.bearerToken else { throw BackendFailure.invalidToken }
    return try await services.storage.write { transaction in
      let session: Session
      do {
        session = try Session.authorize(transaction, accessToken: token, deviceID: call.request.deviceID, now: call.now)
      } catch let failure as BackendFailure where failure == .invalidToken {
        guard let key = try? requestedKey.get(), let stored = try storedLogout(transaction, call, token: token, key: key) else {
          throw failure
        }
        return stored
      }
      guard let key = try requestedKey.get() else { return try effect(transaction, call, session) }
      let scope = IdempotencyRecord.Scope(accountID: session.accountID, path: call.request.path, key: key)
      if let stored = try IdempotencyRecord.find(transaction, scope, body: call.body, now: call.now) { return stored }
      let answer = try perform(transaction, call, session)
      // An invalid body has no effect, so the key may be used again with the right one.
      guard answer.status != .badRequest else { return answer }
      try IdempotencyRecord.insert(transaction, scope, body: call.body, answer: answer, now: call.now)
      return answer
    }
  }

  /// Returns the response, or the error as a response, because a key gets the same response every time.
  private func perform(_ transaction: any StorageTransaction, _ call: BackendCall, _ session: Session) throws -> Answer {
    do { return try transaction.attempt { try effect(transaction, call, session) } } catch let failure as BackendFailure {
      return Answer(status: failure.status, body: failure.body(requestID: call.request.requestID))
    }
  }

  /// Returns the stored response of a repeated logout; the first logout has invalidated its token.
  private func storedLogout(_ transaction: any StorageTransaction, _ call: BackendCall, token: String, key: String) throws
    -> Answer?
  {
    guard call.request.path == AuthEndpoints.Logout.path, let deviceID = call.request.deviceID,
      let accountID = try Session.accountID(transaction, loggedOutAccessToken: token, deviceID: deviceID)
    else { return nil }
    let scope = IdempotencyRecord.Scope(accountID: accountID, path: call.request.path, key: key)
    return try IdempotencyRecord.find(transaction, scope, body: call.body, now: call.now)
  }
}

import RPC
import Storage
import Vault

/// Signs devices in to a backend that answers from a recording; any code and any link is right.
struct ReplaySession: Sendable {
  let services: BackendServices
  let positions: ReplayPositions

  /// Owns every session; its data is never shown, since the recording answers for it.
  private static let owner = "replay@understudy.invalid"

  /// `POST /rpc/login_with_code`.
  func loginWithCode(_ call: BackendCall) async throws -> Answer {
    _ = try call.decode(CodeRedemption.self)
    return try await begin(call)
  }

  /// `POST /rpc/login_with_magic_token`.
  func loginWithMagicToken(_ call: BackendCall) async throws -> Answer {
    _ = try call.decode(MagicTokenRedemption.self)
    return try await begin(call)
  }

  /// `POST /rpc/request_magic_link` and `POST /rpc/request_login_code`, if the recording has neither: nothing is sent.
  func requestMessage(_ call: BackendCall) async throws -> Answer {
    _ = try call.decode(LoginCodeRequest.self)
    return try .json(LoginMessageReceipt(cooldownSeconds: 0, expiresInSeconds: Int(clamping: Lifetimes.message / 1000)))
  }

  /// Starts a session with fresh tokens, and the recording from its beginning.
  private func begin(_ call: BackendCall) async throws -> Answer {
    let deviceID = try call.requiredDeviceID()
    let tokens = try await services.storage.write { transaction in
      let session = try Session.begin(
        transaction, account: try Self.account(transaction, call), deviceID: deviceID, now: call.now)
      return try IssuedTokens.issue(transaction, session: session, pairID: SecureRandom.uuid(), secrets: .random(), now: call.now)
    }
    positions.restart(device: deviceID)
    var answer = try Answer.json(tokens.body(profile: nil, now: call.now))
    answer.events.append(AuditEvent(kind: .login, sessionID: tokens.sessionID))
    return answer
  }

  private static func account(_ transaction: any StorageTransaction, _ call: BackendCall) throws -> Account {
    guard let identifier = LoginIdentifier(owner) else { throw BackendFailure.internal }
    if let account = try Account.find(transaction, identifier: identifier) { return account }
    let account = try Account.create(transaction, identifier: identifier, now: call.now)
    // The profile that comes with tokens would not be one of the recording.
    try transaction.execute("UPDATE account SET active_profile_id = NULL WHERE account_id = ?", account.accountID)
    return account
  }
}

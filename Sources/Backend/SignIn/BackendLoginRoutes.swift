import HTTPTypes
import JSON
import OpenAPI
import RPC
import Storage
import Vault

/// Redeeming sign-in links and codes.
struct BackendLoginRoutes: Sendable {
  let services: BackendServices

  var routes: [BackendRoute] {
    [
      BackendRoute(
        AuthEndpoints.LoginWithMagicToken.self,
        RouteDescription(
          tag: .login, summary: "Redeems the token of a link, once.", success: [.ok: "A new session."],
          request: .request(MagicTokenRedemption.self).refined(["state": .nullable])),
        needsDevice: true, handler: loginWithMagicToken),
      BackendRoute(
        AuthEndpoints.LoginWithCode.self,
        RouteDescription(
          tag: .login, summary: "Redeems a code; each message allows five attempts.", success: [.ok: "A new session."],
          request: .request(CodeRedemption.self).replacing(["identifier": .identifier])),
        needsDevice: true, handler: loginWithCode),
    ]
  }

  /// `POST /rpc/login_with_magic_token`.
  private func loginWithMagicToken(_ call: BackendCall) async throws -> Answer {
    let body = try call.decode(MagicTokenRedemption.self)
    let deviceID = try call.requiredDeviceID()
    let services = services
    let login = try await services.storage.write { transaction -> Login? in
      guard let challenge = try LoginChallenge.redeem(transaction, linkToken: body.token, state: body.state, now: call.now) else {
        return nil
      }
      return try begin(transaction, with: challenge, deviceID: deviceID, now: call.now)
    }
    return try answer(login, else: .loginLinkInvalid, call)
  }

  /// `POST /rpc/login_with_code`: the attempt is counted and committed before the code is compared.
  private func loginWithCode(_ call: BackendCall) async throws -> Answer {
    let body = try call.decode(CodeRedemption.self)
    let deviceID = try call.requiredDeviceID()
    guard let identifier = LoginIdentifier(body.identifier) else { throw BackendFailure.invalidIdentifier }
    let services = services
    let attempt = try await services.storage.write { transaction in
      try LoginChallenge.countAttempt(transaction, identifier: identifier, now: call.now)
    }
    guard LoginChallenge.matches(code: body.code, attempt: attempt, codeKey: services.codeKey), let attempt else {
      return try answer(nil, else: .loginCodeInvalid, call)
    }
    let login = try await services.storage.write { transaction -> Login? in
      guard let challenge = try LoginChallenge.redeem(transaction, challengeID: attempt.challengeID, now: call.now) else {
        return nil
      }
      return try begin(transaction, with: challenge, deviceID: deviceID, now: call.now)
    }
    return try answer(login, else: .loginCodeInvalid, call)
  }

  /// A new session.
  private struct Login: Sendable {
    let tokens: IssuedTokens
    /// The active profile.
    let profile: ProfileBody?
    let accountID: String
    /// Whether this login created the account.
    let isFirst: Bool
  }

  /// Finds or creates the account and starts a session; returns nil for a decoy, or if registration is closed to the identifier.
  private func begin(_ transaction: any StorageTransaction, with challenge: LoginChallenge, deviceID: String, now: Timestamp)
    throws -> Login?
  {
    guard !challenge.isDecoy else { return nil }
    let account: Account
    var isFirst = false
    if let existing = try Account.find(transaction, identifier: challenge.identifier) {
      account = existing
    } else {
      guard services.registration == .open else { return nil }
      account = try Account.create(transaction, identifier: challenge.identifier, now: now)
      isFirst = true
    }
    let session = try Session.begin(transaction, account: account, deviceID: deviceID, now: now)
    let tokens = try IssuedTokens.issue(
      transaction, session: session, pairID: SecureRandom.uuid(), secrets: .random(), now: now)
    return Login(
      tokens: tokens, profile: try account.activeProfile(transaction), accountID: account.accountID, isFirst: isFirst)
  }

  private func answer(_ login: Login?, else failure: BackendFailure, _ call: BackendCall) throws -> Answer {
    guard let login else {
      services.audit.record(AuditEvent(kind: .loginRefused))
      throw failure
    }
    var answer = try Answer.json(login.tokens.body(profile: login.profile, now: call.now))
    if login.isFirst { answer.events.append(AuditEvent(kind: .accountCreated, accountID: login.accountID)) }
    answer.events.append(AuditEvent(kind: .login, accountID: login.accountID, sessionID: login.tokens.sessionID))
    return answer
  }
}

import GRDB
import JSON
import RPC
import Vault

/// Requesting and redeeming sign-in links and codes.
struct LoginRoutes: Sendable {
  let services: BackendServices

  /// The longest `state` of a link, in Unicode scalars.
  static let maximumStateLength = 512

  /// `POST /rpc/request_magic_link`: sends a link and a code.
  func requestMagicLink(_ call: Call) async throws -> Answer {
    let body = try call.decode(MagicLinkRequest.self)
    if let state = body.state, !(1...Self.maximumStateLength).contains(state.unicodeScalars.count) || state.hasControlCharacters {
      throw BackendFailure.invalidRequest(
        "The state must have 1 to \(Self.maximumStateLength) characters and no control characters.")
    }
    let secrets = LoginChallenge.Secrets(linkToken: TokenSecrets.token(), code: SecureRandom.digits(Lifetimes.codeLength))
    return try await send(secrets, to: body.identifier, state: body.state, call)
  }

  /// `POST /rpc/request_login_code`: sends a code.
  func requestLoginCode(_ call: Call) async throws -> Answer {
    let body = try call.decode(LoginCodeRequest.self)
    let secrets = LoginChallenge.Secrets(linkToken: nil, code: SecureRandom.digits(Lifetimes.codeLength))
    return try await send(secrets, to: body.identifier, state: nil, call)
  }

  /// Runs the same statements and gives the same answer whether the identifier has an account or not.
  private func send(_ secrets: LoginChallenge.Secrets, to raw: String, state: String?, _ call: Call) async throws -> Answer {
    let deviceID = try call.requiredDeviceID()
    guard let identifier = LoginIdentifier(raw) else { throw BackendFailure.invalidIdentifier }
    let services = services
    let mode = services.limits.mode
    let (outcome, isDecoy) = try await services.database.write { db in
      let isKnown = try Account.exists(db, identifier: identifier)
      let challenge = LoginChallenge(identifier: identifier, isDecoy: !isKnown && services.registration == .closed)
      let outcome = try SendLimit.record(
        db, identifier: identifier.text, from: .init(deviceID: deviceID, address: call.client), now: call.now, mode: mode)
      if case .sent = outcome {
        try LoginChallenge.issue(db, to: challenge, secrets: secrets, state: state, codeKey: services.codeKey, now: call.now)
      }
      return (outcome, challenge.isDecoy)
    }
    switch outcome {
    case .refused(let wait):
      services.audit.record(AuditEvent(kind: .sendLimited))
      throw BackendFailure.tooManyAttempts(retryAfter: SendLimit.wholeSeconds(wait))
    case .sent(let cooldown):
      let message = InboxMessage(
        id: SecureRandom.uuid(), to: identifier.text,
        link: secrets.linkToken.map { services.linkBase.link(token: $0, state: state) }, code: secrets.code,
        deliveredAt: call.now, expiresAt: call.now.adding(Lifetimes.message))
      services.delivery.send(MessageDelivery.Item(message: message, isDecoy: isDecoy))
      return try .json(
        LoginMessageReceipt(
          cooldownSeconds: SendLimit.wholeSeconds(cooldown), expiresInSeconds: Int(clamping: Lifetimes.message / 1000)))
    }
  }

  /// `POST /rpc/login_with_magic_token`.
  func loginWithMagicToken(_ call: Call) async throws -> Answer {
    let body = try call.decode(MagicTokenRedemption.self)
    let deviceID = try call.requiredDeviceID()
    let services = services
    let login = try await services.database.write { db -> Login? in
      guard let challenge = try LoginChallenge.redeem(db, linkToken: body.token, state: body.state, now: call.now) else {
        return nil
      }
      return try begin(db, with: challenge, deviceID: deviceID, now: call.now)
    }
    return try answer(login, else: .loginLinkInvalid, call)
  }

  /// `POST /rpc/login_with_code`: the attempt is counted and committed before the code is compared.
  func loginWithCode(_ call: Call) async throws -> Answer {
    let body = try call.decode(CodeRedemption.self)
    let deviceID = try call.requiredDeviceID()
    guard let identifier = LoginIdentifier(body.identifier) else { throw BackendFailure.invalidIdentifier }
    let services = services
    let attempt = try await services.database.write { db in
      try LoginChallenge.countAttempt(db, identifier: identifier, now: call.now)
    }
    guard LoginChallenge.matches(code: body.code, attempt: attempt, codeKey: services.codeKey), let attempt else {
      return try answer(nil, else: .loginCodeInvalid, call)
    }
    let login = try await services.database.write { db -> Login? in
      guard let challenge = try LoginChallenge.redeem(db, challengeID: attempt.challengeID, now: call.now) else { return nil }
      return try begin(db, with: challenge, deviceID: deviceID, now: call.now)
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
  private func begin(_ db: Database, with challenge: LoginChallenge, deviceID: String, now: Timestamp) throws -> Login? {
    guard !challenge.isDecoy else { return nil }
    let account: Account
    var isFirst = false
    if let existing = try Account.find(db, identifier: challenge.identifier) {
      account = existing
    } else {
      guard services.registration == .open else { return nil }
      account = try Account.create(db, identifier: challenge.identifier, now: now)
      isFirst = true
    }
    let session = try Session.begin(db, account: account, deviceID: deviceID, now: now)
    let tokens = try IssuedTokens.issue(
      db, session: session, pairID: SecureRandom.uuid(), secrets: .random(), now: now)
    return Login(
      tokens: tokens, profile: try account.activeProfile(db), accountID: account.accountID, isFirst: isFirst)
  }

  private func answer(_ login: Login?, else failure: BackendFailure, _ call: Call) throws -> Answer {
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

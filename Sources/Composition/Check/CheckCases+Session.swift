import Client
import Console
import Domain
import FoundationEssentials
import JSON
import Observability
import RPC
import Vault

extension CheckCase {
  /// What keeps a session, and what ends it; the last ones use sessions up.
  static let session: [CheckCase] = keeping + ending

  private static let keeping: [CheckCase] = [
    CheckCase("refresh", "session", "A refresh gives a new pair, and the session goes on") { subject in
      let device = try await subject.signedIn()
      let before = try subject.kept(by: device)
      try await subject.refresh(device)
      let after = try subject.kept(by: device)
      try subject.expect(after.accessToken != before.accessToken, "the access token is the one before")
      try subject.expect(after.refreshToken != before.refreshToken, "the refresh token was not rotated")
      try await subject.expectAccount(of: device)
    },
    CheckCase("refresh-lost-answer", "session", "A refresh whose answer is lost gives the same pair again") { subject in
      let device = try await subject.signedIn()
      let wire = subject.backend.wire
      wire.loseNextAnswer(of: AuthEndpoints.RefreshTokens.path)
      let outcome = await device.client.session.refresh()
      let tokens = wire.takeLostAnswer().bodies.map { body in
        (try? JSONDocument(parsing: body))?.root["refresh_token"]?.string
      }
      try subject.expect(outcome == .refreshed, "the refresh ended with \(CheckWords.words(outcome))")
      try subject.expect(tokens.count == 2 && tokens[0] != nil && tokens[0] == tokens[1], "the second pair is another")
      try await subject.expectAccount(of: device)
    },
    CheckCase("refresh-offline", "session", "A refresh out of reach signs nobody out, and works once it is over") { subject in
      let device = try await subject.signedIn()
      let wire = subject.backend.wire
      wire.setCut(true)
      defer { wire.setCut(false) }
      let outcome = await device.client.session.refresh()
      try subject.expect(outcome == .failed(.offline), "expected offline, got \(CheckWords.words(outcome))")
      let phase = await device.client.session.state.phase
      try subject.expect(phase == .error, "the session is \(phase.rawValue)")
      wire.setCut(false)
      try await subject.refresh(device)
      try await subject.expectAccount(of: device)
    },
    CheckCase("access-expiry", "session", "An expired access token is refreshed, and the call made again") { subject in
      let device = try await subject.signedIn()
      guard let control = subject.backend.control else { throw CheckStop.skipped("the backend's clock cannot be moved") }
      guard let lifetime = try subject.kept(by: device).accessLifetimeSeconds, (1...86_400).contains(lifetime) else {
        throw CheckStop.skipped("the access token lives longer than a day")
      }
      try await control.advance(lifetime + 1)
      try await subject.expectAccount(of: device)
      let rows = subject.rows
      guard let refused = rows.first(where: { $0.status == 401 && $0.error == BackendErrorCode.accessTokenExpired }) else {
        throw CheckStop.failed("the backend took the expired token")
      }
      try subject.expect(
        rows.contains { $0.endpoint == AuthEndpoints.RefreshTokens.name && $0.parentID == refused.id && $0.status == 200 },
        "no refresh followed")
    },
    CheckCase("stolen-tokens", "session", "Tokens are worth nothing on another device, and the session goes on") { subject in
      let device = try await subject.signedIn()
      let store = MemoryTokenStore()
      try store.save(try subject.kept(by: device))
      let thief = subject.client(tokens: store)
      let state = await thief.session.bootstrap()
      try subject.expect(
        state.phase == .signedOut && state.reason == LogoutReason.deviceNotRegistered.rawValue,
        "expected device_not_registered, got \(state.phase.rawValue) by \(state.reason ?? "nothing")")
      try await subject.refresh(device)
      try await subject.expectAccount(of: device)
    },
    CheckCase("relaunch", "session", "The session is there again after the app was killed") { subject in
      let device = try await subject.signedIn()
      let before = try await subject.expectAccount(of: device).user
      let again = try await subject.relaunch(device)
      if subject.first === device { subject.first = again } else { subject.second = again }
      let after = try await subject.expectAccount(of: again).user
      try subject.expect(after.userID == before.userID, "somebody else is signed in")
    },
  ]

  private static let ending: [CheckCase] = [
    CheckCase("refresh-reuse", "session", "A spent refresh token ends the session for good, its newest pair too") { subject in
      let (_, device) = try await subject.bothSignedIn()
      let spent = try subject.kept(by: device)
      try await subject.refresh(device)
      try await subject.refresh(device)
      let newest = try subject.kept(by: device)
      // As a data folder does that was put back from a backup.
      for tokens in [spent, newest] {
        try subject.tokens(of: device).save(tokens)
        let again = try await subject.relaunch(subject.second ?? device)
        subject.second = again
        try await subject.expectEnd(of: again, .refreshTokenReused)
      }
    },
    CheckCase("logout", "session", "Signing out leaves nothing on the device, and the backend hears of it") { subject in
      let device = try await subject.signedIn()
      let tokens = try subject.kept(by: device)
      let logout = Logout(gateway: device.client.auth, analytics: device.analytics)
      try await logout(unlessUnsent: .backend(device.cues), discardsEdits: false)
      subject.ended = (tokens, device)
      try await subject.expectEnd(of: device, .user)
      try subject.expect((try? subject.tokens(of: device).load()) == .some(nil), "the tokens are still kept")
      guard try subject.knownConfig().features.logoutEndpoint else { return }
      let path = AuthEndpoints.Logout.path
      let answers = device.log.rows().events.filter { $0.path == path }
      try subject.expect(answers.last.map { $0.state == .success } == true, "the backend was not told")
    },
    CheckCase("after-logout", "session", "After it no call goes out, and the ended session's tokens are refused") { subject in
      guard let (tokens, device) = subject.ended else { throw CheckStop.skipped("needs logout") }
      try await subject.expectSilence {
        try await subject.expect(AccountError.signedOut, "signed_out") { _ = try await device.client.account.fetchMe() }
      }
      guard try subject.knownConfig().features.logoutEndpoint else {
        throw CheckStop.skipped("the backend is not told of a logout")
      }
      let store = MemoryTokenStore()
      try store.save(tokens)
      let client = subject.client(deviceID: device.id, tokens: store)
      let state = await client.session.bootstrap()
      try subject.expect(state.phase == .signedOut, "the ended session's tokens work")
    },
    CheckCase("deletion", "session", "An account's deletion is scheduled, and the device signed out") { subject in
      guard subject.allowsDeletion else { throw CheckStop.skipped("needs --allow-deletion") }
      let config = try subject.knownConfig()
      guard config.features.accountDeletion else { throw CheckStop.skipped("the backend has no deletion") }
      let device = try await subject.signInAnew()
      let confirmation = RequestAccountDeletion.confirmation
      let request = RequestAccountDeletion(
        gateway: device.client.account, logout: Logout(gateway: device.client.auth, analytics: device.analytics))
      try await subject.expectSilence {
        try await subject.expect(AccountError.confirmationMismatch, "confirmation_mismatch") {
          _ = try await request(confirmation: confirmation.lowercased(), config: config)
        }
      }
      let instant = try await request(confirmation: confirmation, config: config)
      try subject.expect(instant > Date(), "it is scheduled for the past")
      try await subject.expectEnd(of: device, .accountDeletion)
    },
    CheckCase("refresh-expiry", "session", "A session that lay unused too long is over, and says so") { subject in
      guard subject.backend.isEmbedded, let control = subject.backend.control else {
        throw CheckStop.skipped("it would sign out everybody else; the embedded backend alone")
      }
      let device = try await subject.signInAnew()
      guard let end = try subject.kept(by: device).refreshExpiresAt else { throw CheckStop.failed("it never ends") }
      try await control.advance(Int(min(max(end.timeIntervalSinceNow, 0), 30_000_000)) + 2)
      let outcome = await device.client.session.refresh()
      try subject.expect(outcome == .ended, "expected the end, got \(CheckWords.words(outcome))")
      try await subject.expectEnd(of: device, .refreshTokenExpired)
    },
  ]
}

extension CheckSubject {
  /// Another device, signed in: on the embedded backend to an account of its own, else to the one of the run.
  func signInAnew() async throws -> Device {
    try expectSource()
    let identifier = backend.isEmbedded ? try Self.newIdentifier() : try knownIdentifier()
    let device = try await newDevice()
    await device.refreshConfig()
    let kind: RequestLogin.Message = try knownConfig().features.loginCode ? .loginCode : .magicLink
    try await ask(kind, by: device, for: identifier)
    let message = try await message(to: identifier, kind: kind)
    if let code = message.code, kind == .loginCode {
      try await signIn(device, as: identifier, code: code)
    } else if let text = message.link {
      let link = try device.linkParser.parse(text)
      try await CompleteMagicLink(gateway: device.client.auth, ledger: device.ledger.port)(link, acceptForeign: false)
      try await expectAccount(of: device)
    } else {
      throw CheckStop.skipped("the source gave nothing to sign in with")
    }
    return device
  }
}

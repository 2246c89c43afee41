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
    CheckCase("refresh", "session", "A refresh gives a new pair, and the session goes on") { context in
      let device = try await context.signedInDevice()
      let before = try context.storedTokens(of: device)
      try await context.refresh(device)
      let after = try context.storedTokens(of: device)
      try context.expect(after.accessToken != before.accessToken, "the access token is the one before")
      try context.expect(after.refreshToken != before.refreshToken, "the refresh token was not rotated")
      try await context.expectAccount(of: device)
    },
    CheckCase("refresh-lost-answer", "session", "A refresh whose answer is lost gives the same pair again") { context in
      let device = try await context.signedInDevice()
      let network = context.backend.network
      network.loseNextResponse(of: AuthEndpoints.RefreshTokens.path)
      let outcome = await device.client.session.refresh()
      let tokens = network.takeLostResponse().bodies.map { body in
        (try? JSONDocument(parsing: body))?.root["refresh_token"]?.string
      }
      try context.expect(outcome == .refreshed, "the refresh ended with \(ErrorText.describe(outcome))")
      try context.expect(tokens.count == 2 && tokens[0] != nil && tokens[0] == tokens[1], "the second pair is another")
      try await context.expectAccount(of: device)
    },
    CheckCase("refresh-offline", "session", "A refresh out of reach signs nobody out, and works once it is over") { context in
      let device = try await context.signedInDevice()
      let network = context.backend.network
      network.setOffline(true)
      defer { network.setOffline(false) }
      let outcome = await device.client.session.refresh()
      try context.expect(outcome == .failed(.offline), "expected offline, got \(ErrorText.describe(outcome))")
      let phase = await device.client.session.state.phase
      try context.expect(phase == .error, "the session is \(phase.rawValue)")
      network.setOffline(false)
      try await context.refresh(device)
      try await context.expectAccount(of: device)
    },
    CheckCase("access-expiry", "session", "An expired access token is refreshed, and the call made again") { context in
      let device = try await context.signedInDevice()
      guard let control = context.backend.control else { throw CheckStop.skipped("the backend's clock cannot be moved") }
      guard let lifetime = try context.storedTokens(of: device).accessLifetimeSeconds, (1...86_400).contains(lifetime) else {
        throw CheckStop.skipped("the access token lives longer than a day")
      }
      try await control.advance(lifetime + 1)
      try await context.expectAccount(of: device)
      let rows = context.rows
      guard let refused = rows.first(where: { $0.status == 401 && $0.error == BackendErrorCode.accessTokenExpired }) else {
        throw CheckStop.failed("the backend took the expired token")
      }
      try context.expect(
        rows.contains { $0.endpoint == AuthEndpoints.RefreshTokens.name && $0.parentID == refused.id && $0.status == 200 },
        "no refresh followed")
    },
    CheckCase("stolen-tokens", "session", "Tokens are worth nothing on another device, and the session goes on") { context in
      let device = try await context.signedInDevice()
      let store = MemoryTokenStore()
      try store.save(try context.storedTokens(of: device))
      let thief = context.client(tokens: store)
      let state = await thief.session.bootstrap()
      try context.expect(
        state.phase == .signedOut && state.reason == LogoutReason.deviceNotRegistered.rawValue,
        "expected device_not_registered, got \(state.phase.rawValue) by \(state.reason ?? "nothing")")
      try await context.refresh(device)
      try await context.expectAccount(of: device)
    },
    CheckCase("relaunch", "session", "The session is there again after the app was killed") { context in
      let device = try await context.signedInDevice()
      let before = try await context.expectAccount(of: device).user
      let again = try await context.relaunch(device)
      if context.first === device { context.first = again } else { context.second = again }
      let after = try await context.expectAccount(of: again).user
      try context.expect(after.userID == before.userID, "somebody else is signed in")
    },
  ]

  private static let ending: [CheckCase] = [
    CheckCase("refresh-reuse", "session", "A spent refresh token ends the session for good, its newest pair too") { context in
      let (_, device) = try await context.signedInDevices()
      let spent = try context.storedTokens(of: device)
      try await context.refresh(device)
      try await context.refresh(device)
      let newest = try context.storedTokens(of: device)
      // As a data folder does that was put back from a backup.
      for tokens in [spent, newest] {
        try context.tokens(of: device).save(tokens)
        let again = try await context.relaunch(context.second ?? device)
        context.second = again
        try await context.expectSignedOut(of: again, .refreshTokenReused)
      }
    },
    CheckCase("logout", "session", "Signing out leaves nothing on the device, and the backend hears of it") { context in
      let device = try await context.signedInDevice()
      let tokens = try context.storedTokens(of: device)
      let logout = Logout(gateway: device.client.auth, analytics: device.analytics)
      try await logout(unlessUnsent: .backend(device.cues), discardsEdits: false)
      context.ended = (tokens, device)
      try await context.expectSignedOut(of: device, .user)
      try context.expect((try? context.tokens(of: device).load()) == .some(nil), "the tokens are still kept")
      guard try context.requireConfig().features.logoutEndpoint else { return }
      let path = AuthEndpoints.Logout.path
      let answers = device.log.rows().events.filter { $0.path == path }
      try context.expect(answers.last.map { $0.state == .success } == true, "the backend was not told")
    },
    CheckCase("after-logout", "session", "After it no call goes out, and the ended session's tokens are refused") { context in
      guard let (tokens, device) = context.ended else { throw CheckStop.skipped("needs logout") }
      try await context.expectNoCalls {
        try await context.expect(AccountError.signedOut, "signed_out") { _ = try await device.client.account.fetchMe() }
      }
      guard try context.requireConfig().features.logoutEndpoint else {
        throw CheckStop.skipped("the backend is not told of a logout")
      }
      let store = MemoryTokenStore()
      try store.save(tokens)
      let client = context.client(deviceID: device.id, tokens: store)
      let state = await client.session.bootstrap()
      try context.expect(state.phase == .signedOut, "the ended session's tokens work")
    },
    CheckCase("deletion", "session", "An account's deletion is scheduled, and the device signed out") { context in
      guard context.allowsDeletion else { throw CheckStop.skipped("needs --allow-deletion") }
      let config = try context.requireConfig()
      guard config.features.accountDeletion else { throw CheckStop.skipped("the backend has no deletion") }
      let device = try await context.signInNewDevice()
      let confirmation = RequestAccountDeletion.confirmation
      let request = RequestAccountDeletion(
        gateway: device.client.account, logout: Logout(gateway: device.client.auth, analytics: device.analytics))
      try await context.expectNoCalls {
        try await context.expect(AccountError.confirmationMismatch, "confirmation_mismatch") {
          _ = try await request(confirmation: confirmation.lowercased(), config: config)
        }
      }
      let instant = try await request(confirmation: confirmation, config: config)
      try context.expect(instant > Date(), "it is scheduled for the past")
      try await context.expectSignedOut(of: device, .accountDeletion)
    },
    CheckCase("refresh-expiry", "session", "A session that lay unused too long is over, and says so") { context in
      guard context.backend.isEmbedded, let control = context.backend.control else {
        throw CheckStop.skipped("it would sign out everybody else; the embedded backend alone")
      }
      let device = try await context.signInNewDevice()
      guard let end = try context.storedTokens(of: device).refreshExpiresAt else { throw CheckStop.failed("it never ends") }
      try await control.advance(Int(min(max(end.timeIntervalSinceNow, 0), 30_000_000)) + 2)
      let outcome = await device.client.session.refresh()
      try context.expect(outcome == .ended, "expected the end, got \(ErrorText.describe(outcome))")
      try await context.expectSignedOut(of: device, .refreshTokenExpired)
    },
  ]
}

extension CheckContext {
  /// Another device, signed in: on the embedded backend to an account of its own, else to the one of the run.
  func signInNewDevice() async throws -> Device {
    try requireMessageSource()
    let identifier = backend.isEmbedded ? try Self.newIdentifier() : try requireIdentifier()
    let device = try await newDevice()
    await device.refreshConfig()
    let kind: RequestLogin.Message = try requireConfig().features.loginCode ? .loginCode : .magicLink
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

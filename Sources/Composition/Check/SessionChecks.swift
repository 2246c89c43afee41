import BackendFile
import Client
import Console
import Domain
import FoundationEssentials
import JSON
import Observability
import RPC

extension CheckCase {
  /// The calls that keep or end a session; the last checks use up sessions.
  static let session: [[CheckCase]] = separately(keeping) + [signingOut] + separately(ending)

  private static let keeping: [CheckCase] = [
    CheckCase("refresh", "session", "A refresh returns a new access token, and the session continues", needs: [.refreshTokens]) {
      context in
      let device = try await context.signedInDevice()
      let before = try context.storedTokens(of: device)
      try await context.refresh(device)
      let after = try context.storedTokens(of: device)
      try context.expect(after.accessToken != before.accessToken, "the access token did not change")
      try await context.expectAccount(of: device)
    },
    CheckCase("refresh-lost-answer", "session", "A refresh whose response is lost returns the same pair again", scope: .contract)
    { context in
      let device = try await context.signedInDevice()
      let network = context.backend.network
      network.loseNextResponse(of: AuthEndpoints.RefreshTokens.path)
      let outcome = await device.client.session.refresh()
      let tokens = network.takeLostResponse().bodies.map { body in
        try? JSONCoding.decodeTolerantly(TokenPair.self, from: JSONDocument(parsing: body), notes: JSONReadNotes()).refreshToken
      }
      try context.expect(outcome == .refreshed, "the refresh ended with \(ErrorText.describe(outcome))")
      try context.expect(tokens.count == 2 && tokens[0] != nil && tokens[0] == tokens[1], "the second pair is different")
      try await context.expectAccount(of: device)
    },
    CheckCase(
      "refresh-offline", "session", "A refresh while offline signs nobody out and works afterwards", needs: [.refreshTokens]
    ) { context in
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
    CheckCase("access-expiry", "session", "An expired access token is refreshed and the call repeated", scope: .contract) {
      context in
      let device = try await context.signedInDevice()
      guard let control = context.backend.control else { throw CheckStop.skipped("the backend's clock cannot be advanced") }
      guard let lifetime = try context.storedTokens(of: device).accessLifetimeSeconds, (1...86_400).contains(lifetime) else {
        throw CheckStop.skipped("the access token is valid for more than a day")
      }
      try await control.advance(lifetime + 1)
      try await context.expectAccount(of: device)
      let rows = context.rows
      guard let refused = rows.first(where: { $0.status == 401 && $0.error == BackendErrorCode.accessTokenExpired }) else {
        throw CheckStop.failed("the backend accepted the expired token")
      }
      try context.expect(
        rows.contains { $0.endpoint == AuthEndpoints.RefreshTokens.name && $0.parentID == refused.id && $0.status == 200 },
        "no refresh followed")
    },
    CheckCase("stolen-tokens", "session", "Tokens do not work on another device, and the session continues", scope: .contract) {
      context in
      let device = try await context.signedInDevice()
      let store = MemoryTokenStore()
      try store.save(try context.storedTokens(of: device))
      let thief = context.client(tokens: store)
      let state = await thief.session.bootstrap()
      try context.expect(
        state.phase == .signedOut && state.reason == LogoutReason.deviceNotRegistered.rawValue,
        "expected device_not_registered, got \(state.phase.rawValue) with \(state.reason ?? "no reason")")
      try await context.refresh(device)
      try await context.expectAccount(of: device)
    },
    CheckCase("relaunch", "session", "The session is restored after the app was killed") { context in
      let device = try await context.signedInDevice()
      let before = try await context.expectAccount(of: device).user
      let again = try await context.relaunch(device)
      if context.first === device { context.first = again } else { context.second = again }
      let after = try await context.expectAccount(of: again).user
      try context.expect(after.userID == before.userID, "somebody else is signed in")
    },
    CheckCase(
      "refresh-reuse", "session", "A reused refresh token ends the session for good, including its newest pair", scope: .contract
    ) {
      context in
      let (_, device) = try await context.signedInDevices()
      let spent = try context.storedTokens(of: device)
      try await context.refresh(device)
      try await context.refresh(device)
      let newest = try context.storedTokens(of: device)
      // Like a data folder restored from a backup.
      for tokens in [spent, newest] {
        try context.tokens(of: device).save(tokens)
        let again = try await context.relaunch(context.second ?? device)
        context.second = again
        try await context.expectSignedOut(of: again, .refreshTokenReused)
      }
    },
  ]

  private static let signingOut: [CheckCase] = [
    CheckCase("logout", "session", "Signing out leaves nothing on the device, and the backend is notified") { context in
      let device = try await context.signedInDevice()
      let tokens = try context.storedTokens(of: device)
      let logout = Logout(gateway: device.client.auth, analytics: device.analytics)
      try await logout(unlessUnsent: .backend(device.cues), discardsEdits: false)
      context.ended = (tokens, device)
      try await context.expectSignedOut(of: device, .user)
      try context.expect((try? context.tokens(of: device).load()) == .some(nil), "the tokens are still stored")
      guard try context.requireConfig().features.logoutEndpoint else { return }
      let answers = device.log.rows().events.filter { $0.endpoint == AuthEndpoints.Logout.name }
      try context.expect(answers.last.map { $0.state == .success } == true, "the backend was not notified")
    },
    CheckCase(
      "after-logout", "session", "After it, no call is sent, and the ended session's tokens are rejected",
      needs: [.logout, .refreshTokens]
    ) { context in
      guard let (tokens, device) = context.ended else { throw CheckStop.skipped("requires logout") }
      try await context.expectNoCalls {
        try await context.expect(AccountError.signedOut) { _ = try await device.client.account.fetchMe() }
      }
      guard try context.requireConfig().features.logoutEndpoint else {
        throw CheckStop.skipped("the backend has no logout endpoint")
      }
      let store = MemoryTokenStore()
      try store.save(tokens)
      let client = context.client(deviceID: device.id, tokens: store)
      let state = await client.session.bootstrap()
      try context.expect(state.phase == .signedOut, "the ended session's tokens still work")
    },
  ]

  private static let ending: [CheckCase] = [
    CheckCase(
      "deletion", "session", "Deleting the account is scheduled, and the device is signed out", needs: [.requestAccountDeletion]
    ) { context in
      guard context.allowsDeletion else { throw CheckStop.skipped("requires --allow-deletion") }
      let config = try context.requireConfig()
      guard config.features.accountDeletion else { throw CheckStop.skipped("the backend has no deletion") }
      let device = try await context.signInNewDevice()
      let confirmation = RequestAccountDeletion.confirmation
      let request = RequestAccountDeletion(
        gateway: device.client.account, logout: Logout(gateway: device.client.auth, analytics: device.analytics))
      try await context.expectNoCalls {
        try await context.expect(AccountError.confirmationMismatch) {
          _ = try await request(confirmation: confirmation.lowercased(), config: config)
        }
      }
      let instant = try await request(confirmation: confirmation, config: config)
      try context.expect(instant.map { $0 > Date() } ?? true, "the deletion is scheduled for the past")
      try await context.expectSignedOut(of: device, .accountDeletion)
    },
    CheckCase("refresh-expiry", "session", "A session that was unused for too long has expired, with that reason") { context in
      guard context.backend.isEmbedded, let control = context.backend.control else {
        throw CheckStop.skipped("it would sign out everybody else; runs only with the built-in backend")
      }
      let device = try await context.signInNewDevice()
      guard let end = try context.storedTokens(of: device).refreshExpiresAt else {
        throw CheckStop.failed("the session never expires")
      }
      try await control.advance(Int(min(max(end.timeIntervalSinceNow, 0), 30_000_000)) + 2)
      let outcome = await device.client.session.refresh()
      try context.expect(outcome == .ended, "expected the end, got \(ErrorText.describe(outcome))")
      try await context.expectSignedOut(of: device, .refreshTokenExpired)
    },
  ]
}

extension CheckContext {
  /// Signs in another device: on the built-in backend to a new account, otherwise to the run's account.
  func signInNewDevice() async throws -> Device {
    try requireMessageSource()
    let kind: RequestLogin.Message = try requireConfig().features.loginCode ? .loginCode : .magicLink
    let identifier = backend.isEmbedded ? try Self.newIdentifier() : try requireIdentifier(for: kind.call)
    let device = try await newDevice()
    await device.refreshConfig()
    try await ask(kind, by: device, for: identifier)
    let message = try await message(to: identifier, kind: kind)
    if let code = message.code, kind == .loginCode {
      try await signIn(device, as: identifier, code: code)
    } else if let text = message.link {
      let link = try device.linkParser.parse(text)
      try await CompleteMagicLink(gateway: device.client.auth, ledger: device.signInRequests.port)([link], acceptForeign: false)
      try await expectAccount(of: device)
    } else {
      throw CheckStop.skipped("the source gave neither code nor link")
    }
    return device
  }
}

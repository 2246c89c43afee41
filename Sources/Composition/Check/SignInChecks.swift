import BackendFile
import Client
import Console
import Domain
import RPC

extension CheckCase {
  /// Requesting messages and signing in with them.
  static let signIn: [[CheckCase]] = [[invalidIdentifier], asking + byCode, byLink, byPassword]

  private static let invalidIdentifier = CheckCase(
    "invalid-identifier", "sign-in", "An invalid identifier is rejected, by the app and by the backend", scope: .contract
  ) { context in
    let config = try context.requireConfig()
    let device = try await context.newDevice()
    try await context.expectNoCalls {
      let useCase = RequestLogin(gateway: device.client.auth, ledger: device.signInRequests.port, wall: Time.system.wall)
      try await context.expect(AuthError.invalidIdentifier) {
        _ = try await useCase(.magicLink, rawIdentifier: "nobody at nowhere", config: config)
      }
    }
    do throws(NetworkError) {
      // A document may describe identifiers, so this call would differ from it.
      let client = context.client(isCompared: false)
      _ = try await client.api.send(
        AuthEndpoints.RequestLoginCode(), body: LoginCodeRequest(identifier: "nobody at nowhere"))
    } catch {
      // The code counts, not the status.
      if error.backendCode == BackendErrorCode.invalidIdentifier { return }
      throw CheckStop.failed("expected invalid_identifier, got \(ErrorText.describe(error))")
    }
    throw CheckStop.failed("expected invalid_identifier, but it succeeded")
  }

  private static let asking: [CheckCase] = [
    CheckCase("request-code", "sign-in", "A code can be requested", isGround: true, needs: [.requestLoginCode]) { context in
      let identifier = try context.requireIdentifier(for: "request_login_code")
      guard try context.requireConfig().features.loginCode else { throw CheckStop.skipped("the backend has no login codes") }
      guard let device = context.first else { throw CheckStop.skipped("requires app-config") }
      let outcome = try await context.ask(.loginCode, by: device, for: identifier)
      try context.expect(outcome.expiresInSeconds > 0, "the code is already expired")
      context.hasAskedForCode = true
    },
    CheckCase("cooldown", "sign-in", "A second request within the cooldown is not sent", scope: .contract) { context in
      let identifier = try context.requireIdentifier()
      guard let device = context.first, context.hasAskedForCode else { throw CheckStop.skipped("requires request-code") }
      guard try await !device.signInRequests.cooldowns().isEmpty else { throw CheckStop.skipped("the backend has no cooldown") }
      try await context.expectNoCalls {
        let useCase = RequestLogin(gateway: device.client.auth, ledger: device.signInRequests.port, wall: Time.system.wall)
        do throws(AuthError) {
          _ = try await useCase(.magicLink, rawIdentifier: identifier.text, config: device.config)
        } catch .cooldown {
          return
        }
        throw CheckStop.failed("expected cooldown, but it succeeded")
      }
    },
    CheckCase("rate-limit", "sign-in", "Another device that asks too early gets 429 with Retry-After", scope: .contract) {
      context in
      let identifier = try context.requireIdentifier()
      guard let device = context.first, context.hasAskedForCode else { throw CheckStop.skipped("requires request-code") }
      guard try await !device.signInRequests.cooldowns().isEmpty else { throw CheckStop.skipped("the backend has no cooldown") }
      let other = try await context.newDevice()
      do throws(AuthError) {
        let receipt = try await other.client.auth.requestLoginCode(identifier, [:])
        context.setNextMessage(inSeconds: receipt.cooldownSeconds)
      } catch .tooManyAttempts(let seconds) {
        guard let seconds, seconds > 0 else { throw CheckStop.failed("the 429 does not say how long to wait") }
        context.setNextMessage(inSeconds: seconds)
        return
      }
      throw CheckStop.failed("expected 429 too_many_attempts, but another message was sent")
    },
  ]

  private static let byCode: [CheckCase] = [
    CheckCase(
      "wrong-code", "sign-in", "A wrong code is rejected, and the right one stays valid", isGround: true, needs: [.loginWithCode]
    ) { context in
      let identifier = try context.requireIdentifier(for: "login_with_code")
      guard let device = context.first, context.hasAskedForCode else { throw CheckStop.skipped("requires request-code") }
      guard let code = try await context.message(to: identifier, kind: .loginCode).code else {
        throw CheckStop.skipped("the source gave no code")
      }
      context.code = code
      // Another last digit: a wrong code of the right format.
      let wrong = code.dropLast() + (code.last == "0" ? "1" : "0")
      try await context.expect(AuthError.loginCodeInvalid) {
        try await LoginWithCode(gateway: device.client.auth)(
          rawIdentifier: identifier?.text, rawCode: String(wrong), config: try context.requireConfig())
      }
      let state = await device.client.session.state
      try context.expect(!state.isSignedIn, "the wrong code signed the device in")
    },
    CheckCase("code-sign-in", "sign-in", "The code signs in", isGround: true, needs: [.loginWithCode]) { context in
      let identifier = try context.requireIdentifier(for: "login_with_code")
      guard let device = context.first, let code = context.code else { throw CheckStop.skipped("requires a code") }
      try await context.signIn(device, as: identifier, code: code)
    },
    CheckCase("used-code", "sign-in", "A code works once", scope: .contract) { context in
      let identifier = try context.requireIdentifier()
      guard let code = context.usedCode else { throw CheckStop.skipped("requires code-sign-in") }
      let client = context.client()
      try await context.expect(AuthError.loginCodeInvalid) {
        try await LoginWithCode(gateway: client.auth)(
          rawIdentifier: identifier.text, rawCode: code, config: try context.requireConfig())
      }
    },
  ]

  private static let byPassword: [CheckCase] = [
    CheckCase(
      "wrong-password", "sign-in", "A wrong password is rejected", needs: [.loginWithPassword], scope: .file
    ) { context in
      let (identifier, password) = try context.requirePassword()
      guard !password.isEmpty else { throw CheckStop.skipped("the sign-in asks for no password") }
      let device = try await context.newDevice()
      try await context.expect(AuthError.passwordInvalid) {
        try await device.client.auth.redeemPassword(identifier, "not \(password)", [:])
      }
      let state = await device.client.session.state
      try context.expect(!state.isSignedIn, "the wrong password signed the device in")
    },
    CheckCase(
      "password-sign-in", "sign-in", "The password signs in", isGround: true, needs: [.loginWithPassword], scope: .file
    ) { context in
      let (identifier, password) = try context.requirePassword()
      let device = try await context.newDevice()
      await device.refreshConfig()
      try await device.client.auth.redeemPassword(identifier, password, [:])
      try await context.expectAccount(of: device)
      context.second = device
    },
  ]

  private static let byLink: [CheckCase] = [
    CheckCase(
      "request-link", "sign-in", "A link can be requested after exactly the wait that the backend requires", isGround: true,
      needs: [.requestMagicLink]
    ) { context in
      let identifier = try context.requireIdentifier(for: "request_magic_link")
      try context.requireMessageSource()
      let device = try await context.newDevice()
      await device.refreshConfig()
      let outcome = try await context.ask(.magicLink, by: device, for: identifier)
      try context.expect(outcome.expiresInSeconds > 0, "the link is already expired")
      (context.second, context.hasAskedForLink) = (device, true)
    },
    CheckCase(
      "foreign-state", "sign-in", "A link that another device requested is not used without consent", isGround: true,
      needs: [.requestMagicLink]
    ) {
      context in
      let identifier = try context.requireIdentifier(for: "request_magic_link")
      guard let second = context.second, context.hasAskedForLink else { throw CheckStop.skipped("requires request-link") }
      let message = try await context.message(to: identifier, kind: .magicLink)
      (context.link, context.code) = (message.link, message.code)
      guard let text = message.link else { throw CheckStop.skipped("the source gave no link") }
      let link = try second.linkParser.parse(text)
      guard link.state != nil else { throw CheckStop.failed("the link has no state") }
      let stranger = try await context.newDevice()
      try await context.expectNoCalls {
        try await context.expect(AuthError.foreignState) {
          try await CompleteMagicLink(gateway: stranger.client.auth, ledger: stranger.signInRequests.port)(
            [link], acceptForeign: false)
        }
      }
    },
    CheckCase(
      "link-sign-in", "sign-in", "The link signs in the device that requested it", isGround: true,
      needs: [.requestMagicLink, .loginWithMagicToken]
    ) { context in
      let identifier = try context.requireIdentifier(for: "request_magic_link")
      guard let device = context.second, context.hasAskedForLink else { throw CheckStop.skipped("requires request-link") }
      guard let text = context.link else {
        // The code in the same message signs in the second device that later checks need.
        guard try context.requireConfig().features.loginCode, let code = context.code, code != context.usedCode else {
          throw CheckStop.skipped("requires a link")
        }
        try await context.signIn(device, as: identifier, code: code)
        throw CheckStop.skipped("the source gave no link, so the code was used")
      }
      let link = try device.linkParser.parse(text)
      try await CompleteMagicLink(gateway: device.client.auth, ledger: device.signInRequests.port)([link], acceptForeign: false)
      try await context.expectAccount(of: device)
    },
    CheckCase("used-link", "sign-in", "A link works once", needs: [.loginWithMagicToken]) { context in
      guard let device = context.second, let text = context.link, await device.client.session.state.isSignedIn else {
        throw CheckStop.skipped("requires link-sign-in")
      }
      let link = try device.linkParser.parse(text)
      try await context.expect(AuthError.loginLinkInvalid) {
        try await CompleteMagicLink(gateway: device.client.auth, ledger: device.signInRequests.port)([link], acceptForeign: false)
      }
      try await context.expectAccount(of: device)
    },
  ]
}

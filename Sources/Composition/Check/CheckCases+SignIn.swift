import Client
import Console
import Domain
import RPC

extension CheckCase {
  /// Asking for messages and signing in with what they hold.
  static let signIn: [CheckCase] = asking + byCode + byLink

  private static let asking: [CheckCase] = [
    CheckCase("invalid-identifier", "sign-in", "What is no address or number is refused, here and by the backend") { subject in
      let config = try subject.knownConfig()
      let device = try await subject.newDevice()
      try await subject.expectSilence {
        let useCase = RequestLogin(gateway: device.client.auth, ledger: device.ledger.port, wall: Time.system.wall)
        try await subject.expect(AuthError.invalidIdentifier, "invalid_identifier") {
          _ = try await useCase(.magicLink, rawIdentifier: "nobody at nowhere", config: config)
        }
      }
      let refused = NetworkError.rejected(status: 400, code: BackendErrorCode.invalidIdentifier)
      try await subject.expect(refused, "400 invalid_identifier") {
        _ = try await device.client.api.send(
          AuthEndpoints.RequestLoginCode(), body: LoginCodeRequest(identifier: "nobody at nowhere"))
      }
    },
    CheckCase("request-code", "sign-in", "A code is asked for") { subject in
      let identifier = try subject.knownIdentifier()
      guard try subject.knownConfig().features.loginCode else { throw CheckStop.skipped("the backend has no login codes") }
      guard let device = subject.first else { throw CheckStop.skipped("needs app-config") }
      let outcome = try await subject.ask(.loginCode, by: device, for: identifier)
      try subject.expect(outcome.expiresInSeconds > 0, "the code is good for no time")
      subject.hasAskedForCode = true
    },
    CheckCase("cooldown", "sign-in", "A second request inside the cooldown is not sent") { subject in
      let identifier = try subject.knownIdentifier()
      guard let device = subject.first, subject.hasAskedForCode else { throw CheckStop.skipped("needs request-code") }
      guard try await !device.ledger.cooldowns().isEmpty else { throw CheckStop.skipped("the backend asks for no cooldown") }
      try await subject.expectSilence {
        let useCase = RequestLogin(gateway: device.client.auth, ledger: device.ledger.port, wall: Time.system.wall)
        do throws(AuthError) {
          _ = try await useCase(.magicLink, rawIdentifier: identifier.text, config: device.config)
        } catch .cooldown {
          return
        }
        throw CheckStop.failed("expected cooldown, but it was let through")
      }
    },
    CheckCase("rate-limit", "sign-in", "Another device that asks too early gets 429 with Retry-After") { subject in
      let identifier = try subject.knownIdentifier()
      guard let device = subject.first, subject.hasAskedForCode else { throw CheckStop.skipped("needs request-code") }
      guard try await !device.ledger.cooldowns().isEmpty else { throw CheckStop.skipped("the backend asks for no cooldown") }
      let other = try await subject.newDevice()
      do throws(AuthError) {
        let receipt = try await other.client.auth.requestLoginCode(identifier)
        subject.setTurn(inSeconds: receipt.cooldownSeconds)
      } catch .tooManyAttempts(let seconds) {
        guard let seconds, seconds > 0 else { throw CheckStop.failed("the 429 says not how long to wait") }
        subject.setTurn(inSeconds: seconds)
        return
      }
      throw CheckStop.failed("expected 429 too_many_attempts, but another message was sent")
    },
  ]

  private static let byCode: [CheckCase] = [
    CheckCase("wrong-code", "sign-in", "A wrong code is refused, and the right one stays good") { subject in
      let identifier = try subject.knownIdentifier()
      guard let device = subject.first, subject.hasAskedForCode else { throw CheckStop.skipped("needs request-code") }
      guard let code = try await subject.message(to: identifier, kind: .loginCode).code else {
        throw CheckStop.skipped("the source gave no code")
      }
      subject.code = code
      // Another digit at the end: a wrong code of the right shape.
      let wrong = code.dropLast() + (code.last == "0" ? "1" : "0")
      try await subject.expect(AuthError.loginCodeInvalid, "login_code_invalid") {
        try await LoginWithCode(gateway: device.client.auth)(
          rawIdentifier: identifier.text, rawCode: String(wrong), config: try subject.knownConfig())
      }
      let state = await device.client.session.state
      try subject.expect(!state.isSignedIn, "the wrong code signed somebody in")
    },
    CheckCase("code-sign-in", "sign-in", "The code signs in") { subject in
      let identifier = try subject.knownIdentifier()
      guard let device = subject.first, let code = subject.code else { throw CheckStop.skipped("needs a code") }
      try await subject.signIn(device, as: identifier, code: code)
    },
    CheckCase("used-code", "sign-in", "A code is good once") { subject in
      let identifier = try subject.knownIdentifier()
      guard let code = subject.spentCode else { throw CheckStop.skipped("needs code-sign-in") }
      let client = subject.client()
      try await subject.expect(AuthError.loginCodeInvalid, "login_code_invalid") {
        try await LoginWithCode(gateway: client.auth)(
          rawIdentifier: identifier.text, rawCode: code, config: try subject.knownConfig())
      }
    },
  ]

  private static let byLink: [CheckCase] = [
    CheckCase("request-link", "sign-in", "A link is asked for, after exactly the wait that was told") { subject in
      let identifier = try subject.knownIdentifier()
      try subject.expectSource()
      let device = try await subject.newDevice()
      await device.refreshConfig()
      let outcome = try await subject.ask(.magicLink, by: device, for: identifier)
      try subject.expect(outcome.expiresInSeconds > 0, "the link is good for no time")
      (subject.second, subject.hasAskedForLink) = (device, true)
    },
    CheckCase("foreign-state", "sign-in", "A link that another device asked for is not followed unasked") { subject in
      let identifier = try subject.knownIdentifier()
      guard let second = subject.second, subject.hasAskedForLink else { throw CheckStop.skipped("needs request-link") }
      let message = try await subject.message(to: identifier, kind: .magicLink)
      (subject.link, subject.code) = (message.link, message.code)
      guard let text = message.link else { throw CheckStop.skipped("the source gave no link") }
      let link = try second.linkParser.parse(text)
      guard link.state != nil else { throw CheckStop.failed("the link carries no state") }
      let stranger = try await subject.newDevice()
      try await subject.expectSilence {
        try await subject.expect(AuthError.foreignState, "foreign_state") {
          try await CompleteMagicLink(gateway: stranger.client.auth, ledger: stranger.ledger.port)(link, acceptForeign: false)
        }
      }
    },
    CheckCase("link-sign-in", "sign-in", "The link signs in the device that asked for it") { subject in
      let identifier = try subject.knownIdentifier()
      guard let device = subject.second, subject.hasAskedForLink else { throw CheckStop.skipped("needs request-link") }
      guard let text = subject.link else {
        // The code beside the link makes the second device that later checks need.
        guard let code = subject.code, code != subject.spentCode else { throw CheckStop.skipped("needs a link") }
        try await subject.signIn(device, as: identifier, code: code)
        throw CheckStop.skipped("the source gave no link; the code beside it was used")
      }
      let link = try device.linkParser.parse(text)
      try await CompleteMagicLink(gateway: device.client.auth, ledger: device.ledger.port)(link, acceptForeign: false)
      try await subject.expectAccount(of: device)
    },
    CheckCase("used-link", "sign-in", "A link is good once") { subject in
      guard let device = subject.second, let text = subject.link, await device.client.session.state.isSignedIn else {
        throw CheckStop.skipped("needs link-sign-in")
      }
      let link = try device.linkParser.parse(text)
      try await subject.expect(AuthError.loginLinkInvalid, "login_link_invalid") {
        try await CompleteMagicLink(gateway: device.client.auth, ledger: device.ledger.port)(link, acceptForeign: false)
      }
      try await subject.expectAccount(of: device)
    },
  ]
}

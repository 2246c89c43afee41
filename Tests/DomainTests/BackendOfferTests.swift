import FoundationEssentials
import Domain
import Locking
import Support
import Testing

/// What a backend with a file of its own changes in the sign-in (contract 5.2).
struct BackendOfferTests {
  private static func config(_ calls: [String: [String]], hidden: Set<BackendFeature> = []) -> AppConfig {
    var config = AppConfig()
    config.offer = BackendOffer(
      signIn: calls.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) }, hidden: hidden, isOfFile: true)
    return config
  }

  private static let codes = config(["login_with_code": ["identifier", "code"], "request_login_code": ["identifier"]])

  @Test(arguments: [
    ("ada", Identifier.Kind.name, "ada", "a•••"), (" Ada Lovelace ", .name, "Ada Lovelace", "A•••"),
    ("Ada@Example.com", .email, "Ada@Example.com", "A•••@Example.com"),
    ("+49 (0)170 1234567", .phone, "+491701234567", "+49•••67"),
  ])
  func aNameIsSentAsItWasTyped(typed: String, kind: Identifier.Kind, text: String, masked: String) throws {
    let identifier = try Identifier(typed: typed, for: Self.codes.offer)
    #expect(identifier.kind == kind && identifier.text == text && identifier.masked == masked)
  }

  @Test(arguments: ["", "  ", "a\u{7}b", "a\nb", String(repeating: "a", count: 255)])
  func noIdentifierOfABackendIsEmptyLongOrHasControlCharacters(typed: String) {
    #expect(throws: AuthError.invalidIdentifier) { try Identifier(typed: typed, for: Self.codes.offer) }
  }

  @Test func theContractKnowsNoNames() {
    #expect(throws: AuthError.invalidIdentifier) { try Identifier(typed: "ada", for: .contract) }
  }

  @Test(arguments: ["KBQM-JXLT", "12345678", " AAA-AAA "]) func aCodeCanHaveAnyShape(code: String) async throws {
    let sent = Locked<[String]>([])
    var gateway = RequestLoginTests.Backend().gateway
    gateway.redeemCode = { (_, code, further) async throws(AuthError) in sent.withLock { $0 += [code] + further.keys } }
    try await LoginWithCode(gateway: gateway)(
      rawIdentifier: "ada", rawCode: code, further: ["password": "x"], config: Self.codes)
    #expect(sent.withLock { $0 } == [code.filter { $0 != " " }, "password"])
  }

  @Test func whatTheBackendLacksIsNotSent() async {
    let backend = RequestLoginTests.Backend()
    let none = Self.config([:], hidden: Set(BackendFeature.allCases))
    await #expect(throws: AuthError.featureDisabled) {
      try await LoginWithCode(gateway: backend.gateway)(rawIdentifier: "ada", rawCode: "1", config: none)
    }
    await #expect(throws: AuthError.featureDisabled) {
      try await LoginWithPassword(gateway: backend.gateway)(rawIdentifier: "ada", password: "x", config: none)
    }
    await #expect(throws: AuthError.featureDisabled) {
      try await LoginWithPassword(gateway: backend.gateway)(rawIdentifier: "a@b.co", password: "x", config: AppConfig())
    }
    for message in [RequestLogin.Message.magicLink, .loginCode] {
      await #expect(throws: AuthError.featureDisabled) {
        _ = try await RequestLogin(gateway: backend.gateway, ledger: backend.ledger, wall: { .now })(
          message, rawIdentifier: "ada", config: none)
      }
    }
  }

  @Test func anIdentifierIsNeededOnlyForCallsThatAskForIt() async throws {
    let backend = RequestLoginTests.Backend()
    let ask = RequestLogin(gateway: backend.gateway, ledger: backend.ledger, wall: backend.driven.time.wall)
    let calls = ["login_with_code": ["code"], "login_with_password": ["password"], "request_login_code": []]
    let config = Self.config(calls)
    let outcome = try await ask(.loginCode, rawIdentifier: nil, config: config)
    #expect(outcome.identifier == nil && backend.calls.withLock { $0 } == ["code none"])
    // Its wait is kept like that of an identifier.
    await #expect(throws: AuthError.cooldown(retryAfterSeconds: 5)) {
      try await ask(.loginCode, rawIdentifier: "", config: config)
    }
    try await LoginWithCode(gateway: backend.gateway)(rawIdentifier: nil, rawCode: "1", config: config)
    try await LoginWithPassword(gateway: backend.gateway)(rawIdentifier: nil, password: "x", config: config)
    let asking = Self.config(calls.mapValues { ["identifier"] + $0 })
    await #expect(throws: AuthError.invalidIdentifier) { try await ask(.loginCode, rawIdentifier: nil, config: asking) }
    await #expect(throws: AuthError.invalidIdentifier) {
      try await LoginWithPassword(gateway: backend.gateway)(rawIdentifier: nil, password: "x", config: asking)
    }
    await #expect(throws: AuthError.invalidIdentifier) {
      try await LoginWithCode(gateway: backend.gateway)(rawIdentifier: nil, rawCode: "123456", config: AppConfig())
    }
  }

  @Test(arguments: ["", String(repeating: "x", count: 1025)]) func noPasswordIsEmptyOrLong(password: String) async {
    await #expect(throws: AuthError.passwordInvalid) {
      try await LoginWithPassword(gateway: RequestLoginTests.Backend().gateway)(
        rawIdentifier: "ada", password: password, config: Self.config(["login_with_password": ["identifier", "password"]]))
    }
  }

  @Test(arguments: [
    ("https://app.example/callback?code=a%2Fb&state=s", ["code": "a/b", "state": "s"]),
    ("Sign in: <https://app.example/in#token=t&code=c>", ["token": "t", "code": "c"]),
    ("https://app.example/in?code=query#code=fragment", ["code": "query"]),
  ])
  func theParametersOfALinkAreRead(text: String, values: [String: String]) throws {
    let parameters = try LinkParameters(in: text)
    #expect(parameters.values == values)
    #expect(parameters.templateValues == Dictionary(uniqueKeysWithValues: values.map { ("link.\($0)", $1) }))
  }

  @Test(arguments: ["", "no link", "https://app.example/in", "ftp://app.example/?code=x"])
  func aTextWithoutParametersIsNoLink(text: String) {
    #expect(throws: AuthError.loginLinkInvalid) { try LinkParameters(in: text) }
  }

  @Test func theStateOfALinkCountsWhereTheBackendSendsLinks() async throws {
    let backend = RequestLoginTests.Backend()
    let redeem = CompleteMagicLink(gateway: backend.gateway, ledger: backend.ledger)
    let parameters = try LinkParameters(in: "https://app.example/callback?code=abc&state=elsewhere")
    let pasted = Self.config(["login_with_magic_token": ["link"]]).offer
    let requested = Self.config(["login_with_magic_token": ["link"], "request_magic_link": ["identifier"]]).offer
    try await redeem(parameters: parameters, acceptForeign: false, offer: pasted)
    await #expect(throws: AuthError.foreignState) {
      try await redeem(parameters: parameters, acceptForeign: false, offer: requested)
    }
    try await redeem(parameters: parameters, acceptForeign: true, offer: requested)
  }
}

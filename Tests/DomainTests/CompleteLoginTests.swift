import Domain
import Support
import Locking
import Testing

@Suite struct CompleteLoginTests {
  let backend = RequestLoginTests.Backend()

  @Test func aForeignStateIsAskedAbout() async throws {
    let redeem = CompleteMagicLink(gateway: backend.gateway, ledger: backend.ledger)
    let token = "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4"
    let own = try DeepLink(token: token, state: "made")
    let foreign = try DeepLink(token: token, state: "elsewhere")
    try await redeem([own], acceptForeign: false)
    let bare = try DeepLink(token: token, state: nil)
    await #expect(throws: AuthError.foreignState) { try await redeem([bare], acceptForeign: false) }
    await #expect(throws: AuthError.foreignState) { try await redeem([foreign], acceptForeign: false) }
    try await redeem([foreign], acceptForeign: true)
  }

  @Test func ofSeveralReadingsTheOwnLinkIsRedeemed() async throws {
    let sent = Locked<[String?]>([])
    var gateway = backend.gateway
    gateway.redeemMagicToken = { (_, state, _) async throws(AuthError) in sent.withLock { $0.append(state) } }
    let redeem = CompleteMagicLink(gateway: gateway, ledger: backend.ledger)
    let token = "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4"
    let links = try ["ma", "made", "madeThanks"].map { try DeepLink(token: token, state: $0) }
    try await redeem(links, acceptForeign: false)
    await #expect(throws: AuthError.linkIncomplete) { try await redeem([links[0], links[2]], acceptForeign: false) }
    try await redeem([links[0]], acceptForeign: true)
    #expect(sent.withLock { $0 } == ["made", "ma"])
  }

  @Test(arguments: ["12345", "1234567", "12345a", "", "١٢٣٤٥٦"])
  func aCodeOfAnotherShapeIsNotSent(code: String) async {
    let login = LoginWithCode(gateway: backend.gateway)
    await #expect(throws: AuthError.loginCodeInvalid) {
      try await login(rawIdentifier: "a@b.co", rawCode: code, config: AppConfig())
    }
  }

  @Test func spacesAndDashesInACodeAreDropped() async throws {
    let sent = Locked<[String]>([])
    var gateway = backend.gateway
    gateway.redeemCode = { (_, code, _) async throws(AuthError) in sent.withLock { $0.append(code) } }
    try await LoginWithCode(gateway: gateway)(rawIdentifier: "a@b.co", rawCode: " 482-913 ", config: AppConfig())
    #expect(sent.withLock { $0 } == ["482913"])
  }
}

import HTTPTypes
import RPC
import Support
import Testing

@testable import Backend

@Suite(.timeLimit(.minutes(1))) struct ClosedRegistrationTests {
  @Test(arguments: ["/rpc/request_magic_link", "/rpc/request_login_code"]) func anUnknownIdentifierLooksLikeAKnownOne(
    path: String
  ) async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("backend.sqlite")
    _ = try await BackendProbe(database: file).signIn()
    // The sign-in above counted as a send too.
    let time = DrivenTime()
    time.advance(by: .seconds(3600))
    let probe = try await BackendProbe(time: time, database: file, limits: .prod, registration: .closed)
    func ask(_ identifier: String) async throws -> BackendProbe.Reply {
      try await probe.call(
        .post, path, body: Array("{\"identifier\":\"\(identifier)\"}".utf8), fields: [("X-Request-ID", "same")])
    }
    for _ in 0..<2 {
      let known = try await ask(BackendProbe.ana)
      let unknown = try await ask("nobody@example.com")
      #expect(known.status == unknown.status && known.body == unknown.body && known.fields == unknown.fields)
    }
    let messages = await probe.backend.inbox.messages(to: nil, wait: .seconds(5))
    #expect(messages.map(\.to) == [BackendProbe.ana])
    // Messages are delivered in order: a later one proves that no earlier one is pending.
    probe.time.advance(by: .seconds(60))
    _ = try await probe.ask()
    #expect(await probe.backend.inbox.messages(to: ["nobody@example.com"]).isEmpty)
  }

  @Test func wrongCodesLookTheSame() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("backend.sqlite")
    _ = try await BackendProbe(database: file).signIn()
    let probe = try await BackendProbe(database: file, registration: .closed)
    let message = try await probe.ask()
    var bodies: Set<[UInt8]> = []
    for identifier in [BackendProbe.ana, "nobody@example.com"] {
      let body = Array("{\"identifier\":\"\(identifier)\",\"code\":\"\(message.wrongCode)\"}".utf8)
      let reply = try await probe.call(.post, "/rpc/login_with_code", body: body, fields: [("X-Request-ID", "same")])
      #expect(reply.status == 401)
      bodies.insert(reply.body)
    }
    #expect(bodies.count == 1)
    #expect(try await probe.redeem(link: message.token).status == 200)
  }

  @Test func aLinkIssuedWhileOpenCreatesNoAccountOnceClosed() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("backend.sqlite")
    let message = try await BackendProbe(database: file).ask()
    let probe = try await BackendProbe(database: file, registration: .closed)
    #expect(try await probe.redeem(link: message.token).code == "login_link_invalid")
  }
}

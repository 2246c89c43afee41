import HTTPTypes
import JSON
import RPC
import Support
import Testing

@testable import Backend

@Suite(.timeLimit(.minutes(1))) struct LoginLinkTests {
  @Test func aLinkSignsInOnceAndCreatesTheAccount() async throws {
    let probe = try await BackendProbe()
    let message = try await probe.ask(state: "s t&1")
    #expect(message.kind == .magicLink)
    #expect(message.link == "http://localhost:8080/callback#token=\(try message.token)&state=s%20t%261")
    #expect(try message.token.utf8.count == 43)
    #expect(message.code?.utf8.count == 6)
    #expect(message.expiresAt.milliseconds - message.deliveredAt.milliseconds == 600_000)

    let reply = try await probe.redeem(link: message.token)
    #expect(reply.status == 200)
    let tokens = try reply.tokens
    #expect(tokens.tokenType == "Bearer" && tokens.expiresIn == 900 && tokens.refreshExpiresIn == 14 * 86_400)
    #expect(tokens.profile?.languageCode == "en")
    #expect(tokens.expiresAt?.milliseconds == Timestamp(probe.time.wall).milliseconds + 900_000)

    let again = try await probe.redeem(link: message.token)
    #expect(again.status == 401 && again.code == "login_link_invalid")
    let code = try await probe.redeem(code: try #require(message.code))
    #expect(code.status == 401 && code.code == "login_code_invalid")

    let me = try await probe.me(tokens.accessToken)
    #expect(try me.text("email") == BackendProbe.ana)
    #expect(try me.text("active_profile_id") == tokens.profile?.profileID)
  }

  @Test func allSpellingsOfAnIdentifierAreOneAccount() async throws {
    let probe = try await BackendProbe()
    let first = try await probe.me(try await probe.signIn().accessToken).text("account_id")
    let earlier = await probe.backend.inbox.messages(to: nil).last?.id
    _ = try await probe.post("/rpc/request_magic_link", "{\"identifier\":\" Ana@EXAMPLE.com \"}")
    let message = try #require(
      await probe.backend.inbox.messages(to: [BackendProbe.ana], after: earlier, wait: .seconds(20)).first)
    let second = try await probe.redeem(link: message.token).tokens
    #expect(try await probe.me(second.accessToken).text("account_id") == first)
  }

  @Test func resendingInvalidatesTheEarlierLinkAndCode() async throws {
    let probe = try await BackendProbe()
    let first = try await probe.ask()
    let second = try await probe.ask(link: false)
    #expect(second.kind == .loginCode && second.link == nil)
    #expect(try await probe.redeem(link: first.token).code == "login_link_invalid")
    let code = try #require(first.code)
    if code != second.code { #expect(try await probe.redeem(code: code).code == "login_code_invalid") }
    #expect(try await probe.redeem(code: try #require(second.code)).status == 200)
  }

  @Test func usingTheCodeInvalidatesTheLink() async throws {
    let probe = try await BackendProbe()
    let message = try await probe.ask()
    #expect(try await probe.redeem(code: try #require(message.code)).status == 200)
    #expect(try await probe.redeem(link: message.token).code == "login_link_invalid")
  }

  @Test func aLinkExpiresExactlyOnTime() async throws {
    let probe = try await BackendProbe()
    let late = try await probe.ask()
    probe.time.advance(by: .seconds(600))
    #expect(try await probe.redeem(link: late.token).code == "login_link_invalid")
    let inTime = try await probe.ask()
    probe.time.advance(by: .milliseconds(599_999))
    #expect(try await probe.redeem(link: inTime.token).status == 200)
  }

  @Test func anAlteredTokenIsRefusedAndTheLinkStaysValid() async throws {
    let probe = try await BackendProbe()
    let token = try await probe.ask().token
    for altered in [String(token.dropLast()), token + "A", token.uppercased(), "", String(token.reversed())]
    where altered != token {
      let reply = try await probe.redeem(link: altered)
      #expect(reply.status == 401 && reply.code == "login_link_invalid")
    }
    #expect(try await probe.redeem(link: token).status == 200)
  }

  @Test func aWrongStateIsRefusedAndTheLinkStaysValid() async throws {
    let probe = try await BackendProbe()
    let token = try await probe.ask(state: "mine").token
    let path = "/rpc/login_with_magic_token"
    #expect(try await probe.post(path, "{\"token\":\"\(token)\",\"state\":\"theirs\"}").code == "login_link_invalid")
    #expect(try await probe.post(path, "{\"token\":\"\(token)\",\"state\":\"mine\"}").status == 200)
  }

  @Test(arguments: [true, false]) func oneOfFiftyConcurrentRedemptionsWins(byLink: Bool) async throws {
    let folder = try TemporaryFolder()
    let probe = try await BackendProbe(database: folder.file("backend.sqlite"))
    let message = try await probe.ask()
    let token = try message.token
    let code = try #require(message.code)
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for index in 0..<50 {
        group.addTask {
          // A code allows five attempts, so only the first five count.
          byLink
            ? try await probe.redeem(link: token, device: "device-\(index)").status
            : try await probe.redeem(code: code, device: "device-\(index)").status
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.filter { $0 == 200 }.count == 1)
    #expect(statuses.filter { $0 == 401 }.count == 49)
  }

  @Test func aDeviceIsRequired() async throws {
    let probe = try await BackendProbe()
    let message = try await probe.ask()
    for device in [nil, "", "two words", String(repeating: "d", count: 129)] {
      #expect(
        try await probe.post("/rpc/request_magic_link", "{\"identifier\":\"a@b.example\"}", device: device).code
          == "invalid_request")
      #expect(try await probe.redeem(link: message.token, device: device).status == 400)
      #expect(try await probe.redeem(code: try #require(message.code), device: device).status == 400)
    }
    #expect(try await probe.redeem(link: message.token).status == 200)
  }

  @Test(arguments: [
    "", "ana", "@example.com", "ana@", "ana@example", "a@b@c.example", "ana@ex ample.com", "ana@-x.example", "+123456",
    "0171234567",
    "+0123456789", "ana@example.com\\r\\nBcc: x@y.example", "аna@example.com", "+49 171 x",
  ]) func badIdentifiers(identifier: String) async throws {
    let probe = try await BackendProbe()
    for path in ["/rpc/request_magic_link", "/rpc/request_login_code"] {
      let reply = try await probe.post(path, "{\"identifier\":\"\(identifier)\"}")
      #expect(reply.status == 400 && reply.code == "invalid_identifier")
    }
    #expect(try await probe.redeem(code: "000000", of: identifier).code == "invalid_identifier")
  }
}

import HTTPTypes
import JSON
import RPC
import Support
import Testing

@testable import Backend

@Suite(.timeLimit(.minutes(1))) struct ProfileTests {
  private static let make = AccountEndpoints.GetOrCreateProfile.path
  private static let activate = AccountEndpoints.SetActiveProfile.path

  private func body(_ account: String, _ language: String) -> String {
    "{\"account_id\":\"\(account)\",\"language_code\":\"\(language)\"}"
  }

  @Test func aProfileIsCreatedOnceWithItsDeckAndActivatedOnRequest() async throws {
    let probe = try await BackendProbe()
    let tokens = try await probe.signIn()
    let me = try await probe.account(tokens)
    let made = try await probe.post(Self.make, body(me.accountID, "de"), token: tokens.accessToken)
    #expect(made.status == 201)
    let profile = try JSONCoding.decode(ProfileBody.self, from: made.body)
    let again = try await probe.post(Self.make, body(me.accountID, "de"), token: tokens.accessToken)
    #expect(again.status == 200 && again.body == made.body)
    let cues = try JSONCoding.decode(CueListBody.self, from: try await probe.cues(tokens, of: profile.profileID).body).cues
    #expect(cues.map(\.answer) == Deck.of("de").map(\.answer))
    #expect(try await probe.account(tokens).activeProfileID == me.activeProfileID, "creating a profile does not activate it")
    let active = try await probe.post(Self.activate, body(me.accountID, "de"), token: tokens.accessToken)
    #expect(active.status == 200 && active.body == made.body)
    let after = try await probe.account(tokens)
    #expect(after.activeProfileID == profile.profileID && after.profiles?.map(\.languageCode) == ["en", "de"])
    #expect(try await probe.refresh(tokens.refreshToken).tokens.profile == profile)
  }

  @Test func concurrentCallsCreateOneProfile() async throws {
    let probe = try await BackendProbe()
    let tokens = try await probe.signIn()
    let text = body(try await probe.account(tokens).accountID, "fr")
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 { group.addTask { try await probe.post(Self.make, text, token: tokens.accessToken).status } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.sorted() == Array(repeating: 200, count: 19) + [201])
  }

  @Test func whatIsRefused() async throws {
    let probe = try await BackendProbe()
    let tokens = try await probe.signIn()
    let other = try await probe.signIn("other@example.com", device: "two")
    let mine = try await probe.account(tokens).accountID
    let theirs = try await probe.account(other, device: "two").accountID
    for path in [Self.make, Self.activate] {
      let foreign = try await probe.post(path, body(theirs, "de"), token: tokens.accessToken)
      #expect(foreign.status == 404 && foreign.code == "not_found")
      #expect(try await probe.post(path, body(mine, "de")).code == "invalid_token")
      #expect(
        try await probe.post(path, body(mine, "de"), device: "two", token: tokens.accessToken).code == "ErrDeviceNotRegistered")
    }
    let unknown = try await probe.post(Self.make, body(mine, "tlh"), token: tokens.accessToken)
    #expect(unknown.status == 400 && unknown.code == "invalid_request")
    let missing = try await probe.post(Self.activate, body(mine, "de"), token: tokens.accessToken)
    #expect(missing.status == 404 && missing.code == "profile_not_found")
    #expect(try await probe.account(other, device: "two").profiles?.map(\.languageCode) == ["en"])
  }

  @Test func aCallIsStarted() async throws {
    let probe = try await BackendProbe()
    let tokens = try await probe.signIn()
    let reply = try await probe.post("/app/api/call/start", "{\"callee\":\"+491711234567\"}", token: tokens.accessToken)
    #expect(reply.status == 200)
    #expect(try reply.text("call_id").utf8.count == 36)
    #expect(try await probe.post("/app/api/call/start", "{\"callee\":\"x\"}").code == "invalid_token")
  }
}

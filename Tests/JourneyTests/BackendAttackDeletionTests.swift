import Foundation
import JSON
import Support
import Testing

extension BackendAttackTests {
  @Test func b26ADeletionHasItsGraceAndThenLeavesNothing() async throws {
    let target = try await Self.target()
    let path = "/rpc/request_account_deletion"
    let tokens = try await target.signIn("leaves@example.com")
    let second = try await target.signIn("leaves@example.com", device: "two")
    let me = try #require(try await target.me(tokens.access).json)
    let asked = try await target.post(path, "{}", tokens)
    let schedule = try #require(asked.json?["scheduled_for"]?.string)
    #expect(asked.status == 202 && asked.json?["status"]?.string == "scheduled")
    try await target.advance(60)
    #expect(try await target.post(path, "{}", tokens).json?["scheduled_for"]?.string == schedule, "asked twice, scheduled once")
    #expect(try await target.me(second.access, device: "two").code == "invalid_token")
    #expect(try await target.refresh(second.refresh, device: "two").code == "invalid_token")
    try await target.advance(14 * 86_400 - 120)
    let inGrace = try await target.signIn("leaves@example.com")
    let shown = try #require(try await target.me(inGrace.access).json)
    #expect(shown["deletion_scheduled_for"]?.string == schedule && shown["account_id"]?.string == me["account_id"]?.string)
    let waiting = try await target.ask("leaves@example.com")
    try await target.advance(61)
    let account = try #require(me["account_id"]?.string)
    for table in ["account", "session", "profile", "idempotency_record"] {
      #expect(try await target.count("SELECT count(*) FROM \(table) WHERE account_id = ?", account) == 0, "\(table)")
    }
    #expect(try await target.count("SELECT count(*) FROM cue WHERE profile_id = ?", tokens.profileID) == 0)
    for id in [tokens.sessionID, inGrace.sessionID] {
      #expect(try await target.count("SELECT count(*) FROM token_pair WHERE session_id = ?", id) == 0)
    }
    for table in ["login_challenge", "login_send"] {
      #expect(try await target.count("SELECT count(*) FROM \(table) WHERE identifier = ?", "leaves@example.com") == 0)
    }
    #expect(try await target.mail(to: "leaves@example.com", wait: 0).isEmpty)
    #expect(try await target.me(inGrace.access).code == "invalid_token")
    #expect(try await target.refresh(inGrace.refresh).code == "invalid_token")
    #expect(try await target.redeem(link: waiting.token).code == "login_link_invalid")
    let told = try await [true, false].asyncMap { link in
      try await ["leaves@example.com", "was-never-here@example.com"].asyncMap { identifier in
        try await target.send("POST", BackendTarget.path(link: link), BackendTarget.body(identifier)).told
      }
    }
    for pair in told { #expect(Set(pair).count == 1) }
    let fresh = try await target.signIn("leaves@example.com")
    #expect(try await target.me(fresh.access).json?["account_id"]?.string != account)
  }

  /// Whichever comes first, the other sees it: a login at that instant creates a new account or none.
  @Test func b27ThePurgeAndARedemptionAtTheSameInstant() async throws {
    let target = try await Self.target()
    for round in 0..<4 {
      let identifier = "instant\(round)@example.com"
      let tokens = try await target.signIn(identifier)
      let old = try #require(try await target.me(tokens.access).json?["account_id"]?.string)
      #expect(try await target.post("/rpc/request_account_deletion", "{}", tokens).status == 202)
      try await target.advance(14 * 86_400 - 300)
      let mail = try await target.ask(identifier)
      var requests = [
        BackendTarget.request(
          "POST", "/dev/clock", "{\"advance_seconds\":300}", device: nil, token: BackendTarget.developersToken),
        BackendTarget.request("POST", "/rpc/login_with_magic_token", "{\"token\":\"\(mail.token)\"}"),
      ]
      if round % 2 == 1 { requests.reverse() }
      let replies = try await target.atOnce(requests)
      let login = round % 2 == 1 ? replies[0] : replies[1]
      #expect(try await target.count("SELECT count(*) FROM account WHERE account_id = ?", old) == 0)
      guard let tokens = BackendTokens(login) else {
        #expect(login.code == "login_link_invalid")
        continue
      }
      // If it signed in just before the purge, the session was deleted with the account; after it, there is a new account.
      let me = try await target.me(tokens.access)
      #expect(me.code == "invalid_token" || me.json?["account_id"]?.string != old)
    }
  }
}

extension Array {
  /// The values of the tasks, in order.
  fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async throws -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await body(element)) }
    return values
  }
}

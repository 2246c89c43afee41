import Client
import HTTPTypes
import JSON
import RPC
import Locking
import Storage
import Testing

/// The seven events through the console's routes, and opting out.
@Suite(.timeLimit(.minutes(2))) struct AnalyticsRoutesTests {
  private func events(_ harness: ConsoleHarness, _ caller: ConsoleHarness.Caller) async -> [String] {
    await harness.timeline(caller).filter { $0["kind"]?.string == "analytics" }.compactMap { $0["name"]?.string }
  }

  @Test func eachOfTheSevenEventsIsReported() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.caller()
    func post(_ path: String, _ body: String) async { _ = await harness.call(.post, path, body, as: caller) }
    await post("/api/login/magic-link", #"{"identifier":"dana@example.com"}"#)
    await post("/api/login/code/verify", #"{"identifier":"dana@example.com","code":"1"}"#)
    await post("/api/login/code/verify", #"{"identifier":"dana@example.com","code":"123456"}"#)
    await post("/api/analytics", #"{"name":"settings.opened"}"#)
    await post("/api/account/language", #"{"language_code":"de"}"#)
    await post("/api/account/analytics", #"{"opted_in":false}"#)
    await post("/api/account/analytics", #"{"opted_in":true}"#)
    _ = await harness.call(.post, "/api/logout", as: caller)
    try #require(
      await events(harness, caller) == [
        "auth.magic_link_requested", "auth.login_failed", "auth.login_success", "settings.opened", "settings.language_change",
        "settings.analytics_opt_in_changed", "settings.analytics_opt_in_changed", "auth.logout",
      ])
    let words = await harness.timeline(caller).filter { $0["kind"]?.string == "analytics" }
    #expect(words[1]["reason"]?.string == "invalid_credential" && words[1]["to"]?.string == "login_code")
    #expect(words[4]["from"]?.string == "en" && words[4]["to"]?.string == "de")
    #expect(words[5]["to"]?.string == "off" && words[7]["reason"]?.string == "user")
  }

  @Test func theTimelineContainsNoIdentifiers() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    _ = await harness.call(.post, "/api/account/language", #"{"language_code":"de"}"#, as: caller)
    let text = String(decoding: await harness.call(.get, "/api/timeline", as: caller).body, as: UTF8.self)
    #expect(text.contains("auth.login_success"))
    for secret in ["dana", "example.com", "Dana", "account\"", "\"user\"", "access", "profile-", "123456"] {
      #expect(!text.replacing("signed_out\",\"user\"", with: "").contains(secret), "\(secret)")
    }
  }

  @Test func offStopsAtOnceForThisAccountOnThisDeviceOverARelaunchAndALogout() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let other = try await harness.signedIn()
    let off = await harness.call(.post, "/api/account/analytics", #"{"opted_in":false}"#, as: caller)
    #expect(off.json?["settings"]?["analytics_opted_in"]?.bool == false)
    let before = await events(harness, caller).count
    func use() async {
      _ = await harness.call(.post, "/api/analytics", #"{"name":"settings.opened"}"#, as: caller)
      _ = await harness.call(.post, "/api/account/language", #"{"language_code":"de"}"#, as: caller)
      _ = await harness.call(.post, "/api/logout", as: caller)
      _ = await harness.call(.post, "/api/login/magic-link", #"{"identifier":"dana@example.com"}"#, as: caller)
      for code in ["1", "123456"] {
        _ = await harness.call(
          .post, "/api/login/code/verify", #"{"identifier":"dana@example.com","code":"\#(code)"}"#, as: caller)
      }
    }
    await use()
    #expect(await events(harness, caller).count == before)
    _ = await harness.call(.post, "/api/session/relaunch", as: caller)
    await use()
    #expect(await events(harness, caller).count == before, "the timeline outlives the relaunch, and nothing was added")
    let account = await harness.call(.get, "/api/account", as: caller)
    #expect(account.json?["settings"]?["analytics_opted_in"]?.bool == false)
    _ = await harness.call(.post, "/api/analytics", #"{"name":"settings.opened"}"#, as: other)
    #expect(await events(harness, other).last == "settings.opened")
  }

  @Test func theChoiceNeedsNoNetwork() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    harness.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in throw .connectionLost(mayHaveBeenProcessed: true) }
    #expect(await harness.call(.post, "/api/account/analytics", #"{"opted_in":false}"#, as: caller).code == "offline")
    let before = await events(harness, caller).count
    _ = await harness.call(.post, "/api/analytics", #"{"name":"settings.opened"}"#, as: caller)
    #expect(await events(harness, caller).count == before, "kept, though the account could not be shown")
  }

  @Test(arguments: ["", "auth.logout", "settings.opened ", "dana@example.com", "<b>"])
  func pagesCannotReportOtherEvents(name: String) async throws {
    let harness = try await ConsoleHarness()
    let answer = await harness.call(.post, "/api/analytics", #"{"name":"\#(name)"}"#, as: try await harness.caller())
    #expect(answer.status == 400 && answer.json?["field"]?.string == "name")
  }

  @Test func optingOutIsForbiddenIfTheBackendDisablesIt() async throws {
    let harness = try await ConsoleHarness()
    harness.backend.state.withLock { $0.features.analyticsOptOut = false }
    let caller = try await harness.signedIn()
    let answer = await harness.call(.post, "/api/account/analytics", #"{"opted_in":false}"#, as: caller)
    #expect(answer.status == 403 && answer.code == "feature_disabled")
  }

  @Test func theAccountIsStoredAsATagAndDeletedWithTheDevice() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    _ = await harness.call(.post, "/api/account/analytics", #"{"opted_in":false}"#, as: caller)
    let tags = try await harness.storage.read {
      try $0.rows("SELECT account_tag FROM account_setting").map { try $0.text("account_tag") }
    }
    #expect(tags.count == 1 && tags.allSatisfy { $0.count == 32 && !$0.contains("account") })
    #expect(await harness.call(.delete, "/api/device", as: caller).status == 204)
    #expect(try await harness.storage.read { try $0.number("SELECT count(*) FROM account_setting") } == 0)
  }
}

import Client
import GRDB
import HTTPTypes
import JSON
import RPC
import Locking
import Testing

/// The seven events through the console's routes, and the choice that keeps them out.
@Suite(.timeLimit(.minutes(2))) struct AnalyticsRoutesTests {
  private func events(_ bench: ConsoleHarness, _ caller: ConsoleHarness.Caller) async -> [String] {
    await bench.timeline(caller).filter { $0["kind"]?.string == "analytics" }.compactMap { $0["name"]?.string }
  }

  @Test func eachOfTheSevenEventsIsReported() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.caller()
    func post(_ path: String, _ body: String) async { _ = await bench.call(.post, path, body, as: caller) }
    await post("/api/login/magic-link", #"{"identifier":"dana@example.com"}"#)
    await post("/api/login/code/verify", #"{"identifier":"dana@example.com","code":"1"}"#)
    await post("/api/login/code/verify", #"{"identifier":"dana@example.com","code":"123456"}"#)
    await post("/api/analytics", #"{"name":"settings.opened"}"#)
    await post("/api/account/language", #"{"language_code":"de"}"#)
    await post("/api/account/analytics", #"{"opted_in":false}"#)
    await post("/api/account/analytics", #"{"opted_in":true}"#)
    _ = await bench.call(.post, "/api/logout", as: caller)
    try #require(
      await events(bench, caller) == [
        "auth.magic_link_requested", "auth.login_failed", "auth.login_success", "settings.opened", "settings.language_change",
        "settings.analytics_opt_in_changed", "settings.analytics_opt_in_changed", "auth.logout",
      ])
    let words = await bench.timeline(caller).filter { $0["kind"]?.string == "analytics" }
    #expect(words[1]["reason"]?.string == "invalid_credential" && words[1]["to"]?.string == "login_code")
    #expect(words[4]["from"]?.string == "en" && words[4]["to"]?.string == "de")
    #expect(words[5]["to"]?.string == "off" && words[7]["reason"]?.string == "user")
  }

  @Test func nothingInTheTimelineNamesAnybody() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
    _ = await bench.call(.post, "/api/account/language", #"{"language_code":"de"}"#, as: caller)
    let text = String(decoding: await bench.call(.get, "/api/timeline", as: caller).body, as: UTF8.self)
    #expect(text.contains("auth.login_success"))
    for secret in ["dana", "example.com", "Dana", "account\"", "\"user\"", "access", "profile-", "123456"] {
      #expect(!text.replacing("signed_out\",\"user\"", with: "").contains(secret), "\(secret)")
    }
  }

  @Test func offStopsAtOnceForThisAccountOnThisDeviceOverARelaunchAndALogout() async throws {
    let bench = try ConsoleHarness()
    let (caller, other) = (try await bench.signedIn(), try await bench.signedIn())
    let off = await bench.call(.post, "/api/account/analytics", #"{"opted_in":false}"#, as: caller)
    #expect(off.json?["settings"]?["analytics_opted_in"]?.bool == false)
    let before = await events(bench, caller).count
    func use() async {
      _ = await bench.call(.post, "/api/analytics", #"{"name":"settings.opened"}"#, as: caller)
      _ = await bench.call(.post, "/api/account/language", #"{"language_code":"de"}"#, as: caller)
      _ = await bench.call(.post, "/api/logout", as: caller)
      _ = await bench.call(.post, "/api/login/magic-link", #"{"identifier":"dana@example.com"}"#, as: caller)
      for code in ["1", "123456"] {
        _ = await bench.call(
          .post, "/api/login/code/verify", #"{"identifier":"dana@example.com","code":"\#(code)"}"#, as: caller)
      }
    }
    await use()
    #expect(await events(bench, caller).count == before)
    _ = await bench.call(.post, "/api/session/relaunch", as: caller)
    await use()
    #expect(await events(bench, caller).isEmpty)
    let account = await bench.call(.get, "/api/account", as: caller)
    #expect(account.json?["settings"]?["analytics_opted_in"]?.bool == false)
    _ = await bench.call(.post, "/api/analytics", #"{"name":"settings.opened"}"#, as: other)
    #expect(await events(bench, other).last == "settings.opened")
  }

  @Test func theChoiceNeedsNoNetwork() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
    bench.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in throw .connectionLost(mayHaveBeenProcessed: true) }
    #expect(await bench.call(.post, "/api/account/analytics", #"{"opted_in":false}"#, as: caller).code == "offline")
    let before = await events(bench, caller).count
    _ = await bench.call(.post, "/api/analytics", #"{"name":"settings.opened"}"#, as: caller)
    #expect(await events(bench, caller).count == before, "kept, though the account could not be shown")
  }

  @Test(arguments: ["", "auth.logout", "settings.opened ", "dana@example.com", "<b>"])
  func anotherEventIsNotThePagesToReport(name: String) async throws {
    let bench = try ConsoleHarness()
    let answer = await bench.call(.post, "/api/analytics", #"{"name":"\#(name)"}"#, as: try await bench.caller())
    #expect(answer.status == 400 && answer.json?["field"]?.string == "name")
  }

  @Test func optingOutIsForbiddenWhereTheBackendSaysSo() async throws {
    let bench = try ConsoleHarness()
    bench.backend.state.withLock { $0.features.analyticsOptOut = false }
    let caller = try await bench.signedIn()
    let answer = await bench.call(.post, "/api/account/analytics", #"{"opted_in":false}"#, as: caller)
    #expect(answer.status == 403 && answer.code == "feature_disabled")
  }

  @Test func theAccountIsKeptAsATagAndGoesWithTheDevice() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
    _ = await bench.call(.post, "/api/account/analytics", #"{"opted_in":false}"#, as: caller)
    let tags = try await bench.database.read { try String.fetchAll($0, sql: "SELECT account_tag FROM account_setting") }
    #expect(tags.count == 1 && tags.allSatisfy { $0.count == 32 && !$0.contains("account") })
    #expect(await bench.call(.delete, "/api/device", as: caller).status == 204)
    #expect(try await bench.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM account_setting") } == 0)
  }
}

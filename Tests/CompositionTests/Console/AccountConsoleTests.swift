import JSON
import Support
import Testing

/// The account routes over real sockets, TLS and the embedded backend.
@Suite(.timeLimit(.minutes(2))) struct AccountConsoleTests {
  /// Runs the body with a browser on whose device the identifier is signed in.
  private func withBrowser(_ identifier: String, _ body: @escaping @Sendable (ConsoleBrowser) throws -> Void) async throws {
    try await RunningConsoleTests.withConsole { _, port in
      let browser = ConsoleBrowser(port: port)
      try browser.makeDevice()
      #expect(try browser.signIn(identifier).status == 200)
      try body(browser)
    }
  }

  @Test func languagesAndProfilesFollowTheBackend() async throws {
    try await withBrowser("dana@example.com") { browser in
      let first = try browser.call("GET", "/api/profiles")
      #expect(first.json?["profiles"]?.elements.count == 1)
      let account = try browser.call("POST", "/api/account/language", #"{"language_code":"ja"}"#)
      #expect(account.json?["active_profile"]?["language_code"]?.string == "ja")
      #expect(account.json?["settings"]?["preferred_language_code"]?.string == "ja")
      let made = try browser.call("POST", "/api/profiles", #"{"language_code":"he"}"#)
      #expect(made.status == 201)
      let hebrew = try #require(made.json?["profile_id"]?.string)
      #expect(try browser.call("POST", "/api/profiles", #"{"language_code":"he"}"#).status == 200)
      #expect(try browser.call("POST", "/api/profiles/active", #"{"profile_id":"\#(hebrew)"}"#).status == 200)
      let last = try browser.call("GET", "/api/profiles")
      #expect(last.json?["profiles"]?.elements.count == 3 && last.json?["active_profile_id"]?.string == hebrew)
      #expect(try browser.call("POST", "/api/profiles", #"{"language_code":"tlh"}"#).json?["field"]?.string == "language_code")
      #expect(try browser.call("POST", "/api/profiles/active", #"{"profile_id":"x"}"#).status == 404)
      #expect(try browser.call("POST", "/api/profiles/active", #"{"profile_id":7}"#).json?["field"]?.string == "profile_id")
    }
  }

  @Test func theDeletionSignsOutAndShowsAtTheNextSignIn() async throws {
    try await withBrowser("dana@example.com") { browser in
      #expect(try browser.call("POST", "/api/account/deletion", #"{"confirmation":"delete"}"#).code == "confirmation_mismatch")
      let answer = try browser.call("POST", "/api/account/deletion", #"{"confirmation":"DELETE"}"#)
      let scheduled = try #require(answer.json?["scheduled_for"]?.string)
      #expect(answer.status == 202)
      let session = try browser.call("GET", "/api/state").json?["session"]
      #expect(session?["state"]?.string == "signed_out" && session?["reason"]?.string == "account_deletion")
      for path in ["/api/account", "/api/profiles"] { #expect(try browser.call("GET", path).code == "signed_out") }
      try browser.signIn("dana@example.com")
      #expect(try browser.call("GET", "/api/account").json?["user"]?["deletion_scheduled_for"]?.string == scheduled)
      let again = try browser.call("POST", "/api/account/deletion", #"{"confirmation":"DELETE"}"#)
      #expect(again.status == 202 && again.json?["scheduled_for"]?.string == scheduled, "the same when requested again")
    }
  }

  @Test func anotherDeviceOfTheAccountIsSignedOutByADeletion() async throws {
    try await withBrowser("dana@example.com") { browser in
      let other = ConsoleBrowser(port: browser.port)
      try other.makeDevice()
      // This device sees the first one's message at once, so its position identifies the new one.
      let before = try #require(try other.call("GET", "/api/inbox?all=1").json?["messages"]?.elements.last?["id"]?.string)
      #expect(try other.call("POST", "/api/login/code", #"{"identifier":"dana@example.com"}"#).status == 202)
      let message = try other.call("GET", "/api/inbox?wait=10&after=\(before)").json?["messages"]?.elements.last
      let code = try #require(message?["code"]?.string)
      let login = #"{"identifier":"dana@example.com","code":"\#(code)"}"#
      #expect(try other.call("POST", "/api/login/code/verify", login).status == 200)
      #expect(try other.call("POST", "/api/account/deletion", #"{"confirmation":"DELETE"}"#).status == 202)
      #expect([401, 409].contains(try browser.call("GET", "/api/account").status))
      #expect(try browser.call("GET", "/api/state").json?["session"]?["state"]?.string == "signed_out")
    }
  }

  @Test(arguments: [("developer@example.com", true), ("dana@example.com", false)])
  func developerToolsAreForDevelopers(identifier: String, isShown: Bool) async throws {
    try await withBrowser(identifier) { browser in
      #expect(try browser.call("GET", "/api/account").json?["developer"]?["tools"]?.bool == isShown)
      let state = try browser.call("GET", "/api/state").json?["developer"]
      #expect(state?["flag"]?.bool == true && state?["role"]?.bool == isShown)
    }
  }

  @Test func theTimelineTellsTheSessionWithItsRows() async throws {
    try await withBrowser("dana@example.com") { browser in
      #expect(try browser.call("POST", "/api/backend/clock", #"{"advance_seconds":960}"#).status == 200)
      #expect(try browser.call("GET", "/api/state").json?["backend"]?["clock_ahead_seconds"]?.int64 == 960)
      #expect(try browser.call("GET", "/api/account").status == 200)
      #expect(try browser.call("POST", "/api/analytics", #"{"name":"settings.opened"}"#).status == 204)
      let entries = try browser.call("GET", "/api/timeline").json?["entries"]?.elements ?? []
      #expect(entries.filter { $0["kind"]?.string == "clock" }.map { $0["to"]?.string } == ["960"])
      let refreshing = try #require(entries.first { $0["to"]?.string == "refreshing" })
      let cause = try #require(refreshing["row_id"]?.string)
      let row = try browser.call("GET", "/api/network/\(cause)").json
      #expect(row?["status"]?.int64 == 401 && row?["endpoint"]?.string == "me")
      #expect(entries.last?["name"]?.string == "settings.opened")
      #expect(entries.compactMap { $0["at"]?.string }.allSatisfy { $0.hasSuffix("Z") && $0.utf8.count == 24 })
    }
  }
}

import Foundation
import JSON
import Support
import Testing

/// The main path with the real program over real sockets.
@Suite(.timeLimit(.minutes(3))) struct SessionJourneyTests {
  @Test func signsInSeesTheAccountAndEveryRequestAndSignsOut() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let console = try ConsoleProcess(data: folder.path)
      let browser = ConsoleBrowser(port: console.port)
      #expect(try browser.call("GET", "/").raw.header("location") == "/login")
      try browser.makeDevice()
      #expect(try browser.signIn("dana@example.com").status == 200)
      let account = try browser.call("GET", "/api/account")
      #expect(account.json?["user"]?["email"]?.string == "dana@example.com")
      #expect(account.json?["active_profile"]?["language_code"]?.string == "en")
      #expect(try browser.call("GET", "/").raw.header("location") == "/settings")
      let rows = try #require(try browser.call("GET", "/api/network").json?["events"]?.elements)
      let endpoints = rows.compactMap { $0["endpoint"]?.string }
      for endpoint in ["app_config", "request_magic_link", "login_with_code", "me"] { #expect(endpoints.contains(endpoint)) }
      for row in rows {
        let id = try #require(row["id"]?.string)
        let detail = try browser.call("GET", "/api/network/\(id)")
        #expect(detail.json?["request"]?["headers"]?.elements.isEmpty == false)
      }
      #expect(try browser.call("POST", "/api/logout").json?["session"]?["state"]?.string == "signed_out")
      #expect(try browser.call("GET", "/api/account").code == "signed_out")
      #expect(console.end(by: SIGTERM) == 0)
    }
  }

  @Test func staysSignedInOverAKill() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      var console = try ConsoleProcess(data: folder.path)
      let browser = ConsoleBrowser(port: console.port)
      try browser.makeDevice()
      #expect(try browser.signIn("dana@example.com").status == 200)
      for _ in 1...3 {
        #expect(console.end(by: SIGKILL) == SIGKILL)
        console = try ConsoleProcess(data: folder.path, port: browser.port)
        #expect(try browser.call("GET", "/api/account").json?["user"]?["email"]?.string == "dana@example.com")
      }
      #expect(console.end(by: SIGINT) == 0)
    }
  }

  @Test func twoHundredCallsWithAnExpiredTokenRefreshOnce() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let console = try ConsoleProcess(data: folder.path)
      let browser = ConsoleBrowser(port: console.port)
      try browser.makeDevice()
      try browser.signIn("dana@example.com")
      #expect(try browser.call("POST", "/api/backend/clock", #"{"advance_seconds":960}"#).status == 200)
      #expect(try browser.call("DELETE", "/api/network").status == 200)
      let calls = try (1...200).map { _ in try browser.start("GET", "/api/account") }
      let statuses = try calls.map { try $0.answer().status }
      #expect(statuses.allSatisfy { $0 == 200 }, "\(statuses.filter { $0 != 200 }.count) failed")
      let rows = try browser.call("GET", "/api/network").json?["events"]?.elements ?? []
      #expect(rows.filter { $0["endpoint"]?.string == "refresh_tokens" }.count == 1)
      #expect(console.end(by: SIGTERM) == 0)
    }
  }

  @Test func aRefreshWhoseAnswerIsLostIsTriedAgainWhileTheBackendAllowsIt() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let console = try ConsoleProcess(data: folder.path)
      let browser = ConsoleBrowser(port: console.port)
      func state() throws -> String? { try browser.call("GET", "/api/state").json?["session"]?["state"]?.string }
      try browser.makeDevice()
      try browser.signIn("dana@example.com")
      let rule = #"{"match":{"endpoint":"refresh_tokens"},"when":{"count":1},"action":{"kind":"malformed_body"}}"#
      #expect(try browser.call("POST", "/api/faults", rule).status == 201)
      #expect(try browser.call("POST", "/api/session/refresh").code == "unexpected_payload")
      #expect(try state() == "error")
      // The session makes no call and still recovers.
      try OwnThread.wait { try state() == "authenticated" }
      // After the time in which the backend would accept the old token once more.
      #expect(try browser.call("POST", "/api/backend/clock", #"{"advance_seconds":60}"#).status == 200)
      #expect(try browser.call("POST", "/api/session/refresh").status == 200)
      #expect(try state() == "authenticated")
      #expect(console.end(by: SIGTERM) == 0)
    }
  }

  @Test func aRejectedCodeTellsWhatIsWrongAndFiveEndIt() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let console = try ConsoleProcess(data: folder.path)
      let browser = ConsoleBrowser(port: console.port)
      try browser.makeDevice()
      let code = try #require(try browser.askForMessage("dana@example.com")?["code"]?.string)
      let wrong = code == "111111" ? "222222" : "111111"
      func verify(_ code: String) throws -> ConsoleBrowser.Answer {
        try browser.call("POST", "/api/login/code/verify", #"{"identifier":"dana@example.com","code":"\#(code)"}"#)
      }
      for _ in 1...5 {
        let answer = try verify(wrong)
        #expect(answer.status == 422 && answer.code == "login_code_invalid" && answer.json?["field"]?.string == "code")
      }
      #expect(try verify(code).code == "login_code_invalid")
    }
  }

  @Test func aStopRightAfterTheReadyLineIsInOrder() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      for _ in 1...5 {
        let console = try ConsoleProcess(data: folder.path)
        #expect(console.end(by: SIGTERM) == 0)
      }
    }
  }
}

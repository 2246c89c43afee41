import Foundation
import JSON
import Support
import Testing

/// What the console shows of the embedded backend besides the inbox: link prefetching and the limits.
@Suite(.timeLimit(.minutes(2))) struct BackendConsoleTests {
  @Test func aSimulatedMailScannerLeavesTheLinkGood() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let console = try ConsoleProcess(data: folder.path)
      let browser = ConsoleBrowser(port: console.port)
      try browser.makeDevice()
      let message = try #require(try browser.askForMessage("scanned@example.com"))
      let id = try #require(message["id"]?.string)
      let scan = try browser.call("POST", "/api/inbox/\(id)/scan", "{}")
      #expect(scan.status == 200 && scan.json?["unchanged"]?.bool == true)
      #expect(scan.json?["steps"]?.elements.compactMap { $0["method"]?.string } == ["HEAD", "GET", "GET"])
      #expect(scan.json?["steps"]?.elements.compactMap { $0["status"]?.int64 } == [200, 200, 200])
      #expect(scan.json?["url"]?.string == "http://localhost:\(console.port)/callback", "the token is in no request")
      #expect(try browser.call("POST", "/api/inbox/unknown/scan", "{}").code == "not_found")
      #expect(try browser.call("GET", "/api/inbox/\(id)/scan").status == 405)
      // Another device did not request the message, so it does not see it.
      let other = ConsoleBrowser(port: console.port)
      try other.makeDevice()
      #expect(try other.call("POST", "/api/inbox/\(id)/scan", "{}").code == "not_found")
      let link = try #require(message["link"]?.string)
      #expect(try browser.call("POST", "/api/login/magic-link/complete", "{\"url\":\"\(link)\"}").status == 200)
      let code = try #require(try browser.askForMessage("scanned@example.com", kind: "code")?["id"]?.string)
      #expect(try browser.call("POST", "/api/inbox/\(code)/scan", "{}").code == "not_found", "a code has no link")
    }
  }

  @Test func theLimitsAreSeenForOnesOwnIdentifiersAndReset() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let console = try ConsoleProcess(data: folder.path)
      let mine = ConsoleBrowser(port: console.port)
      let theirs = ConsoleBrowser(port: console.port)
      for browser in [mine, theirs] { try browser.makeDevice() }
      #expect(try mine.call("POST", "/api/backend/limits", "{\"mode\":\"prod\"}").json?["mode"]?.string == "prod")
      _ = try #require(try mine.askForMessage("mine@example.com"))
      _ = try #require(try theirs.askForMessage("theirs@example.com"))
      let state = try mine.call("GET", "/api/backend/limits").json
      #expect(state?["mode"]?.string == "prod" && state?["entries"]?.count == 1)
      let entry = state?["entries"]?.elements.first
      #expect(entry?["identifier"]?.string == "mine@example.com" && entry?["sent"]?.int64 == 1)
      #expect((entry?["next_at"]?.string ?? "") > (entry?["last_sent_at"]?.string ?? "~"))
      #expect(try mine.call("POST", "/api/backend/limits", "{\"reset\":true}").json?["mode"]?.string == "off")
      #expect(try mine.call("GET", "/api/backend/limits").json?["entries"]?.count == 0)
    }
  }
}

import Foundation
import JSON
import Support
import Testing

/// What a device stores for its account, over kills of the real program.
@Suite(.timeLimit(.minutes(3))) struct AccountJourneyTests {
  @Test func languageAndChoiceOutliveAKillAndTheChoiceALogout() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      var console = try ConsoleProcess(data: folder.path)
      let browser = ConsoleBrowser(port: console.port)
      try browser.makeDevice()
      try browser.signIn("dana@example.com")
      #expect(try browser.call("POST", "/api/account/language", #"{"language_code":"ar"}"#).status == 200)
      #expect(try browser.call("POST", "/api/account/analytics", #"{"opted_in":false}"#).status == 200)
      #expect(console.end(by: SIGKILL) == SIGKILL)
      console = try ConsoleProcess(data: folder.path, port: browser.port)
      func settings() throws -> JSONNode? { try browser.call("GET", "/api/account").json?["settings"] }
      #expect(try settings()?["preferred_language_code"]?.string == "ar")
      #expect(try settings()?["analytics_opted_in"]?.bool == false)
      #expect(try browser.call("POST", "/api/logout", "{}").status == 200)
      try browser.signIn("dana@example.com")
      #expect(try settings()?["analytics_opted_in"]?.bool == false)
      #expect(try browser.call("POST", "/api/analytics", #"{"name":"settings.opened"}"#).status == 204)
      let entries = try browser.call("GET", "/api/timeline").json?["entries"]?.elements ?? []
      // What was recorded before the kill may be saved, such as the choice itself.
      #expect(!entries.isEmpty && !entries.contains { $0["name"]?.string == "settings.opened" })
      #expect(console.end(by: SIGTERM) == 0)
    }
  }

  @Test func noIdentifierOfTheAccountIsInTheFilesInTheClear() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let console = try ConsoleProcess(data: folder.path, arguments: ["--log-level", "trace"])
      let browser = ConsoleBrowser(port: console.port)
      try browser.makeDevice()
      try browser.signIn("dana@example.com")
      let account = try #require(try browser.call("GET", "/api/account").json?["user"]?["account_id"]?.string)
      #expect(try browser.call("POST", "/api/account/analytics", #"{"opted_in":false}"#).status == 200)
      #expect(try browser.call("POST", "/api/account/deletion", #"{"confirmation":"DELETE"}"#).status == 202)
      #expect(console.end(by: SIGTERM) == 0)
      let database = try Data(contentsOf: URL(fileURLWithPath: folder.file("console.sqlite")))
      #expect(database.range(of: Data(account.utf8)) == nil)
      // The backend's audit log names accounts on purpose.
      let log = console.log.split(separator: "\n").filter { !$0.contains(" backend.audit: ") }.joined(separator: "\n")
      #expect(!log.contains(account) && !log.contains("dana@"))
      #expect(console.log.contains("auth.login_success"))
    }
  }

  @Test func theLogOfTheLaunchHoldsNoSecretOfTheSettings() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let access = "Zm9yIHRoZSB0ZXN0cyBvbmx5IQ0k7Qx2"
      let signing = "a-signing-secret-of-32-characters"
      let files = [try folder.write(access, to: "access"), try folder.write(signing, to: "signing")]
      let console = try ConsoleProcess(
        data: folder.file("data"),
        arguments: ["--log-level", "trace", "--access-token-file", files[0], "--api-id", "app", "--api-secret-file", files[1]])
      #expect(console.end(by: SIGTERM) == 0)
      #expect(console.log.contains("static files"))
      #expect(!console.log.contains(access) && !console.log.contains(signing))
    }
  }
}

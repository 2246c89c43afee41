import Foundation
import JSON
import Support
import Testing

/// The HTTP cache of a device in the whole console: kept over a relaunch, removed with the user and with the device.
@Suite(.timeLimit(.minutes(2))) struct CachedAnswersTests {
  @Test func answersAreConfirmedAfterARelaunchAndGoWithUserAndDevice() async throws {
    let data = try TemporaryFolder()
    try await RunningConsoleTests.withConsole(["--data", data.path]) { _, port in
      let browser = ConsoleBrowser(port: port)
      try browser.makeDevice()
      try browser.signIn("dana@example.com")
      let account = try browser.call("GET", "/api/account").json
      #expect(account?["source"]?.string == "network")
      try browser.call("POST", "/api/session/relaunch")
      let again = try browser.call("GET", "/api/account").json
      #expect(again?["user"]?["email"]?.string == account?["user"]?["email"]?.string)
      // After a relaunch, the device has the earlier response from its folder only.
      let rows = try browser.call("GET", "/api/network?endpoint=me").json?["events"]?.elements ?? []
      #expect(rows.contains { $0["status"]?.int64 == 304 && $0["state"]?.string == "success" })
      let files = Self.files(data.file("cache"))
      #expect(!files.isEmpty)
      for file in files {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: data.file("cache/\(file)")))
        #expect(bytes.range(of: Data("dana".utf8)) == nil)
      }
      try browser.call("POST", "/api/logout")
      try browser.call("POST", "/api/session/relaunch")
      #expect(Self.files(data.file("cache")).count < files.count)
      #expect(try browser.call("DELETE", "/api/device").status == 204)
      #expect(Self.files(data.file("cache")).isEmpty)
    }
  }

  @Test func consoleThatKeepsNothingHasNoFolder() async throws {
    let data = try TemporaryFolder()
    try await RunningConsoleTests.withConsole { _, port in
      let browser = ConsoleBrowser(port: port)
      try browser.makeDevice()
      try browser.signIn("dana@example.com")
      for _ in 0..<2 { #expect(try browser.call("GET", "/api/account").status == 200) }
      let rows = try browser.call("GET", "/api/network?endpoint=me").json?["events"]?.elements ?? []
      #expect(rows.contains { $0["status"]?.int64 == 304 && $0["state"]?.string == "success" })
    }
    #expect(Self.files(data.path).isEmpty)
  }

  private static func files(_ path: String) -> [String] {
    let all = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
    return all.filter { name in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder) && !isFolder.boolValue
    }
  }
}

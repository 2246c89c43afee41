import Foundation
import JSON
import Support
import Testing

/// No token, code, identifier or link leaks through the log, the network console or the event stream (seed-rules N-76 "never show
/// tokens", N-87 "never logged").
@Suite(.timeLimit(.minutes(2))) struct SecretsJourneyTests {
  @Test func nothingSecretLeavesTheDevice() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let console = try ConsoleProcess(data: folder.path, arguments: ["--log-level", "trace", "--access-log"])
      let browser = ConsoleBrowser(port: console.port)
      try browser.makeDevice()
      let stream = try browser.start("GET", "/api/events")
      _ = try stream.receive(until: "text/event-stream")

      let byLink = try #require(try browser.askForMessage("canary.link@example.com"))
      let link = try #require(byLink["link"]?.string)
      #expect(try browser.call("POST", "/api/login/magic-link/complete", #"{"url":"\#(link)"}"#).status == 200)
      try browser.call("POST", "/api/session/refresh")
      try browser.call("POST", "/api/logout")
      let byPhone = try #require(try browser.askForMessage("+49 170 9876543", kind: "code"))
      let phoneCode = try #require(byPhone["code"]?.string)
      _ = try browser.call("POST", "/api/login/code/verify", #"{"identifier":"+491709876543","code":"\#(phoneCode)"}"#)
      try browser.call("GET", "/api/account")

      var secrets = ["canary.link", "9876543", phoneCode, browser.deviceKey ?? "-", browser.cookie ?? "-"]
      let fragment = link.split(separator: "#").last.map(String.init) ?? ""
      secrets += fragment.split(separator: "&").compactMap { $0.split(separator: "=").last.map(String.init) }
      secrets += [try #require(byLink["code"]?.string)]

      var seen: [(String, String)] = []
      let list = try browser.call("GET", "/api/network")
      seen.append(("list", list.raw.text))
      let rows = try #require(list.json?["events"]?.elements)
      #expect(rows.count >= 10)
      for row in rows {
        let id = row["id"]?.string ?? ""
        seen.append((row["path"]?.string ?? "", try browser.call("GET", "/api/network/\(id)").raw.text))
      }
      let last = try #require(rows.last?["id"]?.string)
      seen.append(("stream", try stream.receive(until: last)))
      #expect(console.end(by: SIGTERM) == 0)
      #expect(console.log.contains("/api/"), "the access log is on")
      seen.append(("log", console.log))
      for (place, text) in seen {
        for secret in secrets where !secret.isEmpty {
          #expect(!text.contains(secret), "\(place) shows \(secret.prefix(4))…")
        }
        for shape in [#""access_token":"#, #""refresh_token":""#, "Bearer "] {
          if let range = text.range(of: shape) {
            #expect(text[range.upperBound...].hasPrefix("‹") || text[range.upperBound...].hasPrefix("\"‹"), "\(place): \(shape)")
          }
        }
      }
    }
  }

  @Test func neitherFileNorDatabaseHoldsASecretInTheClear() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let console = try ConsoleProcess(data: folder.path)
      let browser = ConsoleBrowser(port: console.port)
      try browser.makeDevice()
      let message = try #require(try browser.askForMessage("canary.disk@example.com"))
      let code = try #require(message["code"]?.string)
      try browser.call("POST", "/api/login/code/verify", #"{"identifier":"canary.disk@example.com","code":"\#(code)"}"#)
      #expect(console.end(by: SIGKILL) == SIGKILL)
      let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      #expect(files.contains("console.sqlite"))
      let own = files.filter { !$0.hasPrefix("backend/") }
      for file in own {
        guard let data = FileManager.default.contents(atPath: folder.file(file)) else { continue }
        for secret in ["canary.disk", browser.deviceKey ?? "-"] {
          #expect(data.range(of: Data(secret.utf8)) == nil, "\(file)")
        }
      }
      let token =
        message["link"]?.string?.split(separator: "=").dropFirst().first?.split(separator: "&").first.map(String.init) ?? "-"
      for file in files {
        guard let data = FileManager.default.contents(atPath: folder.file(file)) else { continue }
        #expect(data.range(of: Data(token.utf8)) == nil, "\(file)")
      }
    }
  }
}

import Foundation
import JSON
import Support
import Testing

/// What a browser shares between its devices, and what is left without its cookie.
@Suite(.timeLimit(.minutes(2))) struct BrowserOfDevicesTests {
  @Test func theInboxShowsTheMessagesOfAllDevicesOfTheBrowser() async throws {
    try await RunningConsoleTests.withConsole { _, port in
      let browser = ConsoleBrowser(port: port)
      try browser.makeDevice()
      let first = try #require(browser.deviceKey)
      #expect(try browser.askForMessage("dana@example.com") != nil)
      try browser.makeDevice()
      #expect(browser.deviceKey != first)
      let messages = try browser.call("GET", "/api/inbox").json?["messages"]?.elements ?? []
      #expect(messages.map { $0["to"]?.string } == ["dana@example.com"])
      let id = try #require(messages.first?["id"]?.string)
      #expect(try browser.call("POST", "/api/inbox/\(id)/scan", "{}").json?["unchanged"]?.sourceText == "true")
      let entries = try browser.call("GET", "/api/backend/limits").json?["entries"]?.elements ?? []
      #expect(entries.map { $0["identifier"]?.string } == ["dana@example.com"])
    }
  }

  @Test func aBrowserWithoutItsCookieIsKnownByItsKeysAgain() async throws {
    try await RunningConsoleTests.withConsole { _, port in
      let browser = ConsoleBrowser(port: port)
      try browser.makeDevice()
      try browser.signIn("dana@example.com")
      let key = try #require(browser.deviceKey)
      let before = try #require(browser.cookie)
      let stranger = ConsoleBrowser(port: port)
      let answer = try stranger.call("POST", "/api/browser", #"{"device_keys":["\#(key)"]}"#)
      #expect(answer.status == 200 && answer.raw.headers.filter { $0.name == "set-cookie" }.count == 1)
      let cookie = try #require(stranger.cookie)
      func state(_ cookie: String) throws -> LoopbackCall.Answer {
        try LoopbackCall(
          port: port, method: "GET", target: "/api/state", headers: [("Cookie", cookie), ("X-Device-Key", key)]
        ).answer()
      }
      #expect(try state(cookie).text.contains(#""state":"authenticated""#))
      #expect(try state(before).status == 401, "the old cookie gives access to nothing")
      for headers in [[("Origin", "https://evil.example")], [("Sec-Fetch-Site", "same-site")]] {
        let foreign = try LoopbackCall(
          port: port, method: "POST", target: "/api/browser", headers: headers + [("Content-Type", "application/json")],
          body: Array(#"{"device_keys":["\#(key)"]}"#.utf8)
        ).answer()
        #expect(foreign.status == 403 && foreign.header("set-cookie") == nil)
      }
      #expect(try state(cookie).status == 200)
    }
  }

  @Test func aPageThatIsRefusedForItsCookiesSaysSo() async throws {
    try await RunningConsoleTests.withConsole { _, port in
      let cookies = (0..<40).map { "big\($0)=\(String(repeating: "x", count: 3000))" }.joined(separator: "; ")
      func ask(_ path: String, _ fields: [(String, String)], method: String = "GET") throws -> LoopbackCall.Answer {
        try LoopbackCall(port: port, method: method, target: path, headers: fields + [("Cookie", cookies)]).answer()
      }
      for fields in [[("Accept", "text/html")], [("Sec-Fetch-Dest", "document")], []] {
        let page = try ask("/settings", fields)
        #expect(page.status == 431 && page.header("content-type") == "text/html; charset=utf-8" && page.text.contains("<h1>"))
        #expect(page.header("content-security-policy")?.contains("default-src 'none'") == true)
        #expect(page.header("clear-site-data") == nil && page.header("cache-control") == "no-store")
      }
      for (path, fields) in [("/api/state", []), ("/assets/js/api.js", []), ("/settings", [("Accept", "application/json")])] {
        #expect(try ask(path, fields).header("content-type") == "application/problem+json", "\(path)")
      }
      #expect(
        try ask("/settings", [("Accept", "text/html")], method: "POST").header("content-type") == "application/problem+json")
      let cleared = try ask("/clear-cookies", [("Accept", "text/html"), ("Sec-Fetch-Site", "same-origin")])
      #expect(cleared.status == 303 && cleared.header("location") == "/")
      #expect(cleared.header("clear-site-data") == #""cookies""#)
      let bad = try LoopbackCall(
        port: port, method: "GET", target: "/", headers: [("Accept", "text/html"), ("Cookie", "a=\u{1}")]
      ).answer()
      #expect(bad.status == 400 && bad.text.contains("/clear-cookies"))
    }
  }
}

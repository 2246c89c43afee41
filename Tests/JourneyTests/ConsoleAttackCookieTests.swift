import Foundation
import Support
import Testing

/// How a browser is identified.
extension ConsoleAttackTests {
  private static func value(_ cookie: String?) -> String {
    cookie?.split(separator: "=", maxSplits: 1).last.map(String.init) ?? ""
  }

  @Test func c10ACookieIsNeverOfAnAttackersChoosing() async throws {
    try await Self.attack { target in
      let guessed = "understudy_\(target.port)"
      let planted = "A23456789012345678901234567890123456789012A"
      let fixed = try target.send(
        .newDevice, headers: [("Cookie", "\(guessed)=\(planted)"), ("Content-Type", "application/json")], body: "{}")
      let name = String(try #require(fixed.header("set-cookie")?.split(separator: "=").first))
      #expect(fixed.status == 201 && name.hasPrefix("\(guessed)_") && name.utf8.count == guessed.utf8.count + 9)
      #expect(fixed.header("set-cookie")?.contains(planted) == false)

      let browser = ConsoleBrowser(port: target.port)
      try browser.makeDevice()
      var seen = [Self.value(browser.cookie)]
      for _ in 1...2 {
        #expect(try browser.signIn("fixation@example.com").status == 200)
        seen.append(Self.value(browser.cookie))
        try browser.call("POST", "/api/logout", "{}")
      }
      #expect(Set(seen).count == 3, "each sign-in has another")
      let key = try #require(browser.deviceKey)
      func state(_ cookies: [(String, String)]) throws -> Int {
        try target.get("/api/state", headers: cookies + [("X-Device-Key", key)]).status
      }
      let mine = try #require(browser.cookie)
      #expect(try state([("Cookie", mine)]) == 200)
      // A server on another port can set a cookie with our name; it neither replaces ours nor gets access.
      for other in [name, guessed] { #expect(try state([("Cookie", "\(other)=\(planted); \(mine)")]) == 200) }
      let seven = Array(repeating: "\(name)=\(planted)", count: 7).joined(separator: "; ")
      #expect(try state([("Cookie", "\(seven); \(mine)")]) == 200)
      #expect(try state([("Cookie", "\(guessed)=\(planted)")]) == 401)
      #expect(try state([("Cookie", "\(name)=\(planted)")]) == 401)
      #expect(try state([("Cookie", "\(name)=\(String(seen[0].dropLast()))")]) == 401)
    }
  }

  @Test func c11APortNeighbourWhoReceivesTheCookieGetsNowhere() async throws {
    try await Self.attack { target in
      let browser = try target.victim()
      let cookie = try #require(browser.cookie)
      for route in target.calls where !route.isOpen {
        let headers = [("Cookie", cookie), ("Origin", "http://localhost:\(target.port)"), ("Sec-Fetch-Site", "same-origin")]
        #expect(try target.send(route, headers: headers).status == route.refusal.status, "\(route)")
      }
      let made = try target.send(.newDevice, headers: [("Cookie", cookie), ("Content-Type", "application/json")], body: "{}")
      #expect(made.status == 201 && !made.text.contains(browser.deviceKey ?? "-"), "a new device, not the victim's")
      let home = try target.get("/", headers: [("Cookie", "understudy_\(target.port)=planted")])
      #expect(home.status == 302 && home.header("location") == "/login", "a planted cookie only asks to sign in")
    }
  }

  @Test func c12TheCookieIsRandomShutInAndSaysNothing() async throws {
    try await Self.attack { target in
      var values: Set<String> = []
      for _ in 1...20 {
        let made = try target.send(.newDevice, headers: [("Content-Type", "application/json")], body: "{}")
        let field = try #require(made.header("set-cookie"))
        #expect(made.headers.filter { $0.name == "set-cookie" }.count == 1 && field.utf8.count <= 4096)
        let parts = field.components(separatedBy: "; ")
        #expect(Set(parts.dropFirst()) == ["Path=/", "Max-Age=7776000", "HttpOnly", "SameSite=Strict"], "\(field.count)")
        values.insert(Self.value(parts[0]))
      }
      #expect(values.count == 20)
      for value in values {
        let bytes = Data(base64Encoded: Self.padded(value))
        #expect((bytes?.count ?? 0) >= 16, "at least 128 bits")
      }
      // A character position that never changes would carry no randomness.
      for position in 0..<20 {
        #expect(Set(values.map { Array($0)[position] }).count > 3, "position \(position)")
      }
    }
  }

  private static func padded(_ text: String) -> String {
    let plain = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    return plain + String(repeating: "=", count: (4 - plain.count % 4) % 4)
  }

  @Test func c14TheAccessTokenIsGuessedByNobodyAndShownNowhere() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let origin = "http://localhost:1"
      let (descriptor, port) = try SocketActivationTests.listen()
      close(descriptor)
      let console = try ConsoleProcess(
        data: folder.path, port: port,
        arguments: ["--host", "0.0.0.0", "--public-origin", origin, "--access-log", "--log-level", "trace"])
      let token = try #require(console.readyLine.split(separator: "#access=").last?.split(separator: " ").first.map(String.init))
      #expect(token.utf8.count >= 22 && console.readyLine.contains("/#access="), "it travels in a fragment, which is not sent")
      func access(_ body: String, origin: String? = origin) throws -> LoopbackCall.Answer {
        let headers = [("Content-Type", "application/json")] + (origin.map { [("Origin", $0)] } ?? [])
        return try LoopbackCall(
          port: port, method: "POST", target: "/api/access", headers: headers, body: Array(body.utf8), host: "localhost:1"
        ).answer()
      }
      for guess in ["", "guess", String(token.dropLast()), token + "x", token.uppercased(), "\(token)\\u0000"]
      where guess != token {
        let answer = try access(#"{"token":"\#(guess)"}"#)
        #expect(answer.status == 401 && answer.header("set-cookie") == nil, "\(guess.count)")
      }
      #expect(try access(#"{"token":"\#(token)"}"#, origin: nil).status == 403, "a page must say who it is")
      #expect(try access(#"{"token":"\#(token)"}"#, origin: "https://evil.test").status == 403)
      let granted = try access(#"{"token":"\#(token)"}"#)
      #expect(granted.status == 204 && granted.header("set-cookie")?.contains(token) == false)
      for path in ["/api/state", "/api/devices", "/metrics"] {
        let closed = try LoopbackCall(port: port, method: "GET", target: "\(path)?access=\(token)", host: "localhost:1").answer()
        #expect(closed.status == 401, "\(path): the token in a query opens nothing")
      }
      let commandLine = try String(contentsOfFile: "/proc/\(console.processID)/cmdline", encoding: .utf8)
      #expect(!commandLine.contains(token))
      #expect(console.end(by: SIGTERM) == 0)
      // The query of a call is never logged, so not even a misplaced token is.
      #expect(!console.log.contains(token) && console.log.contains("/api/access"))
    }
  }
}

import Console
import HTTPTypes
import JSON
import Logging
import Support
import Testing

@testable import Composition

/// The whole console with its real backend, in this process, over real sockets.
@Suite(.timeLimit(.minutes(2))) struct RunningConsoleTests {
  /// Runs the body with an ephemeral console, then stops it.
  static func withConsole(_ arguments: [String] = [], _ body: @escaping @Sendable (RunningConsole, UInt16) throws -> Void)
    async throws
  {
    let folder = try TemporaryFolder()
    try folder.write("<!doctype html><title>t</title>", to: "login.html")
    var all = ["--port", "0", "--loops", "1", "--public", folder.path, "--limits", "off"] + arguments
    if !arguments.contains("--data") { all.append("--ephemeral") }
    let settings = try ServeSettings(all)
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let console = try await RunningConsole.start(settings, logger: logger)
    do {
      try await OwnThread.run { try body(console, console.home.port) }
    } catch {
      await console.stop(within: .seconds(1))
      throw error
    }
    await console.stop(within: .seconds(1))
  }

  /// A path that the pattern matches.
  static func path(_ route: ConsoleRoute) -> String {
    route.path.replacing(/\{[a-z_]+\}/, with: "0")
  }

  @Test func everyRouteIsBehindTheGate() async throws {
    try await Self.withConsole { console, port in
      let routes = console.application.routes
      #expect(routes.count >= 20)
      for route in routes {
        let method = route.method.rawValue
        let path = Self.path(route)
        let elsewhere = try LoopbackCall(port: port, method: method, target: path, host: "evil.example").answer()
        #expect(elsewhere.status == 421 && elsewhere.body.isEmpty, "\(method) \(path)")
        #expect(elsewhere.header("set-cookie") == nil)
        guard path.hasPrefix("/api/") else { continue }
        for headers in [[("Origin", "https://evil.example")], [("Origin", "null")], [("Sec-Fetch-Site", "cross-site")]] {
          let foreign = try LoopbackCall(port: port, method: method, target: path, headers: headers).answer()
          #expect(foreign.status == 403, "\(method) \(path) \(headers)")
          #expect(foreign.header("access-control-allow-origin") == nil)
        }
        if method == "POST" {
          let form = try LoopbackCall(
            port: port, method: method, target: path, headers: [("Content-Type", "text/plain")], body: Array("{}".utf8)
          ).answer()
          #expect(form.status == 415, "\(method) \(path)")
          let got = try LoopbackCall(port: port, method: "GET", target: path).answer()
          if routes.contains(where: { $0.method == .get && $0.path == route.path }) { continue }
          #expect(got.status == 405 && got.header("allow")?.contains(method) == true, "GET \(path)")
        }
      }
    }
  }

  @Test func aDeviceRouteNeedsCookieAndKey() async throws {
    try await Self.withConsole { console, port in
      let browser = ConsoleBrowser(port: port)
      try browser.makeDevice()
      let key = try #require(browser.deviceKey)
      let cookie = try #require(browser.cookie)
      #expect(try browser.call("GET", "/api/state").status == 200)
      for route in console.application.routes {
        guard case .device = route.handler else { continue }
        for headers in [[], [("Cookie", cookie)], [("X-Device-Key", key)], [("Cookie", cookie), ("X-Device-Key", key + "x")]] {
          let answer = try LoopbackCall(
            port: port, method: route.method.rawValue, target: Self.path(route), headers: headers
          ).answer()
          #expect(answer.status == 401 && answer.text.contains("no_device"), "\(route.method) \(route.path)")
        }
      }
    }
  }

  @Test func everyAnswerCarriesTheSecurityHeaders() async throws {
    try await Self.withConsole { _, port in
      for (method, path) in [
        ("GET", "/login"), ("GET", "/healthz"), ("GET", "/nothing"), ("POST", "/login"), ("GET", "/api/state"),
        ("BAD METHOD", "/"),
      ] {
        let answer = try LoopbackCall(port: port, method: method, target: path).answer()
        #expect(answer.header("content-security-policy")?.contains("trusted-types 'none'") == true, "\(method) \(path)")
        #expect(answer.header("x-content-type-options") == "nosniff")
        #expect(answer.header("referrer-policy") == "no-referrer")
      }
    }
  }

  @Test func signingInRotatesTheCookieAndTheOldOneStillWorksForAMinute() async throws {
    try await Self.withConsole { _, port in
      let browser = ConsoleBrowser(port: port)
      try browser.makeDevice()
      let before = try #require(browser.cookie)
      let answer = try browser.signIn("dana@example.com")
      #expect(answer.json?["session"]?["state"]?.string == "authenticated")
      #expect(browser.cookie != before)
      let old = try LoopbackCall(
        port: port, method: "GET", target: "/api/state", headers: [("Cookie", before), ("X-Device-Key", browser.deviceKey ?? "")]
      ).answer()
      #expect(old.status == 200)
    }
  }

  @Test func aLinkSignsInOnceAndOnlyOnItsDeviceUnlessAccepted() async throws {
    try await Self.withConsole { _, port in
      let mine = ConsoleBrowser(port: port)
      let other = ConsoleBrowser(port: port)
      try mine.makeDevice()
      try other.makeDevice()
      let link = try #require(try mine.askForMessage("dana@example.com")?["link"]?.string)
      let body = #"{"url":"\#(link)"}"#
      let foreign = try other.call("POST", "/api/login/magic-link/complete", body)
      #expect(foreign.status == 409 && foreign.code == "conflict")
      let untrusted = body.replacing("localhost:\(port)", with: "evil.example")
      #expect(try mine.call("POST", "/api/login/magic-link/complete", untrusted).code == "link_untrusted")
      #expect(try mine.call("POST", "/api/login/magic-link/complete", body).status == 200)
      #expect(try mine.call("POST", "/api/login/magic-link/complete", body).code == "login_link_invalid")
    }
  }

  @Test func theInboxShowsADeviceItsOwnMessagesOnly() async throws {
    try await Self.withConsole { _, port in
      let mine = ConsoleBrowser(port: port)
      let other = ConsoleBrowser(port: port)
      try mine.makeDevice()
      try other.makeDevice()
      #expect(try mine.askForMessage("dana@example.com") != nil)
      #expect(try other.call("GET", "/api/inbox").json?["messages"]?.elements.isEmpty == true)
      #expect(try other.call("GET", "/api/inbox?to=dana@example.com").json?["messages"]?.elements.isEmpty == true)
      #expect(try other.call("GET", "/api/inbox?all=1").json?["messages"]?.elements.count == 1)
    }
  }

  @Test func theEmbeddedBackendsLimitsAreSetAndItIsReset() async throws {
    try await Self.withConsole { _, port in
      let browser = ConsoleBrowser(port: port)
      try browser.makeDevice()
      try browser.signIn("dana@example.com")
      #expect(try browser.call("POST", "/api/backend/limits", #"{"mode":"prod"}"#).json?["mode"]?.string == "prod")
      #expect(try browser.call("POST", "/api/backend/limits", #"{"mode":"many"}"#).status == 400)
      #expect(try browser.call("POST", "/api/backend/limits", #"{"reset":true}"#).json?["mode"]?.string == "off")
      #expect(try browser.call("POST", "/api/backend/reset", "{}").status == 204)
      #expect([401, 409].contains(try browser.call("GET", "/api/account").status))
      #expect(try browser.call("GET", "/api/inbox?all=1").json?["messages"]?.elements.isEmpty == true)
    }
  }

  @Test func factoryResetDeletesAllData() async throws {
    try await Self.withConsole { _, port in
      let browser = ConsoleBrowser(port: port)
      try browser.makeDevice()
      try browser.signIn("dana@example.com")
      let stream = try browser.start("GET", "/api/events")
      _ = try stream.receive(until: "text/event-stream")
      #expect(try browser.call("DELETE", "/api/device").status == 204)
      #expect(try stream.answer().status == 200)
      #expect(try browser.call("GET", "/api/state").code == "no_device")
    }
  }

  @Test func aStreamBeginsWithTheStateUnlessItIsResumed() async throws {
    try await Self.withConsole { _, port in
      let browser = ConsoleBrowser(port: port)
      try browser.makeDevice()
      try browser.signIn("dana@example.com")
      let fresh = try browser.start("GET", "/api/events")
      let text = try fresh.receive(until: "}\n\n")
      #expect(text.contains("event: session\n") && text.contains(#""state":"authenticated""#))
      #expect(!text.contains("dana@example.com"))
      let id = try #require(text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("id: ") }?.dropFirst(4))
      let resumed = try browser.start("GET", "/api/events?after=\(id)")
      _ = try resumed.receive(until: ": open")
      #expect(try browser.call("POST", "/api/session/refresh").status == 200)
      let rest = try resumed.receive(until: "}\n\n")
      #expect(!rest.contains("event: gap"))
      #expect(!rest.contains("id: \(id)\n"), "a resumed stream starts after the last event")
    }
  }

  @Test func aDeviceHasSixStreams() async throws {
    try await Self.withConsole { _, port in
      let browser = ConsoleBrowser(port: port)
      try browser.makeDevice()
      var streams: [LoopbackCall] = []
      for _ in 1...6 {
        let stream = try browser.start("GET", "/api/events")
        _ = try stream.receive(until: "text/event-stream")
        streams.append(stream)
      }
      let seventh = try browser.call("GET", "/api/events")
      #expect(seventh.status == 429 && seventh.code == "too_many_streams")
      withExtendedLifetime(streams) {}
    }
  }

  @Test func beyondLoopbackTheAccessTokenIsNeeded() async throws {
    let arguments = ["--host", "0.0.0.0", "--public-origin", "http://localhost:1"]
    let folder = try TemporaryFolder()
    try folder.write("<!doctype html><title>t</title>", to: "login.html")
    let all = ["--port", "0", "--public", folder.path, "--ephemeral"] + arguments
    let settings = try ServeSettings(all)
    let console = try await RunningConsole.start(settings, logger: Logger(label: "test"))
    let token = try #require(console.accessToken)
    let port = console.listeningPort
    try await OwnThread.run {
      func call(_ path: String, _ body: String, cookie: String = "") throws -> LoopbackCall.Answer {
        let headers = [("Origin", "http://localhost:1"), ("Content-Type", "application/json"), ("Cookie", cookie)]
        return try LoopbackCall(
          port: port, method: "POST", target: path, headers: headers, body: Array(body.utf8), host: "localhost:1"
        ).answer()
      }
      #expect(try LoopbackCall(port: port, method: "GET", target: "/healthz").answer().status == 200)
      #expect(try call("/api/devices", "{}").text.contains("access_required"))
      #expect(try call("/api/access", #"{"token":"guess"}"#).status == 401)
      let granted = try call("/api/access", #"{"token":"\#(token)"}"#)
      let cookie = try #require(granted.header("set-cookie")?.split(separator: ";").first.map(String.init))
      #expect(granted.status == 204 && !cookie.contains(token))
      #expect(try call("/api/devices", "{}", cookie: cookie).status == 201)
      #expect(try call("/api/devices", "{}", cookie: cookie + "x").status == 401)
    }
    await console.stop(within: .seconds(1))
  }

  @Test func theReadyLinesURLOpensAPageWithoutAccess() async throws {
    try await Self.withConsole(["--public-origin", "https://console.example", "--behind-proxy"]) { console, port in
      #expect(console.accessToken?.isEmpty == false, "a proxy lets others in")
      let home = try LoopbackCall(port: console.listeningPort, method: "GET", target: "/", host: "console.example").answer()
      #expect(home.status == 302 && home.header("location") == "/login")
      let metrics = try LoopbackCall(port: console.listeningPort, method: "GET", target: "/metrics", host: "console.example")
        .answer()
      #expect(metrics.status == 401)
      let bearer = [("Authorization", "Bearer \(console.accessToken ?? "")")]
      let shown = try LoopbackCall(
        port: console.listeningPort, method: "GET", target: "/metrics", headers: bearer, host: "console.example"
      ).answer()
      #expect(shown.status == 200 && shown.text.contains("# TYPE"))
      let login = try LoopbackCall(port: console.listeningPort, method: "GET", target: "/login", host: "console.example").answer()
      #expect(login.status == 200)
    }
  }

  @Test func aDeletedDeviceIsNotWokenByWhoComesAtTheSameTime() async throws {
    try await Self.withConsole { _, port in
      for _ in 1...5 {
        let browser = ConsoleBrowser(port: port)
        try browser.makeDevice()
        try browser.call("GET", "/api/state")
        let streams = try (1...3).map { _ in try browser.start("GET", "/api/events") }
        let relaunch = try browser.start("POST", "/api/session/relaunch")
        let deletion = try browser.start("DELETE", "/api/device")
        let late = try (1...3).map { _ in try browser.start("GET", "/api/events") }
        #expect(try deletion.answer().status == 204)
        // Every stream ends, so that reading each to its end terminates.
        for stream in streams + late { #expect([200, 401].contains(try stream.answer().status)) }
        #expect([200, 401].contains(try relaunch.answer().status))
        #expect(try browser.call("GET", "/api/state").code == "no_device")
      }
    }
  }

  @Test func aHeldInboxEndsWithItsDevice() async throws {
    try await Self.withConsole { _, port in
      let browser = ConsoleBrowser(port: port)
      try browser.makeDevice()
      try browser.call("GET", "/api/state")
      let held = try (1...6).map { _ in try browser.start("GET", "/api/inbox?wait=30") }
      let stream = try browser.start("GET", "/api/events")
      _ = try stream.receive(until: "text/event-stream")
      #expect(try browser.call("DELETE", "/api/device").status == 204)
      for call in held {
        let status = try call.answer().status
        #expect([200, 401].contains(status), "\(status)")
      }
    }
  }

  @Test(arguments: [#"{"name":"\#u{202E}evil"}"#, #"{"name":" "}"#, #"{"name":"a\u0007"}"#])
  func aNameShowsWhatItIs(body: String) async throws {
    try await Self.withConsole { _, port in
      let answer = try ConsoleBrowser(port: port).call("POST", "/api/devices", body)
      #expect(answer.status == 400 && answer.json?["field"]?.string == "name")
    }
  }
}

import ArgumentParser
import Composition
import Console
import HTTPTypes
import JSON
import Logging
import Support
import Testing

/// The whole console with its real backend, in this process, over real sockets.
@Suite(.timeLimit(.minutes(2))) struct RunningConsoleTests {
  /// Runs the body against a console that keeps nothing, then stops it.
  static func withConsole(_ arguments: [String] = [], _ body: @escaping @Sendable (RunningConsole, UInt16) throws -> Void)
    async throws
  {
    let folder = try TemporaryFolder()
    try folder.write("<!doctype html><title>t</title>", to: "login.html")
    var all = ["--port", "0", "--loops", "1", "--public", folder.path, "--limits", "off"] + arguments
    if !arguments.contains("--data") { all.append("--ephemeral") }
    let settings = try ServeSettings(try ServeOptions.parse(all), environment: EnvironmentFlags([:]))
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
    route.pattern.replacing("{id}", with: "0").replacing("{cue_id}", with: "0")
  }

  @Test func everyRouteIsBehindTheGate() async throws {
    try await Self.withConsole { console, port in
      let routes = console.application.routes
      #expect(routes.count >= 20)
      for route in routes {
        let (method, path) = (route.method.rawValue, Self.path(route))
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
          if routes.contains(where: { $0.method == .get && $0.pattern == route.pattern }) { continue }
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
          #expect(answer.status == 401 && answer.text.contains("no_device"), "\(route.method) \(route.pattern)")
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
      let (mine, other) = (ConsoleBrowser(port: port), ConsoleBrowser(port: port))
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
      let (mine, other) = (ConsoleBrowser(port: port), ConsoleBrowser(port: port))
      try mine.makeDevice()
      try other.makeDevice()
      #expect(try mine.askForMessage("dana@example.com") != nil)
      #expect(try other.call("GET", "/api/inbox").json?["messages"]?.elements.isEmpty == true)
      #expect(try other.call("GET", "/api/inbox?to=dana@example.com").json?["messages"]?.elements.isEmpty == true)
      #expect(try other.call("GET", "/api/inbox?all=1").json?["messages"]?.elements.count == 1)
    }
  }

  @Test func aFactoryResetLeavesNothing() async throws {
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
    try await Self.withConsole(arguments) { console, _ in
      #expect(console.accessToken?.isEmpty == false)
    }
  }
}

import JSON
import Support
import Testing

/// Fault rules in a running console with its real backend: events, expiry and the client's reaction.
@Suite(.timeLimit(.minutes(2))) struct FaultEventTests {
  @Test func armingHittingExpiringAndDroppingAreEvents() async throws {
    try await RunningConsoleTests.withConsole { _, port in
      let browser = ConsoleBrowser(port: port)
      try browser.makeDevice()
      try browser.signIn("dana@example.com")
      let stream = try browser.start("GET", "/api/events")
      _ = try stream.receive(until: "text/event-stream")
      let body = #"{"name":"dana@example.com","action":{"kind":"status","status":403},"expires_in_seconds":2}"#
      let id = try #require(try browser.call("POST", "/api/faults", body).json?["id"]?.string)
      _ = try stream.receive(until: #"{"armed":1,"kind":"changed"}"#)
      #expect(try browser.call("GET", "/api/profiles").code == "backend_error")
      let text = try stream.receive(until: #""hits":1"#)
      #expect(text.contains("event: fault") && text.contains(id) && !text.contains("dana@example.com"))
      // It expires by itself, and an event reports it.
      _ = try stream.receive(until: #"{"armed":0,"kind":"changed"}"#)
      #expect(try browser.call("GET", "/api/profiles").status == 200)
      let entries = try browser.call("GET", "/api/timeline").json?["entries"]?.elements ?? []
      #expect(entries.last { $0["kind"]?.string == "fault" }?["to"]?.string == "expired")
      #expect(try browser.call("DELETE", "/api/faults").status == 204)
    }
  }

  @Test func aTokenThatExpiresMidFlowIsRefreshedAgainstTheRealBackend() async throws {
    try await RunningConsoleTests.withConsole { _, port in
      let browser = ConsoleBrowser(port: port)
      try browser.makeDevice()
      try browser.signIn("dana@example.com")
      #expect(try browser.call("POST", "/api/faults/presets/token-expires").status == 201)
      #expect(try browser.call("GET", "/api/profiles").status == 200)
      let rows = try browser.call("GET", "/api/network").json?["events"]?.elements ?? []
      #expect(rows.count { $0["endpoint"]?.string == "refresh_tokens" } == 1)
      #expect(rows.contains { $0["source"]?.string == "fault" && $0["error"]?.string == "ErrAccessTokenExpired" })
      #expect(try browser.call("GET", "/api/state").json?["faults"]?["armed"]?.int64 == 0, "spent")
    }
  }

  @Test func aWrongClockMeetsTheRealSignatureCheck() async throws {
    try await RunningConsoleTests.withConsole { _, port in
      let browser = ConsoleBrowser(port: port)
      try browser.makeDevice()
      try browser.signIn("dana@example.com")
      #expect(try browser.call("POST", "/api/faults/presets/clock-ahead").status == 201)
      #expect(try browser.call("GET", "/api/profiles").status == 200)
      let rows = try browser.call("GET", "/api/network?endpoint=me").json?["events"]?.elements ?? []
      #expect(rows.suffix(2).map { $0["error"]?.string } == ["invalid_signature", nil])
      #expect(rows.suffix(2).allSatisfy { $0["source"]?.string == "network" && $0["fault_id"] != nil })
    }
  }
}

import Foundation
import JSON
import Support
import Testing

/// What remains of a session, and what a page can turn off.
extension ConsoleAttackTests {
  @Test func c30ALogoutIsFinalWhateverIsUnderWay() async throws {
    try await Self.attack { target in
      let browser = try target.victim("final@example.com")
      for round in 1...10 {
        if round > 1 { #expect(try browser.signIn("final@example.com").status == 200) }
        let stream = round == 1 ? try browser.start("GET", "/api/events") : nil
        _ = try stream?.receive(until: "text/event-stream")
        let refreshes = try (1...3).map { _ in try browser.start("POST", "/api/session/refresh") }
        let logout = try browser.start("POST", "/api/logout", "{}")
        let late = try (1...3).map { _ in try browser.start("POST", "/api/session/refresh") }
        #expect(try logout.answer().status == 200)
        for call in refreshes + late { #expect([200, 401, 409, 502, 503, 504].contains(try call.answer().status)) }
        for path in ["/api/session/relaunch", "/api/state"] {
          let answer = try browser.call(path.hasSuffix("relaunch") ? "POST" : "GET", path)
          #expect(answer.json?["session"]?["state"]?.string == "signed_out", "round \(round) \(path)")
        }
        #expect(try browser.call("GET", "/api/account").code == "signed_out")
        #expect(try browser.call("POST", "/api/session/refresh").code == "signed_out")
        if let stream { #expect(try stream.receive(until: "signed_out").contains("event: session"), "open tabs hear of it") }
      }
    }
  }

  @Test func c33AtAnotherBackendWhatIsForTheEmbeddedOneIsNotThere() async throws {
    let backend = try await BackendTarget.start()
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let pin = backend.process.readyLine.split(separator: "pin=").last.map(String.init) ?? ""
      let console = try ConsoleProcess(
        data: folder.path,
        arguments: ["--backend", backend.origin, "--pin", pin, "--ca", backend.folder.file("data/certificate.pem")])
      let browser = ConsoleBrowser(port: console.port)
      try browser.makeDevice()
      let state = try browser.call("GET", "/api/state").json
      #expect(state?["backend"]?["embedded"]?.bool == false && state?["backend"]?["url"]?.string == backend.origin)
      for (method, path, body) in [
        ("GET", "/api/inbox?all=1", nil), ("POST", "/api/inbox/x/scan", "{}"), ("GET", "/api/backend/limits", nil),
        ("POST", "/api/backend/clock", #"{"advance_seconds":60}"#), ("POST", "/api/backend/limits", #"{"mode":"off"}"#),
        ("POST", "/api/backend/reset", "{}"),
      ] {
        let answer = try browser.call(method, path, body)
        #expect([403, 404].contains(answer.status), "\(method) \(path): \(answer.status)")
      }
      #expect(console.end(by: SIGTERM) == 0)
    }
    _ = try await OwnThread.run { backend.process.end(by: SIGTERM) }
  }

  @Test func c35NoFlagOfAPageOpensTheGate() async throws {
    try await Self.attack { target in
      let browser = try target.victim("developer@example.com")
      let flags = ["config", "features", "developer_tools", "debug", "insecure", "gate"]
      for flag in flags {
        let body = #"{"\#(flag)":{"check_origin":false,"developer_tools":true},"name":"x","opted_in":true}"#
        for path in ["/api/account/analytics", "/api/devices"] { _ = try browser.call("POST", path, body) }
        let query = "?\(flag)=1&disable_gate=true"
        let refused = try target.get("/api/state\(query)", headers: browser.passes + [("Origin", "https://evil.test")])
        #expect(refused.status == 403, "\(flag)")
        #expect(try target.get("/api/state\(query)", headers: browser.passes, host: "evil.test").status == 421, "\(flag)")
        let header = browser.passes.dropLast() + [("X-Debug", "1"), ("X-Developer", flag), ("Forwarded", "host=evil.test")]
        #expect(try target.get("/api/state", headers: Array(header)).status == 401, "\(flag)")
      }
      for name in ["X-Forwarded-Host", "X-Forwarded-For", "X-Real-IP", "Forwarded", "X-Original-URL", "X-Rewrite-URL"] {
        let answer = try target.get("/healthz", headers: [(name, "localhost:\(target.port)")], host: "evil.test")
        #expect(answer.status == 421, "\(name)")
      }
    }
  }
}

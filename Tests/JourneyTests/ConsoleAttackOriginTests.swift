import Foundation
import JSON
import Support
import Testing

/// The origin and form of requests.
extension ConsoleAttackTests {
  /// Pages of other origins, however similar.
  private static func foreignOrigins(_ port: UInt16) -> [String] {
    [
      "https://evil.test", "http://evil.test:\(port)", "null", "http://localhost:\(port &+ 1)", "https://localhost:\(port)",
      "http://127.0.0.1:\(port)", "http://localhost", "http://localhost:\(port).evil.test", "http://localhost:\(port)/",
      "HTTP://localhost:\(port)@evil.test", "file://", "",
    ]
  }

  @Test func c04NoForeignOriginChangesOrReadsAnything() async throws {
    try await Self.attack { target in
      let browser = try target.victim()
      let before = try target.picture(of: browser)
      for origin in Self.foreignOrigins(target.port) {
        for route in target.calls {
          let headers = browser.passes + [("Origin", origin), ("Content-Type", "application/json")]
          let answer = try target.send(route, headers: headers, body: route.isChange ? "{}" : nil)
          #expect(answer.status == 403 && answer.text.contains("origin_refused"), "\(route) from \(origin): \(answer.status)")
        }
      }
      let two = browser.passes + [("Origin", "http://localhost:\(target.port)"), ("Origin", "https://evil.test")]
      #expect(try target.send(.init(method: "POST", path: "/api/logout"), headers: two).status == 403)
      #expect(try target.picture(of: browser) == before)
    }
  }

  @Test func c05WithoutAnOriginTheFetchMetadataDecides() async throws {
    try await Self.attack { target in
      let browser = try target.victim()
      let before = try target.picture(of: browser)
      for route in target.calls {
        for site in ["cross-site", "same-site", "none", "", "SAME-ORIGIN", "same-origin, cross-site"] {
          guard route.isChange || site != "none" else { continue }
          let answer = try target.send(route, headers: browser.passes + [("Sec-Fetch-Site", site)])
          #expect(answer.status == 403, "\(route) \(site): \(answer.status)")
        }
      }
      #expect(try target.picture(of: browser) == before)
      let relaunch = ConsoleTarget.Route(method: "POST", path: "/api/session/relaunch")
      #expect(try target.send(relaunch, headers: browser.passes + [("Sec-Fetch-Site", "same-origin")]).status == 200)
      #expect(try target.send(relaunch).text.contains("no_device"), "neither metadata nor key")
    }
  }

  @Test func c06TheCookieWithoutItsKeyIsWorthNothing() async throws {
    try await Self.attack { target in
      let browser = try target.victim()
      let other = try target.victim("other@example.com")
      let cookie = try #require(browser.cookie)
      let key = try #require(browser.deviceKey)
      let altered = String(key.dropLast()) + (key.hasSuffix("A") ? "B" : "A")
      let passes: [[(String, String)]] = [
        [("Cookie", cookie)], [("X-Device-Key", key)], [("Cookie", cookie), ("X-Device-Key", "")],
        [("Cookie", cookie), ("X-Device-Key", altered)], [("Cookie", cookie), ("X-Device-Key", String(key.dropLast()))],
        [("Cookie", cookie), ("X-Device-Key", other.deviceKey ?? "")], [("Cookie", other.cookie ?? ""), ("X-Device-Key", key)],
        [("Cookie", cookie), ("X-Device-Key", key), ("X-Device-Key", other.deviceKey ?? "")],
        [("Cookie", cookie), ("Authorization", "Bearer \(key)")],
      ]
      for route in target.calls where !route.isOpen {
        for headers in passes {
          let answer = try target.send(route, headers: headers)
          #expect(
            answer.status == route.refusal.status && answer.text.contains(route.refusal.code), "\(route): \(answer.status)")
        }
      }
      for route in target.calls where !route.isOpen && !route.isChange {
        let target = try target.send(.init(method: "GET", path: "\(route.path)?device_key=\(key)"), headers: [("Cookie", cookie)])
        #expect(target.status == route.refusal.status, "\(route): a key in the query is no key")
      }
    }
  }

  @Test func c07AFormCanCallNothing() async throws {
    try await Self.attack { target in
      let browser = try target.victim()
      let before = try target.picture(of: browser)
      let types: [String?] = [
        "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json, text/plain",
        "text/plain; x=application/json", "application/jsonp", "", nil,
      ]
      for route in target.calls where route.isChange {
        for type in types {
          let headers = browser.passes + (type.map { [("Content-Type", $0)] } ?? [])
          let answer = try target.send(route, headers: headers, body: #"{"discard":true,"name":"x"}"#)
          #expect(answer.status == 415, "\(route) \(type ?? "without a type"): \(answer.status)")
        }
      }
      #expect(try target.picture(of: browser) == before)
    }
  }

  @Test func c08NothingChangesByAnotherMethod() async throws {
    try await Self.attack { target in
      let browser = try target.victim()
      let before = try target.picture(of: browser)
      let readable = Set(target.routes.filter { !$0.isChange }.map(\.path))
      for route in target.calls where route.isChange {
        for method in ["GET", "HEAD"] where !readable.contains(route.path) {
          let answer = try target.send(.init(method: method, path: route.path), headers: browser.passes)
          #expect(answer.status == 405 && answer.header("allow")?.contains(route.method) == true, "\(method) \(route.path)")
        }
        for method in ["TRACE", "CONNECT", "PROPFIND", "post"] {
          let status = try target.send(.init(method: method, path: route.path), headers: browser.passes).status
          #expect([400, 405, 501].contains(status), "\(method) \(route.path): \(status)")
        }
      }
      for name in ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"] {
        let headers = browser.passes + [(name, "DELETE")]
        #expect(try target.get("/api/network", headers: headers).status == 200)
        #expect(try target.get("/api/devices?_method=DELETE", headers: headers).status == 200)
      }
      #expect(try target.picture(of: browser) == before)
    }
  }

  @Test func c09NobodyIsSignedInToAnothersAccount() async throws {
    try await Self.attack { target in
      let browser = try target.victim()
      let attacker = ConsoleBrowser(port: target.port)
      try attacker.makeDevice()
      let link = try #require(try attacker.askForMessage("attacker@example.com")?["link"]?.string)
      let before = try browser.call("GET", "/api/state").raw.text
      let complete = ConsoleTarget.Route(method: "POST", path: "/api/login/magic-link/complete")
      let body = #"{"url":"\#(link)"}"#
      let json = [("Content-Type", "application/json")]
      let foreign = try target.send(complete, headers: browser.passes + json + [("Origin", "https://evil.test")], body: body)
      #expect(foreign.status == 403)
      #expect(try target.send(complete, headers: [("Cookie", browser.cookie ?? "")] + json, body: body).status == 401)
      #expect(try browser.call("POST", complete.path, body).code == "conflict", "a link that this device did not ask for")
      #expect(try browser.call("GET", "/api/state").raw.text == before)
      #expect(try attacker.call("POST", complete.path, body).status == 200, "the refused calls did not use it up")
    }
  }

  @Test func c17NoRouteSharesWithAnotherOrigin() async throws {
    try await Self.attack { target in
      let everything = target.routes.map(\.path) + target.files
      for path in Set(everything) {
        let preflight = try target.send(
          .init(method: "OPTIONS", path: path),
          headers: [
            ("Origin", "https://evil.test"), ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", "x-device-key,content-type"), ("Access-Control-Request-Private-Network", "true"),
          ])
        #expect([403, 404, 405].contains(preflight.status), "\(path): \(preflight.status)")
        #expect(!preflight.headers.contains { $0.name.hasPrefix("access-control-") }, "\(path)")
        let got = try target.get(path, headers: [("Origin", "http://localhost:\(target.port)")])
        #expect(!got.headers.contains { $0.name.hasPrefix("access-control-") }, "\(path)")
      }
    }
  }
}

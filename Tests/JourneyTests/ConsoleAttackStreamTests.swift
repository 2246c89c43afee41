import Foundation
import JSON
import Support
import Testing

/// Event streams, what is sent and what is logged.
extension ConsoleAttackTests {
  @Test func c22AStreamIsForItsDeviceAloneAndEndsWithIt() async throws {
    try await Self.attack { target in
      let browser = try target.victim("stream@example.com")
      let events = ConsoleTarget.Route(method: "GET", path: "/api/events")
      let cookie = ("Cookie", browser.cookie ?? "")
      #expect(try target.send(events, headers: browser.passes + [("Origin", "https://evil.test")]).status == 403)
      #expect(try target.send(events, headers: browser.passes + [("Sec-Fetch-Site", "cross-site")]).status == 403)
      #expect(try target.send(events, headers: [cookie]).status == 401, "an EventSource cannot send the key")
      let streams = try (1...6).map { _ in try browser.start("GET", "/api/events") }
      for stream in streams { _ = try stream.receive(until: "text/event-stream") }
      #expect(try browser.call("GET", "/api/events").code == "too_many_streams")
      #expect(try browser.call("DELETE", "/api/device").status == 204)
      // A stream that goes on has no end to read, and the call throws.
      for stream in streams { #expect(try stream.answer().status == 200) }
    }
  }

  @Test func c23NothingMakesItCallAnotherHost() async throws {
    try await Self.attack { target in
      let browser = try target.victim()
      for url in [
        "http://169.254.169.254/latest#token=x", "file:///etc/passwd#token=x", "gopher://evil.test/#token=x",
        "https://evil.test/callback#token=x", "http://localhost:\(target.port)@evil.test/callback#token=x",
        "http://localhost.evil.test:\(target.port)/callback#token=x", "javascript:alert(1)#token=x",
        "//evil.test/callback#token=x",
      ] {
        let answer = try browser.call("POST", "/api/login/magic-link/complete", #"{"url":"\#(url)"}"#)
        #expect(answer.code == "link_untrusted" || answer.code == "login_link_invalid", "\(url): \(answer.raw.text)")
      }
      let state = try browser.call("GET", "/api/state").json
      let backend = try #require(state?["backend"]?["url"]?.string)
      for row in try browser.call("GET", "/api/network").json?["events"]?.elements ?? [] {
        let detail = try browser.call("GET", "/api/network/\(row["id"]?.string ?? "")").json
        #expect(detail?["url"]?.string?.hasPrefix(backend + "/") == true)
      }
      for url in [
        "http://staging.example", "ftp://staging.example", "staging.example", "https://user:pw@staging.example", "file:///etc",
      ] {
        let (status, error, _) = try ConsoleProcess.run(["serve", "--ephemeral", "--port", "0", "--backend", url])
        #expect([64, 78].contains(status) && !error.contains("pw@"), "\(url): \(status)")
      }
    }
  }

  @Test func c26NoSecondRequestIsSmuggledIn() async throws {
    try await Self.attack { target in
      let host = "Host: localhost:\(target.port)\r\n"
      let hidden = "POST /api/devices HTTP/1.1\r\n\(host)Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
      let json = "Content-Type: application/json\r\n"
      let heads: [(String, String)] = [
        ("both framings", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n"),
        ("two lengths", "Content-Length: 0\r\nContent-Length: \(hidden.utf8.count)\r\n"),
        ("a list of lengths", "Content-Length: 0, 5\r\n"), ("a signed length", "Content-Length: +0\r\n"),
        ("obscured coding", "Transfer-Encoding: xchunked\r\n"), ("coding with a space", "Transfer-Encoding : chunked\r\n"),
        ("folded", "Transfer-Encoding:\r\n chunked\r\n"), ("two codings", "Transfer-Encoding: chunked, identity\r\n"),
        ("bare line feed", "X: a\nContent-Length: 0\r\n"), ("bare return", "X: a\rContent-Length: 0\r\n"),
        ("zero byte", "X: a\0b\r\nContent-Length: 0\r\n"), ("long", "X: \(String(repeating: "a", count: 70_000))\r\n"),
        ("many", String(repeating: "X: a\r\n", count: 10_001)),
      ]
      for (name, fields) in heads {
        let bytes = "POST /api/devices HTTP/1.1\r\n\(host)\(json)\(fields)\r\n0\r\n\r\n\(hidden)"
        let answer = try LoopbackCall(port: target.port, bytes: Array(bytes.utf8)).everything()
        #expect(answer.components(separatedBy: "HTTP/1.1 ").count <= 2, "\(name): one answer and the end")
        #expect(!answer.contains(" 201 "), "\(name)")
        #expect(answer.isEmpty || answer.contains(" 400 ") || answer.contains(" 431 ") || answer.contains(" 501 "), "\(name)")
      }
      let large = "POST /api/devices HTTP/1.1\r\n\(host)\(json)Content-Length: 99999999999\r\n\r\n"
      #expect(try LoopbackCall(port: target.port, bytes: Array(large.utf8)).everything().contains(" 413 "))
      let encoded =
        "POST /api/devices HTTP/1.1\r\n\(host)\(json)Content-Encoding: gzip\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
      let answer = try LoopbackCall(port: target.port, bytes: Array(encoded.utf8)).everything()
      #expect(!answer.isEmpty, "a coding of a request's body is never undone, so it cannot grow")
    }
  }

  @Test func c27WhatIsEchoedStaysOnItsLine() async throws {
    try await Self.attack { target in
      let browser = ConsoleBrowser(port: target.port)
      for name in [#"a\r\nSet-Cookie: x=y"#, #"a\u0000b"#, #"\u001b[31m"#, #"a\u2028b"#] {
        #expect(try browser.call("POST", "/api/devices", #"{"name":"\#(name)"}"#).code == "invalid_request", "\(name)")
      }
      let marked = "log-injection-canary"
      for path in ["/\(marked)%0d%0aINFO%20forged", "/\(marked)%1b%5b31m", "/\(marked)%00%7f", "/\(marked)\u{85}x"] {
        _ = try target.get(path, headers: [("User-Agent", "ua\u{1}x"), ("X-Request-ID", "id\u{7F}y")])
      }
      _ = try target.get("/\(marked)-last", headers: [("X-Request-ID", "forged request=1 status=200")])
      let log = target.console.log(upTo: "\(marked)-last")
      #expect(log.contains("\(marked)-last"))
      #expect(!log.contains("\nINFO forged") && !log.contains("\u{1B}") && !log.contains("\0") && !log.contains("\u{85}"))
      #expect(!log.contains("forged request=1"), "a caller does not choose its request's name in the log")
    }
  }
}

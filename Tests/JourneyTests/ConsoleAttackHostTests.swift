import Foundation
import Support
import Testing

/// The `Host` of requests.
extension ConsoleAttackTests {
  @Test func c01AReboundNameGetsNothingFromAnyRouteOrFile() async throws {
    try await Self.attack { target in
      let browser = try target.victim()
      let everything = target.routes + target.files.map { ConsoleTarget.Route(method: "GET", path: $0) }
      for host in ["evil.test", "evil.test:\(target.port)"] {
        for route in everything {
          let headers = browser.passes + [("Origin", "http://\(host)"), ("Sec-Fetch-Site", "same-origin")]
          let answer = try target.send(route, headers: headers, host: host)
          #expect(answer.status == 421 && answer.body.isEmpty, "\(route) for \(host)")
          #expect(answer.header("set-cookie") == nil && answer.header("location") == nil, "\(route)")
        }
      }
      #expect(try browser.call("GET", "/api/state").status == 200, "the device is still there")
    }
  }

  @Test func c02OnlyTheExactNamesOfThisMachinePass() async throws {
    try await Self.attack { target in
      let port = target.port
      for host in ["localhost:\(port)", "LOCALHOST:\(port)", "127.0.0.1:\(port)", "[::1]:\(port)"] {
        #expect(try target.get("/api/openapi.json", host: host).status == 200, "\(host)")
      }
      for host in [
        "localhost.:\(port)", "127.1:\(port)", "0.0.0.0:\(port)", "2130706433:\(port)", "0x7f000001:\(port)", "127.0.0.2:\(port)",
        "[::ffff:127.0.0.1]:\(port)", "[::]:\(port)", "localhost", "localhost:\(port &+ 1)", "localhost:0\(port)", "localhost:",
        "user@localhost:\(port)", "localhost:\(port)@evil.test", "localhost.evil.test:\(port)", "localhost:\(port),evil.test",
        "localhost:\(port) ", "", "l\u{F6}calhost:\(port)", "localhost%00:\(port)", "localhost:\(port)/",
      ] {
        let status = try target.get("/api/openapi.json", host: host).status
        // Surrounding white space is not part of the value (RFC 9110 §5.5).
        #expect(host.hasSuffix(" ") ? status == 200 : status == 421 || status == 400, "\(host) → \(status)")
      }
      for (head, allowed) in [
        ("GET http://evil.test/healthz HTTP/1.1\r\nHost: localhost:\(port)\r\n", [421, 400]),
        ("GET http://localhost:\(port)/healthz HTTP/1.1\r\nHost: evil.test\r\n", [421, 400, 200]),
        ("GET /healthz HTTP/1.1\r\n", [400]),
        ("GET /healthz HTTP/1.1\r\nHost: localhost:\(port)\r\nHost: localhost:\(port)\r\n", [400]),
        ("GET /healthz HTTP/1.1\r\nHost: localhost:\(port)\r\nHost: evil.test\r\n", [400]),
        ("GET /healthz HTTP/1.0\r\n", [400, 421]),
      ] {
        let call = try LoopbackCall(port: port, bytes: Array((head + "Connection: close\r\n\r\n").utf8))
        let status = try call.answer().status
        #expect(allowed.contains(status), "\(head) → \(status)")
      }
    }
  }

  @Test func c03ItListensOnThisMachineAloneUnlessToldAndGuarded() async throws {
    try await Self.attack { target in
      let hex = String(target.port, radix: 16, uppercase: true)
      let port = String(repeating: "0", count: 4 - hex.count) + hex
      var listening: [String] = []
      for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
        for line in try String(contentsOfFile: table, encoding: .utf8).split(separator: "\n").dropFirst() {
          let fields = line.split(separator: " ")
          guard fields.count > 3, fields[3] == "0A", fields[1].hasSuffix(":" + port) else { continue }
          listening.append(String(fields[1].dropLast(5)))
        }
      }
      let loopback = ["0100007F", "00000000000000000000000001000000"]
      #expect(!listening.isEmpty && listening.allSatisfy(loopback.contains), "\(listening)")
      for (host, origin, wanted) in [
        ("0.0.0.0", nil, "--public-origin"), ("::", nil, "--public-origin"),
        ("0.0.0.0", "https://qa.example", "--tls-certificate"),
      ] {
        let names = origin.map { ["--public-origin", $0] } ?? []
        let (status, error, _) = try ConsoleProcess.run(["serve", "--host", host, "--port", "0", "--ephemeral"] + names)
        #expect(status == 78 && error.contains(wanted), "\(host): \(status) \(error)")
      }
    }
  }
}

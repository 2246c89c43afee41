import Foundation
import Support
import Testing

/// What a browser may do with a response.
extension ConsoleAttackTests {
  /// One response of every kind: routes without and with a session, files, errors.
  private static func answers(_ target: ConsoleTarget) throws -> [(String, LoopbackCall.Answer)] {
    let browser = try target.victim()
    var all: [(String, LoopbackCall.Answer)] = []
    for route in target.routes where !(route.path == "/api/events") {
      all.append(("\(route)", try target.send(route)))
      if !route.isChange { all.append(("\(route) signed in", try target.send(route, headers: browser.passes))) }
    }
    for path in target.files + ["/", "/nothing", "/assets/nothing.js", "/api/nothing", "/a/../b"] {
      all.append((path, try target.get(path)))
    }
    all.append(("misdirected", try target.get("/login", host: "evil.test")))
    all.append(("malformed", try LoopbackCall(port: target.port, bytes: Array("GET / HTTP/1.1\r\n\r\n".utf8)).answer()))
    let elsewhere = try target.get("/login", headers: [("Sec-Fetch-Dest", "document")], host: "127.0.0.1:\(target.port)")
    #expect(elsewhere.status == 307)
    all.append(("other name", elsewhere))
    return all
  }

  @Test func c15AndC16NothingFramesUsAndNothingForeignRuns() async throws {
    try await Self.attack { target in
      for (name, answer) in try Self.answers(target) {
        let policy = answer.header("content-security-policy") ?? ""
        var directives: [String: String] = [:]
        for directive in policy.components(separatedBy: "; ") {
          let words = directive.split(separator: " ", maxSplits: 1).map(String.init)
          if let key = words.first { directives[key] = words.count > 1 ? words[1] : "" }
        }
        let wanted = [
          "default-src": "'none'", "script-src": "'self'", "connect-src": "'self'", "style-src": "'self'", "base-uri": "'none'",
          "form-action": "'self'", "frame-ancestors": "'none'", "require-trusted-types-for": "'script'",
          "trusted-types": "'none'",
        ]
        for (key, value) in wanted { #expect(directives[key] == value, "\(name): \(key)") }
        #expect(!policy.contains("unsafe") && !policy.contains("*") && !policy.contains("http"), "\(name)")
        #expect(directives["object-src"] ?? directives["default-src"] == "'none'", "\(name)")
        #expect(answer.headers.filter { $0.name == "content-security-policy" }.count == 1, "\(name)")
        for (field, value) in [
          ("x-frame-options", "DENY"), ("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer"),
          ("cross-origin-opener-policy", "same-origin"), ("cross-origin-resource-policy", "same-origin"),
        ] { #expect(answer.header(field) == value, "\(name): \(field)") }
        #expect(answer.header("permissions-policy")?.contains("camera=()") == true, "\(name)")
      }
    }
  }

  @Test func c18DynamicResponsesAreNotCached() async throws {
    try await Self.attack { target in
      for (name, answer) in try Self.answers(target) {
        let isFile = answer.status == 200 && !name.hasPrefix("GET /") && name != "/"
        if isFile {
          #expect(answer.header("cache-control") == "no-cache" && answer.header("etag") != nil, "\(name)")
        } else if name != "malformed", answer.header("content-type")?.hasPrefix("text/html") != true {
          #expect(answer.header("cache-control") == "no-store", "\(name): \(answer.status)")
        }
      }
      for (path, body) in [
        ("/api/logout", "{}"), ("/api/account/deletion", #"{"confirmation":"DELETE"}"#),
      ] {
        let browser = try target.victim("leaving@example.com")
        let answer = try browser.call("POST", path, body)
        // Not the storage, which contains the keys of the other devices, and not the cookies, which other ports share.
        #expect((200...202).contains(answer.status) && answer.raw.header("clear-site-data") == "\"cache\"", "\(path)")
      }
      let browser = try target.victim("reset@example.com")
      #expect(try browser.call("DELETE", "/api/device").raw.header("clear-site-data") == "\"cache\"")
    }
  }

  @Test func c20JSONIsNeverAScript() async throws {
    try await Self.attack { target in
      for (name, answer) in try Self.answers(target) where name.contains("/api/") && !answer.body.isEmpty {
        let type = answer.header("content-type") ?? ""
        let isFile = type == "application/zip" && answer.header("content-disposition")?.hasPrefix("attachment") == true
        #expect(type == "application/json" || type == "application/problem+json" || isFile, "\(name): \(type)")
      }
      // An HTML element cannot send the key, so what it loads is empty.
      let browser = try target.victim()
      for path in ["/api/state", "/api/network", "/api/account", "/api/events"] {
        let asScript = try target.get(path, headers: [("Cookie", browser.cookie ?? ""), ("Sec-Fetch-Dest", "script")])
        #expect(asScript.status == 401, "\(path)")
      }
    }
  }

  @Test func c25NoAddressLeadsAway() async throws {
    try await Self.attack { target in
      let browser = try target.victim()
      for query in [
        "next=//evil.test", "next=https:evil.test", "next=%5C%5Cevil.test", "url=http://evil.test", "next=%0d%0aX:%20y",
      ] {
        let home = try target.get("/?\(query)", headers: browser.passes)
        #expect(home.status == 302 && ["/login", "/settings"].contains(home.header("location")), "\(query)")
      }
      for path in [
        "//evil.test/%2e%2e", "//evil.test", "/\\evil.test", "/%0d%0aLocation:%20http://evil.test", "/login?x=%0d%0aA:b",
      ] {
        let headers = [("Sec-Fetch-Dest", "document")]
        let answer = try target.get(path, headers: headers, host: "127.0.0.1:\(target.port)")
        if answer.status == 307 {
          #expect(answer.header("location")?.hasPrefix("http://localhost:\(target.port)/") == true, "\(path)")
        } else {
          #expect(answer.status >= 400, "\(path): \(answer.status)")
        }
        #expect(!answer.headers.contains { $0.name == "a" }, "\(path)")
      }
    }
  }

  @Test func c28NoPathLeavesTheFolderAndNoMissingFileIsAPage() async throws {
    try await Self.attack { target in
      for path in [
        "/../Package.swift", "/%2e%2e/Package.swift", "/assets/../../Package.swift", "/assets/%2e%2e/%2e%2e/Package.swift",
        "/assets/..%2f..%2fPackage.swift", "/..%5cPackage.swift", "/%252e%252e/Package.swift", "//etc/passwd",
        "/assets//etc/passwd",
        "/.git/config", "/assets/.hidden", "/login/", "/login.html/", "/login%00.html", "/LOGIN", "/assets/js", "/assets/",
        "/index",
        "/settings/x.css", "/api/state.css", "/assets/js/missing.js", "/assets/%c0%ae%c0%ae/x", "/login.html%20", "/login;x=1",
      ] {
        let answer = try target.get(path)
        #expect([400, 401, 404].contains(answer.status), "\(path): \(answer.status)")
        #expect(!answer.text.contains("// swift-tools-version") && !answer.text.contains("root:"), "\(path)")
        if path.hasPrefix("/assets/") { #expect(answer.header("content-type")?.contains("html") != true, "\(path)") }
      }
    }
  }
}

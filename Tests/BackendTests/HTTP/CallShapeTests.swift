import HTTPTypes
import JSON
import RPC
import Support
import Testing

@testable import Backend

@Suite(.timeLimit(.minutes(1))) struct CallShapeTests {
  @Test func appConfig() async throws {
    let probe = try await BackendProbe(limits: .relaxed)
    probe.backend.setLinkBase("http://Console.Example:9090/")
    let reply = try await probe.call(.get, "/rpc/app_config", device: nil)
    #expect(
      reply.status == 200 && reply.fields[.cacheControl] == "max-age=300" && reply.fields[.contentType] == "application/json")
    let config = try JSONCoding.decode(AppConfigBody.self, from: reply.body)
    #expect(config.defaultLanguageCode == "en")
    #expect(config.supportedLanguages.map(\.code) == ["en", "de", "fr", "es", "pl", "ja", "ar", "he"])
    #expect(config.auth == AppConfigBody.Auth(cooldownSeconds: 5, codeLength: 6, trustedLinkHosts: ["console.example"]))
    #expect(config.networkLog.capacity == 2000 && config.session.refreshMarginSeconds == 120)
    #expect(config.features.loginCode && config.features.logoutEndpoint && config.features.idempotencyKeys)
    #expect(try await probe.ask().link?.hasPrefix("http://Console.Example:9090/callback#token=") == true)
  }

  @Test func validators() async throws {
    let probe = try await BackendProbe()
    let token = try await probe.signIn().accessToken
    let me = try await probe.me(token)
    #expect(me.fields[.cacheControl] == "private, no-cache")
    let tag = try #require(me.fields[.eTag])
    for condition in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
      let reply = try await probe.me(token, fields: [("If-None-Match", condition)])
      #expect(reply.status == 304 && reply.body.isEmpty && reply.fields[.eTag] == tag && reply.fields[.contentType] == nil)
    }
    #expect(try await probe.me(token, fields: [("If-None-Match", "\"x\"")]).status == 200)
    // A matching ETag does not replace the session.
    #expect(try await probe.me("x", fields: [("If-None-Match", tag)]).status == 401)
    #expect(try await probe.call(.head, "/rpc/me", token: token).fields[.eTag] == tag)
  }

  @Test func me() async throws {
    let probe = try await BackendProbe()
    let token = try await probe.signIn("+491711234567").accessToken
    let me = try JSONCoding.decode(MeBody.self, from: try await probe.me(token).body)
    #expect(me.phone == "+491711234567" && me.email == nil && me.roles == ["user"] && me.deletionScheduledFor == nil)
    #expect(me.profiles?.map { Optional($0.profileID) } == [me.activeProfileID])
    #expect(me.createdAt == Timestamp(probe.time.wall))
    for device in ["device-two", nil] {
      let reply = try await probe.me(token, device: device)
      #expect(reply.status == 401 && reply.code == "ErrDeviceNotRegistered")
    }
    for token in [nil, "", "x", "two words"] { #expect(try await probe.me(token).code == "invalid_token") }
    #expect(try await probe.me(nil).fields[.wwwAuthenticate] == "Bearer")
  }

  @Test func pathsAndMethods() async throws {
    let probe = try await BackendProbe()
    for path in [
      "/", "/rpc", "/rpc/unknown", "/rpc/me/", "/rpc/Me", "/rpc/%6De", "/dev/inbox", "*",
    ] {
      let reply = try await probe.call(.get, path)
      #expect(reply.status == 404 && reply.code == "not_found")
    }
    let post = try await probe.post("/rpc/me", "{}")
    #expect(post.status == 405 && post.code == "method_not_allowed" && post.fields[.allow] == "GET, HEAD")
    for method in [HTTPRequest.Method.get, .head, .put, .options, .trace] {
      let reply = try await probe.call(method, "/rpc/login_with_code")
      #expect(reply.status == 405 && reply.fields[.allow] == "POST")
    }
  }

  @Test func mediaTypes() async throws {
    let probe = try await BackendProbe()
    let body = Array("{\"identifier\":\"ana@example.com\"}".utf8)
    for type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", "", nil] {
      let reply = try await probe.call(.post, "/rpc/request_magic_link", body: body, type: type)
      #expect(reply.status == 415 && reply.code == "unsupported_media_type")
    }
    for type in ["application/json; charset=utf-8", "Application/JSON"] {
      #expect(try await probe.call(.post, "/rpc/request_magic_link", body: body, type: type).status == 200)
    }
  }

  @Test(arguments: [
    "", "{", "[]", "null", "\"x\"", "{}", "{\"identifier\":1}", "{\"identifier\":null}", "{\"identifier\":[\"ana@example.com\"]}",
    "{\"identifier\":\"ana@example.com\",\"identifier\":\"eve@example.com\"}", "\u{FEFF}{\"identifier\":\"ana@example.com\"}",
    "{\"identifier\":\"ana@example.com\"}x", "{\"identifier\":\"ana@example.com\",\"state\":1}",
    "{\"identifier\":\"ana@example.com\",\"state\":\"\"}", "{\"identifier\":\"ana@example.com\",\"x\":\"\\ud800\"}",
  ]) func badBodies(text: String) async throws {
    let probe = try await BackendProbe()
    let reply = try await probe.post("/rpc/request_magic_link", text)
    #expect(reply.status == 400 && reply.code == "invalid_request")
    let told = try #require(try reply.json["error"]?["message"]?.string)
    #expect(!told.contains("ana@") && !told.contains("eve@"))
  }

  @Test func depthAndSize() async throws {
    let probe = try await BackendProbe()
    let deep =
      "{\"identifier\":\"ana@example.com\",\"x\":" + String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
      + "}"
    #expect(try await probe.post("/rpc/request_magic_link", deep).code == "invalid_request")
    let start = "{\"identifier\":\"ana@example.com\",\"x\":\""
    let fill = String(repeating: "a", count: 1_048_576 - start.utf8.count - 2)
    #expect(try await probe.post("/rpc/request_magic_link", start + fill + "\"}").status == 200)
    let reply = try await probe.post("/rpc/request_magic_link", start + fill + "a\"}")
    #expect(reply.status == 413 && reply.code == "payload_too_large")
  }

  @Test func requestIDs() async throws {
    let probe = try await BackendProbe()
    let longest = String(repeating: "r", count: 128)
    for id in ["abc-123", longest] {
      let reply = try await probe.call(.get, "/rpc/nothing", fields: [("X-Request-ID", id)])
      #expect(reply.fields[.requestID] == id)
      #expect(try reply.json["error"]?["request_id"]?.string == id)
    }
    for id in [longest + "r", "two words", "", "ä", "a\"b"] {
      let made = try await probe.call(.get, "/rpc/app_config", fields: [("X-Request-ID", id)]).fields[.requestID]
      #expect(made != id && made?.utf8.count == 36)
    }
  }
}

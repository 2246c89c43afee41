import Foundation
import HTTPTypes
import JSON
import Logging
import RPC
import Support
import Testing

@testable import Backend

/// Attacks over TLS; `Documentation/backend-attacks.md` lists these and all others.
@Suite(.timeLimit(.minutes(2))) struct AttackTests {
  private struct Target {
    let probe: BackendProbe
    let listener: BackendListener
    let port: UInt16

    static func start(token: String? = "developers", limits: LimitsMode = .off) async throws -> Target {
      let probe = try await BackendProbe(limits: limits)
      var logger = Logger(label: "test")
      logger.logLevel = .critical
      let listener = try await BackendListener.start(
        probe.backend, identity: .ephemeral, logger: logger, developerToken: token, isStandalone: true)
      probe.backend.setLinkBase(listener.origin)
      return Target(
        probe: probe, listener: listener, port: try #require(UInt16(listener.origin.split(separator: ":").last ?? "")))
    }

    /// Sends one request; `fields` are complete header lines.
    func send(
      _ method: String, _ path: String, _ body: String? = nil, fields: [String] = [], host: String = "127.0.0.1",
      type: String = "application/json"
    ) async throws -> String {
      let lines =
        ["\(method) \(path) HTTP/1.1", "Host: \(host)", "Connection: close", "X-Device-ID: device-one"] + fields
        + (body.map { ["Content-Type: \(type)", "Content-Length: \($0.utf8.count)"] } ?? [])
      return try await TLSExchange.run(
        port: port, trusting: listener.certificatePEM, request: lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
    }

    func stop() async { await listener.stop(within: .zero) }
  }

  @Test func theHostOfARequestNeverReachesALink() async throws {
    let target = try await Target.start()
    for host in ["evil.example", "evil.example:443"] {
      let asked = try await target.send("POST", "/rpc/request_magic_link", "{\"identifier\":\"ana@example.com\"}", host: host)
      #expect(asked.hasPrefix("HTTP/1.1 403") && asked.contains("forbidden"))
    }
    for host in ["localhost", "[::1]:443", "127.0.0.1:1"] {
      let before = await target.probe.backend.inbox.messages(to: nil).last?.id
      let asked = try await target.send(
        "POST", "/rpc/request_magic_link", "{\"identifier\":\"ana@example.com\"}",
        fields: ["X-Forwarded-Host: evil.example", "Forwarded: host=evil.example"], host: host)
      #expect(asked.hasPrefix("HTTP/1.1 200"))
      let message = try #require(await target.probe.backend.inbox.messages(to: nil, after: before, wait: .seconds(10)).first)
      #expect(message.link?.hasPrefix("\(target.listener.origin)/callback#token=") == true)
      #expect(!message.text.contains("evil."))
    }
    await target.stop()
  }

  @Test func scannersAndPrefetchersKeepALinkValid() async throws {
    let target = try await Target.start()
    let message = try await target.probe.ask()
    for method in ["HEAD", "GET", "OPTIONS", "GET"] {
      let page = try await target.send(
        method, "/callback", fields: ["User-Agent: mail scanner", "Sec-Purpose: prefetch", "X-Purpose: preview"])
      #expect(page.hasPrefix(method == "OPTIONS" ? "HTTP/1.1 405" : "HTTP/1.1 200"))
      #expect(!page.contains("<script") && !page.lowercased().contains("set-cookie"))
    }
    // Even if a scanner turns the fragment into a query: a GET never redeems a link.
    #expect(try await target.send("GET", "/callback?token=\(try message.token)").hasPrefix("HTTP/1.1 200"))
    #expect(try await target.send("GET", "/rpc/login_with_magic_token?token=\(try message.token)").hasPrefix("HTTP/1.1 405"))
    #expect(try await target.probe.redeem(link: message.token).status == 200)
    await target.stop()
  }

  @Test func forgedTokens() async throws {
    let target = try await Target.start()
    let tokens = try await target.probe.signIn()
    func part(_ json: String) -> String { Data(json.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "") }
    let claims = part("{\"sub\":\"\(try await target.probe.account(tokens).accountID)\",\"exp\":99999999999999}")
    for forged in [
      "\(part("{\"alg\":\"none\"}")).\(claims).", "\(part("{\"alg\":\"HS256\",\"kid\":\"../../dev/null\"}")).\(claims).AAAA",
      tokens.refreshToken, try #require(tokens.sessionID), String(tokens.accessToken.dropLast()), tokens.accessToken + "=",
      tokens.accessToken.uppercased(), "null", "undefined",
    ] {
      let answer = try await target.send("GET", "/rpc/me", fields: ["Authorization: Bearer \(forged)"])
      #expect(answer.hasPrefix("HTTP/1.1 401") && answer.contains("invalid_token"))
    }
    for fields in [
      ["Authorization: Basic \(tokens.accessToken)"], ["Cookie: access_token=\(tokens.accessToken)"],
      ["Authorization: \(tokens.accessToken)"],
    ] { #expect(try await target.send("GET", "/rpc/me", fields: fields).hasPrefix("HTTP/1.1 401")) }
    #expect(try await target.send("GET", "/rpc/me?access_token=\(tokens.accessToken)").hasPrefix("HTTP/1.1 401"))
    let both = ["Authorization: Bearer x", "Authorization: Bearer \(tokens.accessToken)"]
    #expect(!(try await target.send("GET", "/rpc/me", fields: both)).hasPrefix("HTTP/1.1 200"))
    #expect(
      try await target.send("GET", "/rpc/me", fields: ["Authorization: Bearer \(tokens.accessToken)"]).hasPrefix("HTTP/1.1 200"))
    await target.stop()
  }

  @Test func webPagesAreRefused() async throws {
    let target = try await Target.start()
    let body = "{\"identifier\":\"ana@example.com\"}"
    for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
      let answer = try await target.send("POST", "/rpc/request_magic_link", body, type: type)
      #expect(answer.hasPrefix("HTTP/1.1 415") && answer.contains("unsupported_media_type"))
      for field in ["Origin: https://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site"] {
        let refused = try await target.send("POST", "/rpc/request_magic_link", body, fields: [field])
        #expect(refused.hasPrefix("HTTP/1.1 403") && refused.contains("forbidden"))
      }
    }
    let preflight = try await target.send(
      "OPTIONS", "/rpc/request_magic_link",
      fields: [
        "Origin: https://evil.example", "Access-Control-Request-Method: POST", "Access-Control-Request-Private-Network: true",
      ])
    #expect(preflight.hasPrefix("HTTP/1.1 403") && !preflight.lowercased().contains("access-control-allow"))
    for path in ["/dev/inbox", "/dev/limits", "/rpc/app_config", "/swagger.json"] {
      let answer = try await target.send("GET", path, fields: ["Origin: https://evil.example"], host: "evil.example")
      #expect(!answer.lowercased().contains("access-control-allow"))
      #expect(answer.hasPrefix("HTTP/1.1 403"))
    }
    #expect(await target.probe.backend.inbox.messages(to: nil).isEmpty)
    await target.stop()
  }

  @Test func developerRoutesNeedTheirToken() async throws {
    for configured in ["developers", nil] {
      let target = try await Target.start(token: configured)
      for path in ["/dev/inbox", "/dev/clock", "/dev/limits", "/rpc/inbox", "/rpc/clock", "/rpc/dev/clock"] {
        for fields in [[], ["Authorization: Bearer wrong"], ["Authorization: Bearer "], ["Cookie: token=developers"]] {
          let answer = try await target.send("POST", path, "{\"advance_seconds\":600}", fields: fields)
          #expect(answer.hasPrefix("HTTP/1.1 404"))
        }
      }
      #expect(target.probe.backend.clock.offset == .zero)
      let answer = try await target.send("GET", "/dev/inbox", fields: ["Authorization: Bearer developers"])
      #expect(answer.hasPrefix(configured == nil ? "HTTP/1.1 404" : "HTTP/1.1 200"))
      await target.stop()
    }
  }

  @Test func bodyFramings() async throws {
    let target = try await Target.start()
    let body = "{\"identifier\":\"ana@example.com\",\"unknown\":[1]}"
    let half = body.utf8.count / 2
    let chunks =
      "\(String(half, radix: 16))\r\n\(body.prefix(half))\r\n\(String(body.utf8.count - half, radix: 16))\r\n\(body.dropFirst(half))\r\n"
    func chunked(_ text: String) async throws -> String {
      try await TLSExchange.run(
        port: target.port, trusting: target.listener.certificatePEM,
        request: "POST /rpc/request_magic_link HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nX-Device-ID: d\r\n"
          + "Content-Type: application/json; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n" + text)
    }
    #expect(try await chunked(chunks + "0\r\n\r\n").hasPrefix("HTTP/1.1 200"))
    #expect(try await chunked(chunks + "0\r\nX-Device-ID: other\r\n\r\n").hasPrefix("HTTP/1.1 200"), "a trailer changes nothing")
    #expect(try await chunked("zz\r\n\(body)\r\n0\r\n\r\n").hasPrefix("HTTP/1.1 400"))
    let expecting = try await target.send("POST", "/rpc/request_magic_link", body, fields: ["Expect: 100-continue"])
    #expect(expecting.contains("HTTP/1.1 200"))
    let smuggled = try await target.send("POST", "/rpc/request_magic_link", body, fields: ["Transfer-Encoding: chunked"])
    #expect(smuggled.hasPrefix("HTTP/1.1 400"))
    let packed = try await target.send("POST", "/rpc/request_magic_link", body, fields: ["Content-Encoding: gzip"])
    #expect(packed.hasPrefix("HTTP/1.1 200"), "a body is never decompressed")
    await target.stop()
  }

  /// Concurrent refreshes and a logout: in any order, no token is valid after the logout.
  @Test func noTokenSurvivesALogoutThatRacesWithRefreshes() async throws {
    let probe = try await BackendProbe()
    for _ in 0..<10 {
      let tokens = try await probe.signIn()
      let handedOut = try await withThrowingTaskGroup(of: [TokenPair].self) { group in
        for _ in 0..<8 { group.addTask { [try? await probe.refresh(tokens.refreshToken).tokens].compactMap { $0 } } }
        group.addTask {
          _ = try await probe.post("/app/api/logout", "{}", token: tokens.accessToken)
          return []
        }
        return try await group.reduce(into: [tokens]) { $0 += $1 }
      }
      for pair in handedOut {
        #expect(try await probe.me(pair.accessToken).code == "invalid_token")
        #expect(try await probe.refresh(pair.refreshToken).code == "invalid_token")
      }
    }
  }

  /// All codes of `BackendErrorCode` but three: only the listener answers `forbidden` (`webPagesAreRefused`),
  /// `FaultyDiskTests` cover `unavailable`, and `internal` is covered by `StoredDataTests.aDamagedTableIsReportedByRequestIDOnly`.
  @Test func everyErrorCodeIsCovered() async throws {
    let probe = try await BackendProbe(limits: .relaxed)
    let signed = try await BackendProbe(apiID: "id", apiSecret: "secret")
    let tokens = try await probe.signIn()
    let account = try await probe.account(tokens).accountID
    let profile = try #require(tokens.profile).profileID
    let key = "0b6f7a52-6a4e-4c19-9e0c-4c41f2c4a001"
    func post(_ path: String, _ body: String, key: String? = nil) async throws -> BackendProbe.Reply {
      try await probe.post(path, body, token: tokens.accessToken, key: key)
    }
    let cue = try JSONCoding.decode(CueListBody.self, from: try await probe.cues(tokens).body).cues[0]
    let stale = "{\"cue_id\":\"\(cue.cueID)\",\"stage\":\"review\",\"base_updated_at\":\"2020-01-01T00:00:00Z\"}"
    var replies = [
      try await post("/rpc/shuffle_cues", "{"), try await post("/rpc/request_login_code", "{\"identifier\":\"x\"}"),
      try await post("/nothing", "{}"), try await post("/rpc/shuffle_cues", "{\"profile_id\":\"x\"}"),
      try await post("/rpc/update_cue_stage", stale.replacingOccurrences(of: cue.cueID, with: "x")),
      try await probe.me("x"), try await probe.me(tokens.accessToken, device: "x"), try await probe.redeem(link: "x"),
      try await probe.redeem(code: "x"), try await signed.call(.get, "/rpc/app_config"), try await post("/rpc/me", "{}"),
      try await post("/rpc/update_cue_stage", stale),
      try await post("/rpc/shuffle_cues", "{\"profile_id\":\"\(profile)\"}", key: key),
      try await post("/rpc/shuffle_cues", "{\"profile_id\":\"\(account)\"}", key: key),
      try await probe.call(.post, "/rpc/shuffle_cues", body: Array(repeating: 32, count: ReferenceBackend.bodyLimit + 1)),
      try await probe.call(.post, "/rpc/shuffle_cues", body: [123], type: "text/plain"),
      try await post("/rpc/request_login_code", "{\"identifier\":\"\(BackendProbe.ana)\"}"),
    ]
    probe.time.advance(by: .seconds(900))
    replies.append(try await probe.me(tokens.accessToken))
    let successor = try await probe.refresh(tokens.refreshToken).tokens
    probe.time.advance(by: .seconds(15 * 86_400))
    replies.append(try await probe.refresh(successor.refreshToken))
    replies.append(try await probe.refresh(tokens.refreshToken))
    let expected: Set<String> = [
      "invalid_request", "invalid_identifier", "not_found", "profile_not_found", "cue_not_found", "ErrAccessTokenExpired",
      "ErrRefreshTokenExpired", "ErrDeviceNotRegistered", "invalid_token", "refresh_token_reused", "login_link_invalid",
      "login_code_invalid", "invalid_signature", "method_not_allowed", "conflict", "idempotency_mismatch", "payload_too_large",
      "unsupported_media_type", "too_many_attempts",
    ]
    #expect(Set(replies.compactMap(\.code)) == expected)
  }
}

import HTTPTypes
import JSON
import RPC
import Support
import Testing

@testable import Backend

/// A backend that answers from a recording.
@Suite(.timeLimit(.minutes(1))) struct ReplayTests {
  /// A call such as `POST /path`, or only the path for GET, and the body of its answer.
  static func exchange(
    _ call: String, query: String? = nil, sent: String? = nil, isAuthorized: Bool = false, status: Int = 200,
    headers: [(name: String, value: String)] = [("Content-Type", "application/json")], _ body: String
  ) -> ReplayedRecording.Exchange {
    let isPost = call.hasPrefix("POST ")
    return ReplayedRecording.Exchange(
      method: isPost ? .post : .get, path: isPost ? String(call.dropFirst(5)) : call, query: query,
      requestBody: sent.map { Array($0.utf8) }, isAuthorized: isAuthorized, status: status, headers: headers,
      body: Array(body.utf8))
  }

  private func probe(_ exchanges: [ReplayedRecording.Exchange]) async throws -> BackendProbe {
    try await BackendProbe(recording: ReplayedRecording(exchanges: exchanges))
  }

  private func signIn(_ probe: BackendProbe, device: String = BackendProbe.device) async throws -> TokenPair {
    let reply = try await probe.redeem(code: "123456", of: "anyone", device: device)
    try #require(reply.status == 200)
    return try reply.tokens
  }

  private func text(_ reply: BackendProbe.Reply) -> String { String(decoding: reply.body, as: UTF8.self) }

  // MARK: Answers

  /// What acts on the browser, or on other hosts than this backend's, is not sent again.
  @Test func fieldsThatActBeyondTheAnswerAreLeftOut() {
    let exchange = Self.exchange(
      "/rpc/app_config",
      headers: [
        ("Clear-Site-Data", "\"*\""), ("Strict-Transport-Security", "max-age=1"), ("Set-Cookie", "a=1; Domain=other.test"),
        ("Set-Cookie", "b=2; Path=/"), ("X-Long", String(repeating: "x", count: 100_000)), ("X-Kept", "1"),
      ], "1")
    #expect(
      exchange.fields.map { "\($0.name.canonicalName)=\($0.value)" } == [
        "set-cookie=b=2; Path=/", "x-kept=1", "x-replay-left-out=clear-site-data, strict-transport-security, set-cookie, x-long",
      ])
  }

  @Test func answersComeInOrderAndTheLastOneRepeats() async throws {
    let probe = try await probe([
      Self.exchange("/rpc/app_config", "1"), Self.exchange("/rpc/app_config", status: 500, "2"),
      Self.exchange("/rpc/app_config", "3"),
    ])
    var seen: [String] = []
    for _ in 0..<5 {
      let reply = try await probe.call(.get, "/rpc/app_config")
      seen.append("\(reply.status) \(text(reply))")
    }
    #expect(seen == ["200 1", "500 2", "200 3", "200 3", "200 3"])
    #expect(text(try await probe.call(.get, "/rpc/app_config", device: "another")) == "1", "each device has its own turn")
    let head = try await probe.call(.head, "/rpc/app_config", device: "third")
    #expect(head.status == 200)
  }

  @Test func anAnswerThatWasConfirmedKeepsItsTurn() async throws {
    let probe = try await probe([
      Self.exchange("/a", status: 304, ""), Self.exchange("/a", "1"), Self.exchange("/a", status: 304, ""),
      Self.exchange("/a", "2"), Self.exchange("/b", status: 304, ""),
    ])
    var seen: [String] = []
    for _ in 0..<4 { seen.append(text(try await probe.call(.get, "/a"))) }
    #expect(seen == ["1", "1", "2", "2"])
    #expect(try await probe.call(.get, "/b").status == 501, "what it confirmed was not recorded")
  }

  @Test func theSameCallHasTheSameMethodPathAndQuery() async throws {
    let probe = try await probe([
      Self.exchange("/v1/list", query: "page=1&size=2", "one"), Self.exchange("/v1/list", query: "page=2&size=2", "two"),
      Self.exchange("POST /v1/list", "posted"), Self.exchange("/v1/list", query: "who=%E2%80%B9email:1%E2%80%BA", "masked"),
    ])
    #expect(
      text(try await probe.call(.get, "/v1/list", query: "size=2&page=2")) == "two", "the order of parameters does not matter")
    #expect(text(try await probe.call(.get, "/v1/list", query: "page=1&size=2&new=1")) == "one", "there may be more of them")
    #expect(text(try await probe.call(.get, "/v1/list", query: "who=ana%40example.com")) == "masked", "a mask is any text")
    #expect(text(try await probe.post("/v1/list", "{}")) == "posted")
    for query in ["page=3&size=2", "page=1", nil] {
      let reply = try await probe.call(.get, "/v1/list", query: query)
      #expect(reply.status == 501 && reply.code == "not_recorded")
    }
  }

  @Test func aDateInAQueryIsAnyDateButAnEqualOneComesFirst() async throws {
    let first = "2026-11-21T10:00:00.000Z"
    let second = "2026-11-21T11:00:00.000Z"
    let probe = try await probe([
      Self.exchange("/rpc/list", query: "id=a&since=\(first)", "first"),
      Self.exchange("/rpc/list", query: "id=a&since=\(second)", "second"),
    ])
    #expect(text(try await probe.call(.get, "/rpc/list", query: "id=a&since=\(second)")) == "second")
    #expect(text(try await probe.call(.get, "/rpc/list", query: "id=a&since=2026-11-22T00:00:00Z")) == "first")
    #expect(try await probe.call(.get, "/rpc/list", query: "id=b&since=\(first)").status == 501)
  }

  @Test func bodiesAreComparedOnlyIfThereAreSeveral() async throws {
    let single = try await probe([Self.exchange("POST /v1/act", sent: #"{"a":1}"#, "done")])
    #expect(text(try await single.post("/v1/act", #"{"a":2}"#)) == "done")
    let several = try await probe([
      Self.exchange("POST /v1/act", sent: #"{"a":1,"b":[{"at":"2026-11-21T10:00:00.000Z"}]}"#, "one"),
      Self.exchange("POST /v1/act", sent: #"{"a":2}"#, "two"), Self.exchange("POST /v1/act", sent: #"{"a":2}"#, "three"),
      Self.exchange("POST /v1/act", sent: "a=1", "form"),
    ])
    #expect(text(try await several.post("/v1/act", #"{ "b":[{"at":"2026-11-23T10:00:00Z"}], "a":1 }"#)) == "one")
    #expect(text(try await several.post("/v1/act", #"{"a":2}"#)) == "two")
    #expect(text(try await several.post("/v1/act", #"{"a":2}"#)) == "three")
    #expect(
      text(try await several.call(.post, "/v1/act", body: Array("a=1".utf8), type: "application/x-www-form-urlencoded")) == "form"
    )
    for body in [#"{"a":3}"#, #"{"a":2,"c":1}"#, "{}"] {
      let reply = try await several.post("/v1/act", body)
      #expect(reply.status == 501 && text(reply).contains("POST /v1/act"))
    }
  }

  @Test func aRetryGetsTheSameAnswer() async throws {
    let probe = try await probe([Self.exchange("POST /v1/act", "1"), Self.exchange("POST /v1/act", "2")])
    let key = "11111111-1111-4111-8111-111111111111"
    for _ in 0..<3 { #expect(text(try await probe.post("/v1/act", "{}", key: key)) == "1") }
    #expect(text(try await probe.post("/v1/act", "{}")) == "2")
  }

  @Test func fieldsOfTheConnectionTheInstantAndTheMaskedAreLeftOut() async throws {
    let probe = try await probe([
      Self.exchange(
        "/a",
        headers: [
          ("Content-Type", "text/csv"), ("ETag", "\"7\""), ("X-Two", "1"), ("X-Two", "2"), ("Connection", "close"),
          ("Transfer-Encoding", "chunked"), ("Content-Length", "99"), ("content-encoding", "gzip"), ("Date", "yesterday"),
          ("Set-Cookie", "sid=‹header:1›"), (":status", "200"), ("Bad Name", "x"), ("X-Break", "a\r\nb"), ("Alt-Svc", "h3"),
        ], "x,y")
    ])
    let reply = try await probe.call(.get, "/a", fields: [("X-Request-ID", "mine")])
    #expect(Set(reply.fields.map(\.name.canonicalName)) == ["content-type", "etag", "x-two", "x-request-id"])
    #expect(reply.fields[.contentType] == "text/csv" && reply.fields[.requestID] == "mine" && text(reply) == "x,y")
    let current = try await probe.call(.get, "/a", fields: [("If-None-Match", "\"7\"")])
    #expect(current.status == 304 && current.body.isEmpty)
  }

  @Test func whatWasNeverRecordedIsNamed() async throws {
    let probe = try await probe([Self.exchange("/rpc/me", "{}")])
    for (method, path) in [(HTTPRequest.Method.get, "/rpc/app_config"), (.delete, "/rpc/me"), (.get, "/swagger.json")] {
      let reply = try await probe.call(method, path)
      #expect(reply.status == 501 && reply.code == "not_recorded")
      #expect(try reply.json["error"]?["message"]?.string?.hasPrefix("\(method.rawValue) \(path) ") == true)
    }
  }

  // MARK: Sessions

  @Test func anyCodeAndAnyLinkSignsInAndTokensAreChecked() async throws {
    let probe = try await probe([Self.exchange("/rpc/me", "me"), Self.exchange("/v1/own", isAuthorized: true, "own")])
    #expect(try await probe.post("/rpc/request_magic_link", #"{"identifier":"anyone","state":"s"}"#).status == 200)
    #expect(try await probe.redeem(link: "anything", device: "other").status == 200)
    #expect(try await probe.post("/rpc/login_with_code", "{}").status == 400)
    let tokens = try await signIn(probe)
    #expect(tokens.profile == nil, "the recording says who it is")
    for path in ["/rpc/me", "/v1/own"] {
      #expect(try await probe.call(.get, path).code == "invalid_token")
      #expect(try await probe.call(.get, path, token: "other").code == "invalid_token")
      #expect(try await probe.call(.get, path, device: "other", token: tokens.accessToken).code == "ErrDeviceNotRegistered")
      #expect(try await probe.call(.get, path, token: tokens.accessToken).status == 200)
    }
    probe.time.advance(by: .seconds(901))
    #expect(try await probe.me(tokens.accessToken).code == "ErrAccessTokenExpired")
    let refreshed = try await probe.refresh(tokens.refreshToken).tokens
    #expect(text(try await probe.me(refreshed.accessToken)) == "me")
    #expect(try await probe.post("/app/api/logout", "{}", token: refreshed.accessToken).status == 204)
    #expect(try await probe.me(refreshed.accessToken).code == "invalid_token")
  }

  @Test func aSignInStartsTheRecordingAgain() async throws {
    let probe = try await probe([Self.exchange("/rpc/me", "1"), Self.exchange("/rpc/me", status: 401, "2")])
    for _ in 0..<2 {
      let tokens = try await signIn(probe)
      #expect(text(try await probe.me(tokens.accessToken)) == "1")
      #expect(try await probe.me(tokens.accessToken).status == 401)
    }
  }

  @Test func aRecordedAnswerToARequestForACodeIsUsedButARecordedSignInIsNot() async throws {
    let receipt = #"{"cooldown_seconds":7,"expires_in_seconds":60}"#
    let probe = try await probe([
      Self.exchange("POST /rpc/request_login_code", receipt),
      Self.exchange("POST /rpc/login_with_code", status: 401, "{}"),
      Self.exchange("POST /rpc/refresh_tokens", status: 401, "{}"),
    ])
    #expect(text(try await probe.post("/rpc/request_login_code", #"{"identifier":"a@example.com"}"#)) == receipt)
    let tokens = try await signIn(probe)
    #expect(try await probe.refresh(tokens.refreshToken).status == 200)
  }

  // MARK: Bounds

  @Test func onlySoManyDevicesAreRemembered() {
    let positions = ReplayPositions()
    let sequence = ReplayPositions.SequenceID(method: "GET", path: "/", index: 0)
    for number in 0...ReplayPositions.capacity {
      #expect(positions.next(sequence, count: 3, device: "d\(number)", key: nil) == 0)
    }
    #expect(positions.next(sequence, count: 3, device: "d1", key: nil) == 1)
    #expect(positions.next(sequence, count: 3, device: "d0", key: nil) == 0, "the oldest was forgotten")
  }
}

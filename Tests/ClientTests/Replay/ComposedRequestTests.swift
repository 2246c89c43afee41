import HTTPTypes
import Observability
import RPC
import Testing
import Text

@testable import Client

/// What a user may send: only to the configured backend, and no calls of the session itself.
@Suite struct ComposedRequestTests {
  private func compose(
    _ method: String = "GET", _ path: String = "/rpc/me", query: String? = nil,
    headers: [(name: String, value: String)] = [], body: String? = nil, isConfirmed: Bool = false, parent: String? = nil
  ) throws(ComposedRequest.Refusal) -> ComposedRequest {
    try ComposedRequest(
      method: method, path: path, query: query, headers: headers, body: body.map { Array($0.utf8) }, isAuthorized: true,
      isConfirmed: isConfirmed, parentRow: parent)
  }

  @Test(arguments: [
    "", "rpc/me", "https://evil.example/", "//evil.example/", "///x", "\\\\evil.example", "/\\evil", "/a\\b", "/a\r\nHost: evil",
    "/a\nb", "/a b", "/a\tb", "/a#b", "/a?b", "/a\0", "/..", "/../x", "/a/../b", "/a/./b", "/.", "/a/..", "/%2e%2e/x", "/%2E./x",
    "/.%2e", "/a/%2e", "/%252e%252e/x", "/%25252e/x", "/a%2f..%2fb", "/a%2F%2e", "/a%5cb", "/a%255cb", "/a%0d%0aHost:x", "/a%00b",
    "/a%23b",
    "/a%3fb", "/%", "/%2", "/%zz", "/%u002e", "/é", "/‹token:00000000›", "/..;/x",
    "/a;x/..;y",
    "@evil.example", ":8080/x", " /rpc/me", "*", "/a{b}", "/a|b", "/a\"b", "/a<b>", "/a^b", "/a`b`", "/a\u{7f}",
  ])
  func pathsThatLeadElsewhereAreRefused(_ path: String) {
    #expect(throws: ComposedRequest.Refusal.invalid(field: "path")) { try compose("GET", path) }
  }

  @Test(arguments: [
    "/", "/rpc/me", "/rpc/me/", "/a//b", "/a;v=1", "/a%20b", "/a%40b", "/~x/.hidden/..x/x..", "/a:b", "/!$&'()*+,=", "/a%25",
    "/users/@me", "/@scope/x",
    "/a%2Fb", "/user:pass@host",
  ])
  func pathsOfTheBackendPass(_ path: String) throws {
    #expect(try compose("GET", path).path == path)
  }

  @Test func hugePartsAreRefused() {
    #expect(throws: ComposedRequest.Refusal.invalid(field: "path")) {
      try compose("GET", "/" + String(repeating: "a", count: OriginFormPath.maximumBytes))
    }
    #expect(throws: ComposedRequest.Refusal.invalid(field: "query")) {
      try compose("GET", "/a", query: String(repeating: "a", count: OriginFormPath.maximumBytes + 1))
    }
    #expect(throws: ComposedRequest.Refusal.invalid(field: "body")) {
      try compose("POST", "/a", body: String(repeating: "a", count: ComposedRequest.maximumBodyBytes + 1), isConfirmed: true)
    }
  }

  @Test(arguments: ["?a=1", "a#b", "a b", "a\r\nX: y", "a\nb", "é", "a\\b", "\0", "a\"b", "<script>"])
  func queriesThatAreNoneAreRefused(_ query: String) {
    #expect(throws: ComposedRequest.Refusal.invalid(field: "query")) { try compose("GET", "/a", query: query) }
  }

  @Test func queriesGoAsTheyAre() throws {
    #expect(try compose("GET", "/a", query: "a=1&b=%20?/:@").query == "a=1&b=%20?/:@")
    #expect(try compose("GET", "/a", query: "").query == nil)
  }

  @Test(arguments: ["", "get", "CONNECT", "TRACE", "G ET", "GET\r\nX: y", "FETCH"])
  func onlyKnownMethodsAreSent(_ method: String) {
    #expect(throws: ComposedRequest.Refusal.invalid(field: "method")) { try compose(method, isConfirmed: true) }
  }

  @Test(arguments: [
    "/rpc/refresh_tokens", "/rpc/login_with_code", "/rpc/login_with_magic_token", "/rpc/request_magic_link",
    "/rpc/request_login_code",
    "/app/api/refresh-token", "/app/api/logout", "/RPC/Refresh_Tokens", "/rpc/refresh_tokens/", "/rpc//refresh_tokens",
    "/rpc/refresh%5ftokens", "/rpc/refresh%255Ftokens", "/rpc/refresh_tokens;x=1", "/rpc;a/refresh_tokens",
    "/%72pc/logi%6e_with_code",
  ])
  func theSessionsOwnCallsAreRefused(_ path: String) {
    for method in ["GET", "POST"] {
      #expect(throws: ComposedRequest.Refusal.notReplayable) { try compose(method, path, isConfirmed: true) }
    }
  }

  @Test func whatMayChangeSomethingIsConfirmed() throws {
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
      #expect(throws: ComposedRequest.Refusal.unconfirmed) { try compose(method, "/rpc/shuffle_cues") }
      #expect(try compose(method, "/rpc/shuffle_cues", isConfirmed: true).method.rawValue == method)
    }
    for method in ["GET", "HEAD", "OPTIONS"] {
      #expect(try compose(method).isSafe)
      #expect(throws: ComposedRequest.Refusal.invalid(field: "body")) { try compose(method, body: "{}", isConfirmed: true) }
    }
  }

  @Test(arguments: [
    "Authorization", "authorization", "Cookie", "Host", "Content-Length", "Transfer-Encoding", "Connection", "X-Device-ID",
    "X-Api-Id", "X-Nonce", "X-Signature", "X-Request-ID", "Idempotency-Key", "Proxy-Authorization", "", "A B", "A:", "Ä",
  ])
  func aFieldOfTheClientsOwnOrWithoutANameIsRefused(_ name: String) {
    #expect(throws: ComposedRequest.Refusal.invalid(field: "headers")) { try compose(headers: [(name, "1")]) }
  }

  @Test(arguments: ["a\r\nX: b", "a\nb", "a\0b", " a", "a\t", "ü"])
  func aValueThatIsNotOneLineIsRefused(_ value: String) {
    #expect(throws: ComposedRequest.Refusal.invalid(field: "headers")) { try compose(headers: [("X-Flag", value)]) }
  }

  @Test func thereAreNotTooManyFields() throws {
    let most = (0..<ComposedFields.maximumCount).map { (name: "X-\($0)", value: "1") }
    #expect(try compose(headers: most).headers.count == most.count)
    #expect(throws: ComposedRequest.Refusal.invalid(field: "headers")) { try compose(headers: most + [("X", "1")]) }
    let long = String(repeating: "a", count: ComposedFields.maximumBytes)
    #expect(throws: ComposedRequest.Refusal.invalid(field: "headers")) { try compose(headers: [("X", long)]) }
  }

  @Test func fieldsAreSentAndReplaceTheClientsOwn() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    let request = try compose(
      "POST", "/rpc/shuffle_cues", headers: [("content-type", "text/plain"), ("X-Flag", "a"), ("X-Flag", "")], body: "a=1",
      isConfirmed: true)
    try? await harness.stack.api.send(request) { _ in }
    let sent = try #require(harness.backend.requests("/rpc/shuffle_cues").last)
    let lines = sent.headers.map { "\($0.name.canonicalName): \($0.value)" }
    #expect(lines.filter { $0.hasPrefix("content-type") } == ["content-type: text/plain"])
    #expect(lines.filter { $0.hasPrefix("x-flag") } == ["x-flag: a", "x-flag: "])
    #expect(lines.contains { $0.hasPrefix("authorization: Bearer ") } && lines.contains { $0.hasPrefix("x-request-id: ") })
  }

  @Test func aKnownEndpointKeepsItsTraitsAndAnUnknownOneLogsNoBody() throws {
    let known = Call(try compose("POST", "/rpc/shuffle_cues", body: "{}", isConfirmed: true), now: .now)
    #expect(known.endpoint == "shuffle_cues" && known.idempotencyKey != nil && known.isRetryable)
    #expect(known.loggableBodies == CueEndpoints.ShuffleCues.loggableBodies && known.source == .composed)
    #expect(Call(try compose(parent: "row"), now: .now).source == .replay)
    let other = Call(try compose("POST", "/rpc/shuffle_cues/", body: "{}", isConfirmed: true), now: .now)
    #expect(other.endpoint == "composed" && other.idempotencyKey == nil && !other.isRetryable && other.loggableBodies == [])
  }
}

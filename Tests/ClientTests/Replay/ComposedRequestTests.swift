import HTTPTypes
import Observability
import RPC
import Testing

@testable import Client

/// What a user may send: only to the configured backend, and no calls of the session itself.
@Suite struct ComposedRequestTests {
  private func compose(
    _ method: String = "GET", _ path: String = "/rpc/me", query: String? = nil, body: String? = nil, isConfirmed: Bool = false
  ) throws(ComposedRequest.Refusal) -> ComposedRequest {
    try ComposedRequest(
      method: method, path: path, query: query, body: body.map { Array($0.utf8) }, isAuthorized: true, isConfirmed: isConfirmed)
  }

  @Test(arguments: [
    "", "rpc/me", "https://evil.example/", "//evil.example/", "///x", "\\\\evil.example", "/\\evil", "/a\\b", "/a\r\nHost: evil",
    "/a\nb", "/a b", "/a\tb", "/a#b", "/a?b", "/a\0", "/..", "/../x", "/a/../b", "/a/./b", "/.", "/a/..", "/%2e%2e/x", "/%2E./x",
    "/.%2e", "/a/%2e", "/%252e%252e/x", "/%25252e/x", "/a%2fb", "/%2F%2Fevil", "/a%5cb", "/a%255cb", "/a%0d%0aHost:x", "/a%00b",
    "/a%23b",
    "/a%3fb", "/%", "/%2", "/%zz", "/%u002e", "/user:pass@host", "/@evil.example", "/é", "/‹token:00000000›", "/..;/x",
    "/a;x/..;y",
    "@evil.example", ":8080/x", " /rpc/me", "*", "/a{b}", "/a|b", "/a\"b", "/a<b>", "/a^b", "/a`b`", "/a\u{7f}",
  ])
  func pathsThatLeadElsewhereAreRefused(_ path: String) {
    #expect(throws: ComposedRequest.Refusal.invalid(field: "path")) { try compose("GET", path) }
  }

  @Test(arguments: [
    "/", "/rpc/me", "/rpc/me/", "/a//b", "/a;v=1", "/a%20b", "/a%40b", "/~x/.hidden/..x/x..", "/a:b", "/!$&'()*+,=", "/a%25",
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

  @Test func aKnownEndpointKeepsItsTraitsAndAnUnknownOneLogsNoBody() throws {
    let known = Call(try compose("POST", "/rpc/shuffle_cues", body: "{}", isConfirmed: true), now: .now)
    #expect(known.endpoint == "shuffle_cues" && known.idempotencyKey != nil && known.isRetryable)
    #expect(known.loggableBodies == CueEndpoints.ShuffleCues.loggableBodies && known.source == .replay)
    let other = Call(try compose("POST", "/rpc/shuffle_cues/", body: "{}", isConfirmed: true), now: .now)
    #expect(other.endpoint == "composed" && other.idempotencyKey == nil && !other.isRetryable && other.loggableBodies == [])
  }
}

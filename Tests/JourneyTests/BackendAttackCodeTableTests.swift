import Foundation
import JSON
import Support
import Testing

extension BackendAttackTests {
  /// All error codes except `unavailable` and `internal`, which B30 and B33 provoke.
  static let codes: Set<String> = [
    "invalid_request", "invalid_identifier", "forbidden", "not_found", "profile_not_found", "cue_not_found",
    "ErrAccessTokenExpired", "ErrRefreshTokenExpired", "ErrDeviceNotRegistered", "invalid_token", "refresh_token_reused",
    "login_link_invalid", "login_code_invalid", "invalid_signature", "method_not_allowed", "conflict", "idempotency_mismatch",
    "payload_too_large", "unsupported_media_type", "too_many_attempts",
  ]

  @Test func b38EveryErrorCodeIsReachedInOneShape() async throws {
    let target = try await Self.target()
    let tokens = try await target.signIn("codes@example.com")
    let key = "0b6f7a52-6a4e-4c19-9e0c-4c41f2c4a038"
    let cue = try #require(try await target.cues(tokens).json?["cues"]?.elements.first?["cue_id"]?.string)
    func update(_ id: String) -> String {
      "{\"cue_id\":\"\(id)\",\"stage\":\"review\",\"base_updated_at\":\"2020-01-01T00:00:00Z\"}"
    }
    let shuffle = "{\"profile_id\":\"\(tokens.profileID)\"}"
    var replies = [
      try await target.post("/rpc/shuffle_cues", "{", tokens),
      try await target.post("/rpc/request_login_code", "{\"identifier\":\"x\"}", tokens),
      try await target.send("GET", "/rpc/app_config", fields: ["Origin: https://evil.example"]),
      try await target.send("GET", "/rpc/app_config/"), try await target.send("POST", "/RPC/me", "{}"),
      try await target.post("/rpc/shuffle_cues", "{\"profile_id\":\"x\"}", tokens),
      try await target.post("/rpc/update_cue_stage", update("x"), tokens),
      try await target.post("/rpc/update_cue_stage", update(cue), tokens),
      try await target.me("x"), try await target.me(tokens.access, device: "x"),
      try await target.redeem(link: "x"), try await target.redeem(code: "x", of: "codes@example.com"),
      try await target.post("/rpc/shuffle_cues", shuffle, tokens, key: key),
      try await target.post("/rpc/shuffle_cues", "{}", tokens, key: key),
      // Rejected by its head alone.
      try await target.exchange(
        Array(
          "POST /rpc/request_magic_link HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1048577\r\n\r\n"
            .utf8)),
      try await target.send("POST", "/rpc/request_magic_link", "{}", type: "text/plain"),
    ]
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "POST"] {
      let reply = try await target.send(method, "/rpc/me")
      #expect(reply.status == 405 && reply.field("allow") == "GET, HEAD")
      replies.append(reply)
    }
    try await target.limits("prod")
    for _ in 0..<2 {
      replies.append(try await target.send("POST", "/rpc/request_login_code", BackendTarget.body("codes@example.com")))
    }
    try await target.advance(900)
    replies.append(try await target.me(tokens.access))
    let next = try await target.rotate(tokens.refresh)
    try await target.advance(15 * 86_400)
    replies += [try await target.refresh(next.refresh), try await target.refresh(tokens.refresh)]
    let secret = try target.folder.write("a secret of the signatures", to: "api-secret")
    let signed = try await BackendTarget.start(arguments: ["--api-id", "id", "--api-secret-file", secret])
    for fields in [[], ["X-Api-Id: id", "X-Nonce: 1", "X-Signature: 00"]] {
      replies.append(try await signed.send("GET", "/rpc/app_config", fields: fields))
    }
    #expect(Set(replies.compactMap(\.code)) == Self.codes)
    for reply in replies where reply.status >= 400 {
      let error = try #require(reply.json?["error"])
      #expect(Set(error.members.map(\.key)).isSubset(of: ["code", "message", "request_id", "details"]))
      #expect(error["request_id"]?.string == reply.field("x-request-id") && error["message"]?.string?.isEmpty == false)
      #expect(reply.field("content-type") == "application/json" && reply.field("cache-control") == "no-store")
      #expect((reply.field("retry-after") != nil) == (reply.status == 429))
    }
  }
}

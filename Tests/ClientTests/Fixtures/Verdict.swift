import Client
import Domain
import HTTPTypes
import RPC

/// Answers to a refresh, by what they say about the refresh token (seed-rules N-22 "refresh fails").
enum Verdict {
  /// Answers that say nothing about it: none at all, a wait, a failing backend, and what no API wrote.
  static let none: [Result<TransportResponse, TransportError>] =
    [
      .failure(.offline(kind: .cannotConnect)), .failure(.timedOut(.idle)), .failure(.cancelled),
      .failure(.connectionLost(mayHaveBeenProcessed: false)), .failure(.connectionLost(mayHaveBeenProcessed: true)),
      .success(ScriptedBackend.error(408, "timeout")), .success(ScriptedBackend.error(425, "too_early")),
      .success(ScriptedBackend.error(429, "too_many_attempts")), .success(ScriptedBackend.error(400, "too_many_attempts")),
      .success(ScriptedBackend.error(429, "too_many_attempts", headers: [.retryAfter: "1"])),
      .success(ScriptedBackend.error(500, "internal")), .success(ScriptedBackend.error(502, "bad_gateway")),
      .success(ScriptedBackend.error(503, "unavailable")), .success(ScriptedBackend.error(504, "late")),
      .success(ScriptedBackend.error(503, BackendErrorCode.refreshTokenExpired)),
      // An old clock: about the request, not about the token.
      .success(ScriptedBackend.error(401, BackendErrorCode.invalidSignature)),
      // The pages of proxies and portals, and JSON that describes no error.
      .success(page(400)), .success(page(401)), .success(page(403)), .success(page(404)), .success(page(407)),
      .success(TransportResponse(status: 400)), .success(TransportResponse(status: 403)),
      .success(ScriptedBackend.text(403, #"{"message":"Forbidden"}"#)), .success(ScriptedBackend.text(400, "[]")),
      .success(ScriptedBackend.text(400, #"{"error":null}"#)), .success(ScriptedBackend.text(403, #"{"error":"cut o"#)),
      .success(ScriptedBackend.text(403, #"{"blocked":true}"#)),
      // Successes without tokens.
      .success(ScriptedBackend.text(200, "garbage")), .success(page(200)), .success(TransportResponse(status: 200)),
      .success(ScriptedBackend.text(200, #"{"status":"ok"}"#)),
      .success(ScriptedBackend.text(200, #"{"refresh_token":"refresh-2"}"#)),
      .success(TransportResponse(status: 204)), .success(TransportResponse(status: 302)),
    ]
    // About the route or the payment, not about the token: a new deployment without the route must not sign everybody out.
    + [402, 404, 405, 407, 409, 415, 451].map { .success(ScriptedBackend.error($0, "something")) }

  /// Refusals, with the reason that the session ends with.
  static let refusals: [(TransportResponse, LogoutReason)] =
    [
      (ScriptedBackend.error(401, BackendErrorCode.refreshTokenExpired), .refreshTokenExpired),
      (ScriptedBackend.error(401, BackendErrorCode.deviceNotRegistered), .deviceNotRegistered),
      (ScriptedBackend.error(401, BackendErrorCode.refreshTokenReused), .refreshTokenReused),
      (ScriptedBackend.error(401, BackendErrorCode.invalidToken), .invalidToken),
      (ScriptedBackend.error(400, BackendErrorCode.refreshTokenExpired), .refreshTokenExpired),
    ] + anonymous.map { ($0, .refreshRefused) }

  /// Refusals without a known code: any 401, and 400, 403, 410 and 422 with an error in each shape.
  private static let anonymous =
    [
      TransportResponse(status: 401), ScriptedBackend.text(401, "{}"), ScriptedBackend.text(401, #"{"ok":false}"#),
      ScriptedBackend.error(401, BackendErrorCode.accessTokenExpired),
      ScriptedBackend.error(401, BackendErrorCode.loginLinkInvalid),
      ScriptedBackend.error(400, "internal"), ScriptedBackend.error(403, "unavailable"),
      ScriptedBackend.text(400, #"{"error":{"message":"No such token."}}"#),
      ScriptedBackend.text(403, #"{"code":1003,"message":"No."}"#),
      ScriptedBackend.text(400, #"{"error":"invalid_grant","error_description":"Token is not active"}"#),
      ScriptedBackend.text(403, #"{"type":"about:blank","title":"Forbidden","status":403}"#),
    ] + [400, 401, 403, 410, 422].flatMap { inEachShape($0, "session_revoked_by_admin") }

  /// An error in each shape that `ParsedErrorBody` reads.
  static func inEachShape(_ status: Int, _ code: String) -> [TransportResponse] {
    [
      ScriptedBackend.error(status, code),
      ScriptedBackend.text(status, #"{"code":"\#(code)","message":"No."}"#),
      ScriptedBackend.text(status, #"{"error":"\#(code)","error_description":"No."}"#),
      ScriptedBackend.text(status, #"{"type":"about:blank","title":"No","status":\#(status),"code":"\#(code)"}"#),
      ScriptedBackend.text(status, #"{"type":"https://backend.test/problems/\#(code)","title":"No","status":\#(status)}"#),
    ]
  }

  private static func page(_ status: Int) -> TransportResponse {
    TransportResponse(
      status: status, headers: [.contentType: "text/html"], body: Array("<html><title>Blocked</title></html>".utf8))
  }
}

import JSON
import RPC
import Testing

@testable import Client

/// Error codes and waits in the shapes that backends use.
struct ParsedErrorBodyTests {
  private func error(_ text: String) throws -> ParsedErrorBody? {
    ParsedErrorBody(try JSONDocument(parsing: Array(text.utf8)).root)
  }

  @Test(arguments: [
    #"{"error":{"code":"cue_not_found","message":"","request_id":"r"}}"#,
    #"{"code":"cue_not_found","message":"There is none."}"#,
    #"{"error":"cue_not_found","error_description":"There is none."}"#,
    #"{"type":"about:blank","title":"None","status":404,"code":"cue_not_found"}"#,
    #"{"type":"https://backend.test/problems/cue_not_found","title":"None"}"#,
    #"{"type":"https://backend.test/problems/cue-not-found?lang=en","title":"None"}"#,
    #"{"type":"https://backend.test/problems#CueNotFound","detail":"None"}"#,
    #"{"type":"urn:problem:cue_not_found","title":"None","status":404}"#,
    #"{"error":{"code":"CUE_NOT_FOUND"}}"#, #"{"code":"cueNotFound"}"#,
    #"{"code":404,"error_code":"cue_not_found","msg":"None"}"#, #"{"__type":"com.example#CueNotFound","message":"None"}"#,
    #"{"error":{"code":404,"message":"CUE_NOT_FOUND"}}"#, #"{"errorCode":"cue_not_found","errorSummary":"None"}"#,
    #"{"error":{"id":"cue_not_found","code":404,"reason":"None"}}"#, #"{"detail":"None","code":"cue_not_found"}"#,
    #"{"errors":[{"status":"404","code":"cue_not_found"}]}"#, #"{"errcode":"CUE_NOT_FOUND","error":"There is none."}"#,
  ])
  func eachShapeHasItsCode(text: String) throws { #expect(try error(text)?.code == BackendErrorCode.cueNotFound) }

  @Test func everyKnownCodeIsFoundInAnySpelling() throws {
    for code in BackendErrorCode.all {
      for spelling in [code, code.uppercased(), code.replacing("_", with: "-")] {
        #expect(try error(#"{"code":"\#(spelling)"}"#)?.code == code)
      }
    }
  }

  @Test(arguments: [
    #"{"type":"https://backend.test/errors/invalid_identifier","title":"No","status":422,"code":"E1042"}"#,
    #"{"code":"RATE_1","error":"invalid_identifier"}"#, #"{"error":{"code":"E7"},"code":"invalid_identifier"}"#,
  ])
  func aKnownCodeCountsBesideAnUnknownOne(text: String) throws {
    #expect(try error(text)?.code == BackendErrorCode.invalidIdentifier)
  }

  /// The row shows the backend's own word, which decides like ours.
  @Test(arguments: [
    (#"{"__type":"CodeMismatchException","message":"No."}"#, "CodeMismatchException", "login_code_invalid"),
    (
      #"{"error":{"code":400,"message":"TOO_MANY_ATTEMPTS_TRY_LATER : Try again."}}"#, "TOO_MANY_ATTEMPTS_TRY_LATER",
      "too_many_attempts"
    ),
    (#"{"error":{"code":400,"message":"TOKEN_EXPIRED","status":"INVALID_ARGUMENT"}}"#, "TOKEN_EXPIRED", "TOKEN_EXPIRED"),
    (#"{"errorCode":"E0000047","errorSummary":"No."}"#, "E0000047", "too_many_attempts"),
    (#"{"detail":"No.","code":"token_not_valid"}"#, "token_not_valid", "invalid_token"),
    (#"{"error":"invalid_grant"}"#, "invalid_grant", "invalid_grant"),
  ])
  func aForeignCodeMeansOneOfOurs(text: String, code: String, meaning: String) throws {
    #expect(try error(text)?.code == code)
    #expect(try error(text)?.meaning == meaning)
  }

  /// Of a call the same words may speak of the access token.
  @Test(arguments: [
    (#"{"code":400,"error_code":"refresh_token_not_found","msg":"No."}"#, "ErrRefreshTokenExpired"),
    (#"{"error":{"code":400,"message":"TOKEN_EXPIRED"}}"#, "ErrRefreshTokenExpired"),
    (#"{"code":"refresh_token_already_used"}"#, "refresh_token_reused"), (#"{"code":"token_not_valid"}"#, "invalid_token"),
    (#"{"code":"something"}"#, "something"),
  ])
  func aForeignCodeOfARefreshSpeaksOfItsToken(text: String, meaning: String) throws {
    #expect(try error(text)?.meaningOnRefresh == meaning)
  }

  @Test func anUnknownCodeIsKeptAsItIs() throws {
    #expect(try error(#"{"error":"invalid_grant"}"#)?.code == "invalid_grant")
    #expect(try error(#"{"code":"ErrTokenRevoked"}"#)?.code == "ErrTokenRevoked")
  }

  /// An error of the backend's own, whose code is missing or no word.
  @Test(arguments: [
    #"{"error":{"message":"No."}}"#, #"{"error":"Something went wrong"}"#, #"{"code":1003,"message":"No."}"#,
    #"{"type":"about:blank","title":"Forbidden","status":403}"#, #"{"title":"Forbidden","status":403}"#,
    #"{"error":{"code":"two words"}}"#, #"{"error":{"code":7}}"#, #"{"code":"quotes-some-unknown-token"}"#,
    #"{"detail":"Invalid refresh token"}"#, #"{"detail":[{"loc":["body"],"msg":"No."}]}"#, #"{"errors":{"email":["No."]}}"#,
    #"{"message":"No.","errors":[{"title":"No."}]}"#, #"{"error":{"code":400,"message":"It went wrong."}}"#,
    #"{"error":{"message":"123456"}}"#, #"{"code":400,"detail":"Invalid refresh token"}"#,
    #"{"code":422,"errors":{"a":["No."]}}"#, #"{"message":"The refresh token is invalid."}"#, #"{"msg":"No."}"#,
    #"{"status":"error","message":"No."}"#, #"{"error":true,"message":"No."}"#, #"{"status":"fail","data":{"refresh":"No."}}"#,
    #"{"refresh":["This field may not be blank."]}"#, #"{"non_field_errors":["No."]}"#, #"["Token is invalid"]"#,
    #"{"generalErrors":[{"code":"[x]","message":"No."}]}"#, #"{"fieldErrors":{"refresh":[{"message":"No."}]}}"#,
    #"{"errorMessage":"No."}"#, #"{"err":"No."}"#, #"{"reason":"It was revoked."}"#, #"{"Error":{"Code":"InvalidToken"}}"#,
    #"{"data":{"error":"No."}}"#, #"{"result":{"errors":[{"text":"No."}]}}"#, #"{"code":1004}"#, #"{"Message":"No."}"#,
    #"{"success":false}"#, #"{"ok":false,"description":"No."}"#, #"{"statusCode":403,"message":"Forbidden"}"#,
    #"{"status":403,"message":"No.","data":{}}"#, #"{"exception":"TokenExpired"}"#, #"{"error":400}"#,
    #"{"fault":{"faultstring":"No."}}"#, #"[{"message":"No."}]"#, #"{"violations":[{"field":"refresh"}]}"#,
    #"{"error_description":"No."}"#, #"{"messages":["No."]}"#, #"{"timestamp":"2026-01-01T00:00:00Z","error":"Bad Request"}"#,
  ])
  func anErrorNeedNoCode(text: String) throws {
    let error = try error(text)
    #expect(error != nil && error?.code == nil)
  }

  @Test(arguments: [
    "{}", "[]", "null", #""error""#, #"{"message":"Forbidden"}"#, #"{"error":null}"#, #"{"error":{}}"#, #"{"error":false}"#,
    #"{"code":403}"#, #"{"title":"A page"}"#, #"{"error":""}"#, #"{"user_id":"u","type":"person"}"#,
    #"{"message":"Missing Authentication Token"}"#, #"{"Message":"Bad Request"}"#, #"{"status":400}"#, #"{"success":true}"#,
    #"{"message":""}"#, #"{"message":null}"#, #"{"errors":[]}"#, #"{"error":0}"#, #"{"status":"ok"}"#, "[{}]", "[1,2]", #"[""]"#,
    #"{"data":{}}"#, #"{"data":{"id":"u"}}"#, #"{"request_id":"r"}"#, #"{"code":0}"#, #"{"detail":""}"#,
  ])
  func otherJSONDescribesNoError(text: String) throws { #expect(try error(text) == nil) }

  @Test(
    arguments: [
      (#"{"error":{"code":"x","retry_after_seconds":7}}"#, 7), (#"{"error":{"code":"x","details":{"retry_after":7}}}"#, 7),
      (#"{"code":"x","retryAfterSeconds":6.2}"#, 7), (#"{"error":"x","retry_after":"7"}"#, 7),
      (#"{"type":"urn:x","title":"","details":{"retryAfter":7}}"#, 7), (#"{"code":"x","retry_after":1e300}"#, nil),
      (#"{"error":"x","retry_after_ms":1200}"#, 2),
      (#"{"code":"x","retry_after":0}"#, nil), (#"{"code":"x","retry_after":-3}"#, nil),
      (#"{"code":"x","retry_after":"soon"}"#, nil),
      (#"{"code":"x","retry_after":"nan"}"#, nil), (#"{"code":"x","retry_after":"inf"}"#, nil),
      (#"{"code":"x","retry_after":1795591393}"#, nil),
      (#"{"code":"x","retry_after":null,"retry_after_seconds":[1]}"#, nil),
    ] as [(String, Int?)])
  func theWaitIsReadFromAnyPlace(text: String, seconds: Int?) throws { #expect(try error(text)?.retryAfterSeconds == seconds) }
}

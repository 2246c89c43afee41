import HTTPTypes
import JSON
import Testing

@testable import BackendFile

struct AnswerVerdictTests {
  private static let calls = """
    calls:
      login_with_password: POST /login
      refresh_tokens: POST /refresh
      me: GET /me
      app_config: GET /config
    """

  private static func definition(_ errors: String = "", calls: String = calls) throws -> BackendDefinition {
    try Samples.definition(errors + "\n" + calls)
  }

  @Test(
    arguments: [
      (200, nil), (204, nil), (302, nil), (304, nil), (400, .wrong), (401, .wrong), (403, .wrong), (404, .wrong), (408, nil),
      (409, .wrong),
      (422, .wrong), (425, nil), (429, .tooMany), (500, nil), (503, nil),
    ] as [(Int, ErrorWord?)]) func loginWithoutRules(_ status: Int, _ word: ErrorWord?) throws
  {
    #expect(try Self.definition().word(.loginWithPassword, Samples.answer(status, "{}")) == word)
  }

  @Test(
    arguments: [
      (200, nil), (302, nil), (400, nil), (401, .expired), (403, nil), (404, nil), (408, nil), (410, nil), (425, nil),
      (429, .tooMany),
      (500, nil),
    ] as [(Int, ErrorWord?)]) func signedInCallWithoutRules(_ status: Int, _ word: ErrorWord?) throws
  {
    #expect(try Self.definition().word(.me, Samples.answer(status, "{}")) == word)
    #expect((try Self.definition().verdict(.me, Samples.answer(status, "{}")) == .success) == (status == 200))
    if status != 429 { #expect(try Self.definition().word(.appConfig, Samples.answer(status, "{}")) == nil) }
  }

  @Test(
    arguments: [
      (400, .ended), (401, .ended), (403, .ended), (404, nil), (405, nil), (408, nil), (409, nil), (410, .ended), (418, nil),
      (422, .ended),
      (425, nil), (429, .tooMany), (500, nil), (502, nil), (302, nil),
    ] as [(Int, ErrorWord?)]) func refreshWithoutRules(_ status: Int, _ word: ErrorWord?) throws
  {
    #expect(try Self.definition().word(.refreshTokens, Samples.answer(status, #"{"status":\#(status)}"#)) == word)
  }

  @Test func pageOfAProxyKeepsTheSession() throws {
    let page = Samples.answer(401, "<html>", headers: [.contentType: "text/html; charset=utf-8"])
    #expect(try Self.definition().word(.refreshTokens, page) == nil)
    #expect(try Self.definition().word(.refreshTokens, Samples.answer(401)) == .ended)
    for status in [400, 403, 410, 422] {
      for body in ["Blocked", "{}", "[]", "null", "1"] {
        #expect(try Self.definition().word(.refreshTokens, Samples.answer(status, body)) == nil)
      }
    }
    for status in [400, 401] {
      #expect(try Self.definition().word(.refreshTokens, Samples.answer(status, #"{"error":"invalid_signature"}"#)) == nil)
    }
  }

  @Test func withoutRefreshExpiredMeansEnded() throws {
    let definition = try Self.definition("errors: {403: expired}", calls: "calls:\n  me: GET /me")
    #expect(try definition.word(.me, Samples.answer(401)) == .ended)
    #expect(try definition.word(.me, Samples.answer(403)) == .ended)
  }

  @Test func ownRuleWinsThenTheNarrower() throws {
    let errors = """
      errors:
        403: wrong
        gone: not_found
        403 gone: conflict
        403 /error/code=gone: ended
      """
    let body = #"{"error":{"code":"gone"}}"#
    #expect(try Self.definition(errors).word(.me, Samples.answer(403, body)) == .ended)
    #expect(try Self.definition(errors).word(.loginWithPassword, Samples.answer(403, body)) == .code("conflict"))
    #expect(try Self.definition(errors).word(.me, Samples.answer(404, body)) == .code("not_found"))
    #expect(try Self.definition(errors).word(.me, Samples.answer(403, "{}")) == .wrong)
    let own = Self.calls.replacing("me: GET /me", with: "me: {request: GET /me, errors: {403: too_many}}")
    #expect(try Self.definition(errors, calls: own).word(.me, Samples.answer(403, body)) == .tooMany)
  }

  @Test func wordsOfTheSessionCountOnlyWhereThereIsOne() throws {
    let errors = "errors: {400 X: expired, 400 Y: ended, 400 Z: reused, 400: too_many}"
    func word(_ call: CallName, _ code: String) throws -> ErrorWord? {
      try Self.definition(errors).word(call, Samples.answer(400, #"{"__type":"com.example#\#(code)"}"#))
    }
    #expect(try [word(.me, "X"), word(.me, "Y"), word(.me, "Z")] == [.expired, .ended, .reused])
    #expect(
      try [word(.refreshTokens, "X"), word(.refreshTokens, "Y"), word(.refreshTokens, "Z")] == [.tooMany, .ended, .reused])
    for call in [CallName.loginWithPassword, .appConfig] {
      #expect(try [word(call, "X"), word(call, "Y"), word(call, "Z")] == [.tooMany, .tooMany, .tooMany])
    }
  }

  @Test func successIsWhatTheFileSays() throws {
    let definition = try Samples.definition(
      .me, "    request: GET /me\n    success: 401\n    errors: {401: ended, 200: ended, 401 /gone=true: ended}")
    #expect(try definition.verdict(.me, Samples.answer(401)) == .success)
    #expect(try definition.word(.me, Samples.answer(401, #"{"gone":true}"#)) == .ended)
    #expect(try definition.word(.me, Samples.answer(200)) == .ended)
    #expect(try definition.verdict(.me, Samples.answer(204)) != .success)
    let slack = try Self.definition("errors: {200 invalid_auth: ended, 200 /ok=false: wrong, ok: ended}")
    #expect(try slack.word(.me, Samples.answer(200, #"{"ok":false,"error":"invalid_auth"}"#)) == .wrong)
    #expect(try slack.verdict(.me, Samples.answer(200, #"{"ok":true,"error":"ok"}"#)) == .success)
  }

  @Test func valueMatchMayContainEqualsSignsAndSlashes() throws {
    let errors = "errors: {400 /list/Name=a/text=b=c/d: ended, \"401 /response/errors/0=Refresh token is invalid (X)\": reused}"
    #expect(
      try Self.definition(errors).word(.me, Samples.answer(400, #"{"list":[{"Name":"a","text":"b=c/d"}]}"#)) == .ended)
    #expect(
      try Self.definition(errors).word(.me, Samples.answer(401, #"{"response":{"errors":["Refresh token is invalid (X)"]}}"#))
        == .reused)
    #expect(try Self.definition(errors).word(.me, Samples.answer(401, #"{"response":{"errors":["Y"]}}"#)) == .expired)
  }

  @Test(
    arguments: [
      (#"{"error":{"code":"a","id":"b","message":"C_D"},"code":"e"}"#, "a"),
      (#"{"error":{"code":403,"id":"b"},"code":"e"}"#, "b"),
      (#"{"error_code":"a","code":"b"}"#, "a"), (#"{"code":"a","errcode":"b"}"#, "a"),
      (#"{"errcode":"M_X","error":"text"}"#, "M_X"),
      (#"{"errorCode":"E0000011","errorSummary":"x"}"#, "E0000011"),
      (#"{"__type":"com.amazon#NotAuthorizedException"}"#, "NotAuthorizedException"),
      (#"{"status":400,"errors":[{"code":"incorrect_code"}]}"#, "incorrect_code"),
      (#"{"error":{"code":400,"message":"TOKEN_EXPIRED"}}"#, "TOKEN_EXPIRED"),
      (#"{"error":{"code":400,"message":"TOO_MANY_ATTEMPTS_TRY_LATER : Later."}}"#, "TOO_MANY_ATTEMPTS_TRY_LATER"),
      (#"{"error":"invalid_grant","error_description":"x"}"#, "invalid_grant"), (#"{"error":{"message":"Not a code"}}"#, nil),
      (#"{"detail":"LOGIN_BAD_CREDENTIALS"}"#, nil), (#"{"code":400}"#, nil), ("[]", nil),
    ] as [(String, String?)]) func codeIsFoundAtItsUsualPlaces(_ body: String, _ code: String?) throws
  {
    #expect(ErrorPlaces().code(in: try JSONDocument(parsing: Array(body.utf8)).root) == code)
  }

  @Test(
    arguments: [
      (#"{"message":"b","error":{"message":"a"}}"#, "a"), (#"{"error":{"reason":"a"}}"#, "a"),
      (#"{"errors":[{"message":"a"}]}"#, "a"),
      (#"{"msg":"b","detail":"a"}"#, "a"), (#"{"error":"invalid_grant","error_description":"a"}"#, "a"), (#"{"msg":"a"}"#, "a"),
      (#"{"meta":{"code":400},"response":{"errors":["a"],"x":"b"}}"#, "a"), (#"{"token":["a"]}"#, "a"), (#"{"status":400}"#, nil),
    ] as [(String, String?)]) func textIsFoundAtItsUsualPlaces(_ body: String, _ text: String?) throws
  {
    #expect(ErrorPlaces().message(in: try JSONDocument(parsing: Array(body.utf8)).root) == text)
  }

  /// In a time that doubled with each level, this would never end.
  @Test func textOfADeepBodyIsFound() throws {
    let body = String(repeating: #"{"a":["#, count: 30) + #""text""# + String(repeating: "]}", count: 30)
    #expect(ErrorPlaces().message(in: try JSONDocument(parsing: Array(body.utf8)).root) == "text")
  }

  @Test func fileMayNameThePlaces() throws {
    let definition = try Self.definition("error: {code: /fault/no, message: /fault/text}\nerrors: {4711: ended}")
    let answer = Samples.answer(400, #"{"fault":{"no":4711,"text":"Over."},"code":"other"}"#)
    guard case .failure(let failure) = try definition.verdict(.me, answer) else { return #expect(Bool(false)) }
    #expect(failure.meaning == .word(.ended) && failure.code == "4711" && failure.message == "Over." && failure.status == 400)
    #expect(failure.rule?.path == "errors.4711")
  }

  @Test(
    arguments: [
      (#"{"retry_after_ms":1500,"retry_after":9}"#, 1.5), (#"{"retry_after":"30"}"#, 30), (#"{"retry_after":-1}"#, nil),
      ("{}", nil),
    ] as [(String, Double?)]) func waitOfTheBodyIsRead(_ body: String, _ seconds: Double?) throws
  {
    #expect(ErrorPlaces().wait(in: try JSONDocument(parsing: Array(body.utf8)).root) == seconds)
  }
}

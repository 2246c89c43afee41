import HTTPTypes
import JSON
import RPC
import Redaction
import Testing

@testable import BackendFile

struct CapturedValuesTests {
  private static func login(_ capture: String, then: String = "  me: GET /me/{own}") throws -> BackendDefinition {
    try Samples.definition(
      "calls:\n  login_with_code:\n    request: POST /x\n    form: {code: \"{code}\"}\n    capture: {\(capture)}\n\(then)")
  }

  @Test(arguments: [
    ("/a/b", #"{"a":{"b":"v"}}"#), ("/a/1", #"{"a":["u","v"]}"#), ("/a~1b/c~0d", #"{"a/b":{"c~d":"v"}}"#),
    ("/list/Name=sub/Value", #"{"list":[{"Name":"email","Value":"u"},{"Name":"sub","Value":"v"},{"Name":"sub","Value":"w"}]}"#),
    ("/list/id=7/x", #"{"list":[1,{"id":7,"x":"v"}]}"#), ("/a=b", #"{"a=b":"v"}"#), ("/0", #"["v"]"#),
    ("/a/", #"{"a":{"":"v"}}"#),
  ]) func pointerLeadsToValue(_ pointer: String, _ body: String) throws {
    let captured = try Self.login("own: '\(pointer)', access_token: /t").captured(.loginWithCode, Samples.answer(200, body))
    #expect(captured.values["own"] == "v")
  }

  @Test(arguments: [
    ("/a", "{}"), ("/a", #"{"a":null}"#), ("/a", #"{"a":""}"#), ("/a", #"{"a":{}}"#), ("/1", #"["v"]"#), ("/01", #"["u","v"]"#),
    ("/-1", #"["v"]"#), ("/99999999999999999999", #"["v"]"#), ("/a", "no JSON"), ("/x=1/y", #"[{"x":"2","y":"v"}]"#),
  ]) func missingOwnValueNamesItsPlace(_ pointer: String, _ body: String) throws {
    let error = #expect(throws: MissingValue.self) {
      try Self.login("own: \(pointer)").captured(.loginWithCode, Samples.answer(200, body))
    }
    #expect(error?.name == "own")
    #expect(error?.place == FilePlace(line: 6, column: 15, path: "calls.login_with_code.capture.own"))
  }

  @Test func tokensAndOwnValuesAreSecrets() throws {
    let definition = try Self.login("own: /n, access_token: /t, user_id: /id, email: /mail, session_id: /sid")
    let body = #"{"n":"x","t":"t","id":1,"mail":"a@b.example","sid":"s"}"#
    let secrets = try definition.captured(.loginWithCode, Samples.answer(200, body)).secrets
    #expect(secrets.map(\.name) == ["access_token", "email", "own", "session_id"])
    #expect(secrets.map(\.kind) == [.token, .email, .token, .token])
  }

  @Test func numberBecomesText() throws {
    let definition = try Self.login("own: /n, access_token: /t, user_id: /id")
    let captured = try definition.captured(.loginWithCode, Samples.answer(200, #"{"n":12345678901234567890,"t":7,"id":1}"#))
    #expect(captured.values == ["own": "12345678901234567890", "access_token": "7", "user_id": "1"])
    #expect(captured.fields["access_token"] == "7" && captured.fields["user_id"] == "1")
  }

  @Test func headerCookieAndLocationAreCaptured() throws {
    let definition = try Self.login("own: header:x-id, access_token: cookie:sid, refresh_token: location:code")
    var headers: HTTPFields = [.location: "https://app.example/cb?x=1&code=a%2Fb+c#state=s"]
    headers[HTTPField.Name("X-Id")!] = "7"
    headers[values: .setCookie] = [
      "other=1", "sid=old; Path=/", "sid = a=b ; HttpOnly; Max-Age=60", "gone=x; Max-Age=0", "empty=",
    ]
    let answer = Samples.answer(302, headers: headers)
    let captured = try definition.captured(.loginWithCode, answer)
    #expect(captured.values == ["own": "7", "access_token": "a=b", "refresh_token": "a/b c"])
    #expect(answer.cookieValues == ["1", "old", "a=b"])
    for cookie in ["gone", "empty", "none"] {
      #expect(throws: MissingValue.self) { try Self.login("own: cookie:\(cookie)").captured(.loginWithCode, answer) }
    }
    let fragment = Samples.answer(302, headers: [.location: "app://cb#code=v"])
    #expect(try Self.login("own: location:code").captured(.loginWithCode, fragment).values["own"] == "v")
  }

  @Test(arguments: [
    #"{"access_token":"a","refresh_token":"r"}"#, #"{"accessToken":"a","refreshToken":"r"}"#, #"{"access":"a","refresh":"r"}"#,
    #"{"token":"a","refresh":"r"}"#, #"{"data":{"access_token":"a","refresh_token":"r"}}"#,
  ]) func usualTokensNeedNoCapture(_ body: String) throws {
    let definition = try Samples.definition(.loginWithCode, "    request: POST /x")
    let tokens = try definition.contract(.loginWithCode, Samples.answer(200, body))
    #expect(tokens == ["access_token": "a", "refresh_token": "r"])
  }

  @Test(arguments: [
    (#"{"id":1,"email":"a@b.example","name":"Ada"}"#, "1"), (#"{"sub":"s","email":"a@b.example","name":"Ada"}"#, "s"),
    (#"{"pk":"p","email":"a@b.example","displayName":"Ada"}"#, "p"),
    (#"{"user_id":"u","id":2,"email":"a@b.example","name":"Ada"}"#, "u"),
  ]) func usualNamesOfAnAccountNeedNoCapture(_ body: String, _ id: String) throws {
    let definition = try Samples.definition(.me, "    request: GET /me")
    let account = try definition.contract(.me, Samples.answer(200, body))
    #expect(account == ["user_id": .string(id), "email": "a@b.example", "display_name": "Ada"])
  }

  @Test func captureReplacesUsualName() throws {
    let definition = try Samples.definition(.me, "    request: GET /me\n    capture: {display_name: /first_name, user_id: /none}")
    let answer = Samples.answer(200, #"{"id":1,"name":"Lovelace","first_name":"Ada","email":"a@b.example"}"#)
    #expect(try definition.contract(.me, answer) == ["email": "a@b.example", "display_name": "Ada", "user_id": "a@b.example"])
    #expect(try definition.captured(.me, answer).missing.map(\.path) == ["calls.me.capture.user_id"])
  }

  @Test func missingTokensAreErrorsOnlyWhereTheyAreNeeded() throws {
    let login = "  login_with_code:\n    request: POST /x\n    capture: {access_token: /t}\n"
    let answer = Samples.answer(200, #"{"t":"a"}"#)
    let without = try Samples.definition("calls:\n\(login)")
    #expect(try without.contract(.loginWithCode, answer) == ["access_token": "a"])
    let error = #expect(throws: MissingValue.self) { try without.contract(.loginWithCode, Samples.answer(200, "{}")) }
    #expect(error?.place.path == "calls.login_with_code.capture.access_token")
    let silent = try Samples.definition("calls:\n\(login)  refresh_tokens: {request: POST /r, headers: {X: \"{access_token}\"}}")
    #expect(!silent.refreshSendsToken)
    _ = try silent.contract(.loginWithCode, answer)
    let sending = try Samples.definition(
      "calls:\n\(login)  refresh_tokens: {request: POST /r, json: {refresh: \"{refresh_token}\"}}")
    let missing = #expect(throws: MissingValue.self) { try sending.contract(.loginWithCode, answer) }
    #expect(missing?.name == "refresh_token" && missing?.place.path == "calls.login_with_code")
    // A refresh may keep the token that it sent.
    #expect(try sending.contract(.refreshTokens, answer) == ["access_token": "a"])
  }

  @Test func refreshReadsWhereTheLoginReads() throws {
    let login = "  login_with_code:\n    request: POST /x\n    capture: {access_token: /data/t, refresh_token: cookie:r}\n"
    let answer = Samples.answer(200, #"{"data":{"t":"a"},"access":"b","u":"c"}"#, headers: [.setCookie: "r=n"])
    let plain = try Samples.definition("calls:\n\(login)  refresh_tokens: POST /r")
    #expect(try plain.contract(.refreshTokens, answer) == ["access_token": "a", "refresh_token": "n"])
    let own = try Samples.definition("calls:\n\(login)  refresh_tokens: {request: POST /r, capture: {access_token: /u}}")
    #expect(try own.contract(.refreshTokens, answer) == ["access_token": "c"])
  }

  @Test func refreshReadsTheFilesOwnNamesToo() throws {
    let definition = try Self.login("own: /n, access_token: /t", then: "  refresh_tokens: POST /r\n  me: GET /me/{own}")
    let captured = try definition.captured(.refreshTokens, Samples.answer(200, #"{"t":"a","n":"x"}"#))
    #expect(captured.values == ["access_token": "a", "own": "x"])
    #expect(try definition.captured(.refreshTokens, Samples.answer(200, #"{"t":"a"}"#)).values == ["access_token": "a"])
  }

  @Test func loginSaysWhatTheAccountIs() throws {
    let definition = try Samples.definition(
      .loginWithCode, "    request: POST /x\n    capture: {display_name: /user/name}")
    let captured = try definition.captured(
      .loginWithCode, Samples.answer(200, #"{"token":"t","id":"session","email":"a@b.example","user":{"name":"Ada"}}"#))
    #expect(definition.account(from: captured) == ["email": "a@b.example", "display_name": "Ada", "user_id": "a@b.example"])
  }

  @Test func answerOfTheReferenceBackendStaysAsItIs() throws {
    let body = #"""
      {"user_id":"u","account_id":"a","email":"e@x.example","roles":["r"],"active_profile_id":"p",
      "profiles":[{"profile_id":"p","language_code":"en"}],"created_at":"2026-01-01T00:00:00.000Z","metadata":{"analytics_opted_in":true}}
      """#
    let definition = try Samples.definition(.me, "    request: GET /rpc/me")
    let expected = try JSONTree(parsing: Array(body.utf8))
    #expect(try definition.contract(.me, Samples.answer(200, body)).sorted == expected.sorted)
  }

  @Test func callsOfTheContractAreAllKnown() {
    let names = Set(EndpointCatalogue.all.map { $0.name })
    for call in CallName.allCases where call != .loginWithPassword { #expect(names.contains(call.rawValue)) }
    for endpoint in EndpointCatalogue.all {
      guard let call = CallName(rawValue: endpoint.name) else { continue }
      #expect(endpoint.requiresAuth == (call.role == .signedIn))
    }
  }
}

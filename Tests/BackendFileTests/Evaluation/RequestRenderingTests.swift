import HTTPTypes
import JSON
import Redaction
import Testing
import Text

@testable import BackendFile

struct RequestRenderingTests {
  private static let nasty = "a/../b?c=d&e#f\r\nX-Evil: 1;\"\\ ü{code}%2e"

  @Test func valueInPathIsOneSegment() throws {
    let definition = try Samples.definition(.me, "    request: GET /users/{user_id}/account")
    let request = try definition.rendered(.me, 0, ["user_id": "a b ü&:%", "access_token": "t"])
    #expect(request.path == "/users/a%20b%20%C3%BC%26%3A%25/account")
  }

  @Test(arguments: [
    "", ".", "..", "../admin", "a/..", "%2e%2e", "%252e%252e", "..;x", "a\\..\\b", "a\r\nb", "x\u{0}", "a?b=c", "a#b", "a/b",
  ])
  func valueCannotLeadToAnotherPath(_ value: String) throws {
    let definition = try Samples.definition(.me, "    request: GET /users/{user_id}/account")
    let error = #expect(throws: RenderingError.self) { try definition.rendered(.me, 0, ["user_id": value, "access_token": "t"]) }
    #expect(error?.name == "user_id" && error?.reason == .unusable(at: "the path"))
  }

  @Test func valueInQueryIsOnePair() throws {
    let definition = try Samples.definition(.loginWithMagicToken, "    request: GET /login?token={token}&keep=a+b&state={state}")
    let request = try definition.rendered(.loginWithMagicToken, 0, ["token": Self.nasty, "state": "s&t=1"])
    let query = try #require(request.query)
    #expect(query.split(separator: "&").count == 3)
    #expect(QueryPairs.parse(query)?.map(\.1) == [Self.nasty, "a b", "s&t=1"])
  }

  @Test func pairWithoutOptionalValueIsLeftOut() throws {
    let definition = try Samples.definition(
      .loginWithMagicToken, "    request: POST /login?state={state}&x=1\n    json: {token: \"{token}\", state: \"{state}\"}")
    let request = try definition.rendered(.loginWithMagicToken, 0, ["token": "t"])
    #expect(request.query == "x=1")
    #expect(request.body == Array(#"{"token":"t"}"#.utf8))
    let error = #expect(throws: RenderingError.self) { try definition.rendered(.loginWithMagicToken, 0, ["state": "s"]) }
    #expect(error?.reason == .missing && error?.name == "token")
  }

  @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\u{0}b", "a\u{7f}", " a", "a ", " \u{301}a", "a\u{600} "])
  func valueCannotEndAHeader(_ value: String) throws {
    let definition = try Samples.definition(.me, "    request: GET /me")
    let error = #expect(throws: RenderingError.self) { try definition.rendered(.me, 0, ["access_token": value]) }
    #expect(error?.reason == .unusable(at: "a header"))
    #expect(error.map { "\($0)".contains("Evil") } == false)
  }

  @Test(arguments: ["a; admin=1", "a\u{600}; admin=1", "a;\u{301}", "a\r\nSet-Cookie: x", "a\nb"]) func valueCannotEndACookie(
    _ value: String
  ) throws {
    let definition = try Samples.definition(
      .refreshTokens, "    request: POST /x\n    cookies: {sid: \"{refresh_token}\", lang: en}")
    #expect(throws: RenderingError.self) { try definition.rendered(.refreshTokens, 0, ["refresh_token": value]) }
    let request = try definition.rendered(.refreshTokens, 0, ["refresh_token": "a=b,\"c\""])
    #expect(request.headers[.cookie] == "sid=a=b,\"c\"; lang=en")
  }

  @Test func valueStaysOneTextOfJSON() throws {
    let definition = try Samples.definition(
      .loginWithPassword,
      "    request: POST /x\n    json: {a: [\"{identifier}\", 1, null, true, 1.50], \"b c\": {d: \"x{password}y\"}}")
    let request = try definition.rendered(.loginWithPassword, 0, ["identifier": Self.nasty, "password": "\"},{\""])
    let root = try JSONDocument(parsing: try #require(request.body)).root
    #expect(root["a"]?.elements.map(\.sourceText).dropFirst() == ["1", "null", "true", "1.50"])
    #expect(root["a"]?.elements.first?.string == Self.nasty)
    #expect(root["b c"]?["d"]?.string == "x\"},{\"y")
    #expect(request.headers[.contentType] == "application/json")
  }

  @Test func valueStaysOnePairOfAForm() throws {
    let definition = try Samples.definition(
      .loginWithPassword,
      "    request: POST /x\n    form: {user name: \"{identifier}\", password: \"{password}\", uri: https://a.example/b}")
    let request = try definition.rendered(.loginWithPassword, 0, ["identifier": Self.nasty, "password": "a b&c=d+e"])
    let body = String(decoding: try #require(request.body), as: UTF8.self)
    #expect(body.hasSuffix("&password=a+b%26c%3Dd%2Be&uri=https%3A%2F%2Fa.example%2Fb"))
    #expect(QueryPairs.parse(body)?.map(\.0) == ["user name", "password", "uri"])
    #expect(QueryPairs.parse(body)?.map(\.1) == [Self.nasty, "a b&c=d+e", "https://a.example/b"])
    #expect(request.headers[.contentType] == "application/x-www-form-urlencoded")
  }

  @Test func basicCredentialsCannotMoveTheColon() throws {
    let definition = try Samples.definition(.loginWithPassword, "    request: POST /x\n    basic: \"{identifier}:{password}\"")
    let request = try definition.rendered(.loginWithPassword, 0, ["identifier": "ada", "password": "a:b ü"])
    #expect(request.headers[.authorization] == "Basic " + Base64.encode(Array("ada:a:b ü".utf8)))
    for name in ["ada:x", "ada\u{600}:x", "ada:\u{301}"] {
      #expect(throws: RenderingError.self) {
        try definition.rendered(.loginWithPassword, 0, ["identifier": name, "password": "y"])
      }
    }
  }

  @Test func ownHeadersWinOverAllOthers() throws {
    let definition = try Samples.definition(
      .me,
      "    request: POST /me\n    basic: phone:${PASS}\n    json: {}\n    headers: {X-Client: b, Authorization: \"JWT {access_token}\"}",
      top: "headers: {X-Client: a, X-All: \"1\", accept: text/x, content-type: application/vnd.api+json}")
    let headers = try definition.rendered(.me, 0, ["access_token": "t"], secrets: ["PASS": "p"]).headers
    #expect(headers[.authorization] == "JWT t" && headers[.contentType] == "application/vnd.api+json")
    #expect(headers[HTTPField.Name("X-Client")!] == "b" && headers[HTTPField.Name("X-All")!] == "1")
    #expect(headers[.accept] == "text/x" && headers.count == 5)
  }

  @Test func nothingIsSentThatIsNotWritten() throws {
    let definition = try Samples.definition(.loginWithCode, "    request: POST /x")
    let request = try definition.rendered(.loginWithCode)
    #expect(
      request.headers == [.accept: "application/json"] && request.body == nil && request.query == nil && request.secrets.isEmpty)
  }

  @Test func otherHostGetsNeitherAuthNorCommonHeaders() throws {
    let definition = try Samples.definition(
      .me, "    request: GET https://other.example/me\n    headers: {X-Own: \"1\"}", top: "headers: {X-All: \"1\"}")
    let request = try definition.rendered(.me, 0, ["access_token": "t"])
    #expect(request.origin == WebOrigin(host: "other.example") && request.path == "/me")
    #expect(request.headers.map(\.name.rawName) == ["X-Own", "Accept"])
  }

  @Test func authIsForSignedInCallsUnlessWrittenOtherwise() throws {
    let definition = try Samples.definition(
      """
      auth: {X-Session: "{access_token}"}
      calls:
        me: {request: GET /me, auth: false}
        logout: POST /logout
        app_config: {request: GET /config, auth: true}
        refresh_tokens: POST /refresh
      """)
    let values = ["access_token": "t"]
    #expect(try definition.rendered(.me, 0, values).headers.map(\.name) == [.accept])
    #expect(try definition.rendered(.logout, 0, values).headers.count == 2)
    #expect(try definition.rendered(.appConfig, 0, values).headers.count == 2)
    #expect(try definition.rendered(.refreshTokens, 0, values).headers.map(\.name) == [.accept])
  }

  @Test func requestNamesItsSecrets() throws {
    let definition = try Samples.definition(
      .loginWithCode, "    request: POST /x/{request_id}\n    form: {user: \"{identifier}\", code: \"{code}\", key: \"${KEY}\"}")
    let request = try definition.rendered(
      .loginWithCode, 0, ["identifier": "ada", "code": "123", "request_id": "r"], secrets: ["KEY": "k", "OTHER": "o"])
    #expect(
      request.secrets == [
        SecretValue(name: "identifier", value: "ada", kind: .identifier), SecretValue(name: "code", value: "123", kind: .code),
        SecretValue(name: "KEY", value: "k", kind: .key),
      ])
  }

  @Test func valueIsNotReadAsTemplate() throws {
    let definition = try Samples.definition(.loginWithCode, "    request: POST /x\n    json: \"{code}\"")
    let request = try definition.rendered(.loginWithCode, 0, ["code": "${KEY}{identifier}"], secrets: ["KEY": "k"])
    #expect(request.body == Array(#""${KEY}{identifier}""#.utf8))
    let marked = Template("{code}\u{301}x", at: .none)
    #expect(marked.parts == [.value("code"), .text("\u{301}x")])
  }

  @Test func missingSecretNamesItsVariable() throws {
    let definition = try Samples.definition(.loginWithCode, "    request: POST /x\n    json: \"${KEY}\"")
    let error = #expect(throws: RenderingError.self) { try definition.rendered(.loginWithCode) }
    #expect(error?.text == "${KEY} has no value: set UNDERSTUDY_SECRET_KEY")
  }
}

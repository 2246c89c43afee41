import HTTPTypes
import JSON
import Testing
import Text

@testable import Redaction

/// What is known of a masked JSON Web Token stands beside its mask, and none of the token's secrets does.
@Suite(.timeLimit(.minutes(1))) struct MaskedTokenTests {
  private let registry = SecretRegistry(tagKey: [1])
  private static let endpoint = EndpointTraits(
    name: "a", isAuthentication: false, logsRequestBody: true, logsResponseBody: true)

  private func token(header: String = #"{"alg":"RS256","kid":"k1"}"#, _ claims: String) -> String {
    [header, claims].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".") + ".c2lnbmF0dXJl"
  }

  private func redacted(headers: [(name: String, value: String)], body: String = "") -> RedactedMessage {
    let request = RawRequest(
      method: .post, origin: "https://a.test", path: "/a", endpoint: Self.endpoint, headers: headers, body: Array(body.utf8))
    return Redactor(registry: registry).redact(request).message
  }

  private func found(_ token: String) throws -> MaskedToken {
    try #require(redacted(headers: [("Authorization", "Bearer \(token)")]).tokens.first)
  }

  @Test func timesAndNamesStandBesideTheMask() throws {
    let sent = token(
      #"{"sub":"dana","iat":1800000000,"nbf":1800000001,"exp":1800000900.5,"sid":"session-1","https://a.test/x":1}"#)
    let message = redacted(
      headers: [("Authorization", "Bearer \(sent)"), ("X-Copy", sent)], body: #"{"access_token":"\#(sent)"}"#)
    let found = try #require(message.tokens.first)
    #expect(message.tokens.count == 1 && message.headers[0].value == "Bearer ‹token:\(found.mask)›")
    #expect((found.alg, found.kid) == ("RS256", "k1"))
    #expect((found.iat, found.nbf, found.exp) == (1_800_000_000, 1_800_000_001, 1_800_000_900.5))
    #expect(found.claims == ["*", "sid", "sub"] && found.anonymous == nil)
    #expect(registry.tag(for: "session-1", kind: .token) == "‹token:\(found.session ?? "")›")
    let decoded = try JSONCoding.decode(MaskedToken.self, from: JSONCoding.encode(found))
    #expect(decoded == found)
    var writer = JSONWriter()
    found.write(into: &writer)
    #expect(try writer.bytes == JSONCoding.encode(found))
  }

  @Test(arguments: [
    "dana@example.com", String(repeating: "k", count: 65), "a b", "k\u{0}", "‹token:3f1c09ab› x",
    "eyJhbGciOiJSUzI1NiJ9.eyJhIjoxfQ.c2ln",
    "q9XzT4vLm2RkB7nWc5YpD8sF", "registered-secret-value",
  ]) func keyOfATokenThatCanBeASecretIsNotShown(key: String) throws {
    registry.register("registered-secret-value", kind: .token)
    let header = String(decoding: try JSONCoding.encode(["alg": "RS256", "kid": key]), as: UTF8.self)
    let kid = try found(token(header: header, "{}")).kid
    #expect(kid == nil || kid?.hasPrefix("‹") == true && kid?.contains(key) == false)
  }

  @Test(arguments: ["1e400", "-1", "1e300", "\"1800000000\"", "true", "0", "99999999999999999999"])
  func timeThatIsNoneIsLeftOut(time: String) throws {
    let found = try found(token(#"{"iat":\#(time),"exp":\#(time)}"#))
    #expect(found.iat == nil && found.exp == nil)
  }

  @Test func algorithmAndNamesAreLimited() throws {
    let many = (0..<100).map { #""name\#(String(repeating: "x", count: $0))":1"# }.joined(separator: ",")
    let found = try found(token(header: #"{"alg":"none but a very long text"}"#, "{\(many)}"))
    #expect(found.alg == nil && found.claims.count <= 32 && found.claims.allSatisfy { $0.utf8.count <= 32 })
  }

  @Test(arguments: [
    ("HS256", true), ("ES512", true), ("none", true), ("EdDSA", true), ("HS257", false), ("dana", false), ("Hollow9Tree", false),
    ("rs256", false),
  ]) func onlyRegisteredAlgorithmsAreShown(name: String, isShown: Bool) throws {
    #expect(try found(token(header: #"{"alg":"\#(name)"}"#, "{}")).alg == (isShown ? name : nil))
    let read = try JSONCoding.decode(MaskedToken.self, from: Array(#"{"mask":"3f1c09ab","alg":"\#(name)","claims":[]}"#.utf8))
    #expect(read.alg == (isShown ? name : nil))
  }

  @Test func membersThatNoTokenHasAreNotRead() throws {
    let text =
      #"{"mask":"3F1C09AB›","alg":"<b>","kid":"dana@example.com","exp":1e300,"claims":["dana@example.com"],"session":"x"}"#
    let read = try JSONCoding.decode(MaskedToken.self, from: Array(text.utf8))
    #expect(read.mask.isEmpty && read.alg == nil && read.exp == nil && read.session == nil)
    let masked = read.masked(by: registry.scan())
    #expect(masked.kid == nil && masked.claims == ["*"])
  }

  @Test func cookiesKeepNamesAndAttributes() {
    let long = "sid=s3AvaFn2moDni3X73XqgHPQMTsUDM"
    let headers = redacted(headers: [
      ("Set-Cookie", long + "; Path=/; HttpOnly"), ("Cookie", long + "; theme=dark"), ("Set-Cookie", "sid=; Max-Age=0"),
      ("Set-Cookie", "ZGFuYSBpcyBoZXJl="), ("Set-Cookie", "sid=1234; x=y"),
    ]).headers.map(\.value)
    let mask = registry.tag(for: "s3AvaFn2moDni3X73XqgHPQMTsUDM", kind: .key)
    #expect(headers[0] == "sid=\(mask); Path=/; HttpOnly")
    #expect(headers[1] == "sid=\(mask); theme=\(registry.tag(for: "dark", kind: .value))")
    #expect(headers[2] == "sid=; Max-Age=0" && headers[3].hasPrefix("‹"))
    #expect(headers[4] == "sid=\(registry.tag(for: "1234", kind: .value)); x=\(registry.tag(for: "y", kind: .value))")
  }

  @Test(arguments: [
    "a=1; Path=/, nom=opensesame; HttpOnly", "a=1; Path=/\r\nnom=opensesame", "a=1; Expires=Wed, 21 Oct 2026, nom=opensesame",
  ])
  func cookieBehindAnAttributeOfAnotherIsMasked(value: String) {
    let headers = redacted(headers: [("Set-Cookie", value)]).headers
    #expect(!headers[0].value.contains("opensesame"))
  }

  @Test func variableOfARequestInGraphQLKeepsTheKindOfItsOwnNameAndOfEachUse() {
    let bodies = [
      #"{"query":"mutation($password: String!) { login(pass: $password) { ok } }","variables":{"password":"sunshine"}}"#,
      #"{"query":"mutation($t: String!) { login(refreshToken: $t) { ok } audit(note: $t) { ok } }","variables":{"t":"opensesame-12"}}"#,
    ]
    for body in bodies {
      let text = redacted(headers: [], body: body).body ?? ""
      #expect(!text.contains("sunshine") && !text.contains("opensesame-12"))
    }
  }

  @Test func timeOfTheClientIsShownAndNothingElseInItsHeader() {
    let headers = redacted(headers: [("X-Client-Time", "1777887600"), ("X-Client-Time", "opensesame")]).headers
    #expect(headers[0].value == "1777887600" && headers[1].value.hasPrefix("‹header:"))
  }

  @Test func variableOfARequestInGraphQLIsNamedByItsArgument() {
    let body = #"""
      {"query":"mutation R($t: String!, $n: Int) { renew(refreshToken : $t, first: $n) { ok } }","variables":{"t":"opensesame-12","n":3}}
      """#
    let text = redacted(headers: [], body: body).body ?? ""
    #expect(text.contains(registry.tag(for: "opensesame-12", kind: .token)) && text.contains(#""n":3"#))
    #expect(!text.contains("opensesame"))
  }
}

import JSON
import Testing
import Text

@testable import BackendFile

struct TokenLifetimeTests {
  /// A JWT with these claims.
  static func token(_ claims: String, header: String = #"{"alg":"HS256"}"#) -> String {
    [header, claims, "signature"].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
  }

  private static func lifetime(_ members: String, token: String = "opaque") throws -> TokenLifetime {
    let definition = try Samples.definition(.loginWithCode, "    request: POST /x")
    return definition.accessLifetime(
      try definition.captured(.loginWithCode, Samples.answer(200, #"{"access_token":"\#(token)"\#(members)}"#)))
  }

  @Test(arguments: [
    (#","expires_in":900"#, 900_000), (#","expiresIn":"900""#, 900_000), (#","expires_in":1.5"#, 1500),
    (#","expires_in_ms":1500"#, 1500), (#","expiresInMs":"60000""#, 60_000),
    (#","expires_in":5,"expires_in_ms":9,"expires_at":1"#, 5000),
    (#","expires_in":0,"expires_in_ms":9000"#, 9000), (#","expires_in":1e300"#, 315_360_000_000),
  ]) func lifetimeIsRead(_ members: String, _ milliseconds: Int64) throws {
    #expect(try Self.lifetime(members) == .lasts(milliseconds: milliseconds))
  }

  @Test(arguments: [
    (#","expires_at":"2026-11-25T02:13:46.575484-06:00""#, "2026-11-25T08:13:46.575Z"),
    (#","expiresAt":1795594087"#, "2026-11-25T08:08:07.000Z"), (#","expires_at":1795594087000"#, "2026-11-25T08:08:07.000Z"),
    (#","expires_at":"1795594087""#, "2026-11-25T08:08:07.000Z"),
    (#","expires_in":-1,"expires_at":"2026-11-25T08:08:07Z""#, "2026-11-25T08:08:07.000Z"),
  ]) func instantIsRead(_ members: String, _ instant: String) throws {
    #expect(try Self.lifetime(members) == .until(try #require(Timestamp(parsing: instant))))
  }

  @Test func claimsAreReadLast() throws {
    #expect(try Self.lifetime("", token: Self.token(#"{"iat":1795594000,"exp":1795594300}"#)) == .lasts(milliseconds: 300_000))
    #expect(
      try Self.lifetime("", token: Self.token(#"{"exp":1795594300}"#)) == .until(Timestamp(milliseconds: 1_795_594_300_000)))
    #expect(
      try Self.lifetime(#","expires_in":5"#, token: Self.token(#"{"iat":1795594000,"exp":1795594300}"#))
        == .lasts(milliseconds: 5000))
    // Ends before it begins: only the end counts.
    #expect(
      try Self.lifetime("", token: Self.token(#"{"iat":1795594300,"exp":1795594000}"#))
        == .until(Timestamp(milliseconds: 1_795_594_000_000)))
  }

  @Test(arguments: [
    "eyJ2ZXIiOjF9.aZ.bQ", "eyJhbGciO", "a.b", "..", "eyJ2ZXIiOiI1In0.YWJj.ZGVm", TokenLifetimeTests.token("[]"),
    TokenLifetimeTests.token(#"{"exp":"soon"}"#), TokenLifetimeTests.token(#"{"exp":1e400}"#),
    TokenLifetimeTests.token(#"{"iat":1,"exp":5}"#, header: #"{"ver":"5"}"#),
  ]) func otherTokenHasNoLifetime(_ token: String) throws {
    #expect(try Self.lifetime("", token: token) == .unknown)
    #expect(try Self.lifetime(#","expires_in":"soon","expires_at":"later""#, token: token) == .unknown)
    for instant in ["0", "-1", "\"0\""] { #expect(try Self.lifetime(#","expires_at":\#(instant)"#, token: token) == .unknown) }
  }

  @Test func contractAnswerHasTheLifetimes() throws {
    let definition = try Samples.definition(.loginWithCode, "    request: POST /x\n    capture: {expires_in_ms: /ttl}")
    let body = #"{"access":"a","refresh":"\#(Self.token(#"{"iat":10,"exp":70}"#))","ttl":500,"refresh_expires_at":"x"}"#
    let answer = try definition.contract(.loginWithCode, Samples.answer(200, body))
    #expect(answer["expires_in"] == .number(1) && answer["refresh_expires_in"] == .number(60))
    #expect(answer["expires_in_ms"] == nil && answer["refresh_expires_at"] == nil)
  }
}

import FoundationEssentials
import JSON
import Testing

@testable import Redaction
import Support

/// What is masked by header, name and shape without being registered, and what stays readable.
struct RedactorTests {
  private let registry = SecretRegistry(tagKey: [1])

  private func tag(_ value: String, _ kind: SecretKind) -> String { registry.tag(for: value, kind: kind) }

  private func body(_ text: String, isAuthentication: Bool = false) -> String? {
    Redactor(registry: registry).redact(.example(isAuthentication: isAuthentication, body: text)).message.body
  }

  @Test func credentialsKeepTheirScheme() {
    let headers = [
      ("Authorization", "Bearer abc"), ("authorization", "abc"), ("Cookie", "a=b"), ("X-Signature", "00ff"), ("X-Api-Id", "app"),
      ("X-Device-ID", "dev"), ("Idempotency-Key", "1-2"), ("X-Unheard-Of", "v"), ("Empty", ""),
    ]
    let redacted = Redactor(registry: registry).redact(.example(headers: headers.map { (name: $0.0, value: $0.1) }))
    #expect(
      redacted.message.headers.map(\.value) == [
        "Bearer " + tag("abc", .token), tag("abc", .token), "a=\(tag("b", .value))", tag("00ff", .signature), tag("app", .key),
        tag("dev", .identifier), tag("1-2", .key), tag("v", .header), "",
      ])
    #expect(redacted.message.headers.map(\.name) == headers.map(\.0))
    #expect(
      Set(redacted.redactions) == [
        Redaction(place: .requestHeaders, kind: .token, count: 2), Redaction(place: .requestHeaders, kind: .key, count: 2),
        Redaction(place: .requestHeaders, kind: .value, count: 1),
        Redaction(place: .requestHeaders, kind: .signature, count: 1),
        Redaction(place: .requestHeaders, kind: .identifier, count: 1),
        Redaction(place: .requestHeaders, kind: .header, count: 1),
      ])
  }

  @Test(arguments: [
    ("Content-Type", "application/json; charset=utf-8"), ("date", "Sat, 21 Nov 2026 12:04:31 GMT"), ("Retry-After", "60"),
    ("X-Request-ID", "0dd4edb5-0deb-496f-9442-93ce594c433f"),
    ("ETag", "\"2CF24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\""),
    ("Cache-Control", "private, no-cache"), ("RateLimit-Remaining", "1"), ("User-Agent", "understudy/1.0 (Linux; x86_64)"),
    ("Location", "/callback?page=2&sort=name#top"), ("X-Nonce", "1795262671"), ("Content-Length", "482913"),
  ])
  func harmlessHeadersStayReadable(name: String, value: String) {
    #expect(Redactor(registry: registry).redact(.example(headers: [(name, value)])).message.headers[0].value == value)
  }

  @Test(
    arguments: [
      ("token=abc", "token=‹›", "abc", .token), ("a=1&code=12&b", "a=1&code=‹›&b", "12", .code),
      ("state=x", "state=‹›", "x", .token),
      ("access-Token=a%20b", "access-Token=‹›", "a b", .token), ("e%6Dail=q", "e%6Dail=‹›", "q", .email),
      ("phone[]=1", "phone[]=‹›", "1", .phone),
      ("identifier=me&x=1", "identifier=‹›&x=1", "me", .identifier), ("q=ann%40example.test", "q=‹›", "ann@example.test", .email),
      ("api_key=k=k", "api_key=‹›", "k=k", .key),
    ] as [(String, String, String, SecretKind)])
  func tellingQueryItemsAreMasked(query: String, masked: String, value: String, kind: SecretKind) {
    let redacted = Redactor(registry: registry).redact(.example(query: query))
    #expect(redacted.query == masked.replacing("‹›", with: tag(value, kind)))
    #expect(redacted.redactions == [Redaction(place: .url, kind: kind, count: 1)])
  }

  @Test(arguments: [
    "profile_id=0dd4edb5-0deb-496f-9442-93ce594c433f&updated_since=2026-11-21T12:04:31.482Z", "language_code=de",
    "page=2&limit=100", "",
    "a&b=&=c", "token=", "token_type=Bearer", "expires_in=900",
  ])
  func harmlessQueriesStayReadable(query: String) {
    let redacted = Redactor(registry: registry).redact(.example(query: query))
    #expect(redacted.query == query)
    #expect(redacted.redactions.isEmpty)
  }

  @Test func aLocationIsReadAsAReference() {
    let line = (name: "Location", value: "https://app.test/callback?lang=de&token=abc#state=xyz&x=1")
    let value = Redactor(registry: registry).redact(.example(headers: [line])).message.headers[0].value
    #expect(value == "https://app.test/callback?lang=de&token=\(tag("abc", .token))#state=\(tag("xyz", .token))&x=1")
  }

  @Test func membersAreMaskedByNameAndTheRestStaysAsItWasWritten() throws {
    let text = """
      { "accessToken" : "abc", "Refresh-Token":"def","token_type":"Bearer", "expires_in": 9.00e2,
        "n":[1.50, -0, 12345678901234567890123], "email":"ann@example.test","identifier":42, "email_verified":true,"phone":null,
        "tokens":{"a":["b"],"token_type":"t","expires_at":1}, "u":"\\u00e9" }
      """
    let expected = """
      { "accessToken" : "\(tag("abc", .token))", "Refresh-Token":"\(tag("def", .token))","token_type":"Bearer", "expires_in": 9.00e2,
        "n":[1.50, -0, 12345678901234567890123], "email":"\(tag("ann@example.test", .email))","identifier":"\(tag("42", .identifier))", \
      "email_verified":true,"phone":null,
        "tokens":{"a":["\(tag("b", .token))"],"token_type":"t","expires_at":1}, "u":"\\u00e9" }
      """
    #expect(body(text) == expected)
  }

  @Test func codesOfErrorsAndLanguagesStayReadable() {
    let text =
      #"{"error":{"code":"ErrAccessTokenExpired","message":"no"},"languages":[{"code":"de"}],"features":{"login_code":true},"code":1001}"#
    #expect(body(text) == text)
    #expect(body(#"{"code":"123456"}"#) == #"{"code":"123456"}"#)
    #expect(body(#"{"code":"123456"}"#, isAuthentication: true) == #"{"code":"\#(tag("123456", .code))"}"#)
    #expect(body(#"{"code":123456}"#, isAuthentication: true) == #"{"code":"\#(tag("123456", .code))"}"#)
    #expect(body(#"{"code":"login_code_invalid"}"#, isAuthentication: true) == #"{"code":"login_code_invalid"}"#)
    #expect(body(#"{"login_code":"1"}"#) == #"{"login_code":"\#(tag("1", .code))"}"#)
  }

  @Test func documentsWithinStringsAreRead() {
    #expect(body(#"{"a":"{\"token\":\"abc\",\"n\":1.0}"}"#) == #"{"a":"{\"token\":\"\#(tag("abc", .token))\",\"n\":1.0}"}"#)
  }

  @Test(
    arguments: [
      ("<eyJhbGciOiJI.eyJzdWIiOiJh.c2lnbmF0>", "eyJhbGciOiJI.eyJzdWIiOiJh.c2lnbmF0", .token),
      ("x abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ-_ y", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ-_", .token),
      ("write to ann.lee+x@mail.example.test.", "ann.lee+x@mail.example.test", .email),
      ("call +49 170 123-45 67 now", "+49 170 123-45 67", .phone),
      ("got Bearer abcdefgh, sorry", "abcdefgh", .token), ("see https://u:pw@localhost/", "u:pw", .key),
      ("GET /x?token=zq failed", "zq", .token),
      ("{\"refresh_token\": \"abcdefgh\"} is wrong", "abcdefgh", .token), ("password=x", "x", .key),
    ] as [(String, String, SecretKind)])
  func looksAreMaskedInFreeText(text: String, secret: String, kind: SecretKind) {
    let masked = Redactor(registry: registry).redact(text: text, context: .general)
    #expect(masked.text == text.replacing(secret, with: tag(secret, kind)))
    #expect(masked.counts == [kind: 1])
  }

  @Test(arguments: [
    "The token is missing", "invalid token: no", "0dd4edb5-0deb-496f-9442-93ce594c433f at 2026-11-21T12:04:31.482+00:00",
    "/rpc/get_cues",
    "a-long-name-in-words-that-is-nobodys-secret-at-all-here", "1 + 12345678", "user@localhost",
    "HTTP/1.1 503 Service Unavailable", "x=1;y=2",
    "state=closed", "version 1.2.3+20261121", "‹token:3f1c09ab›",
  ])
  func harmlessTextsStayReadable(text: String) {
    #expect(Redactor(registry: registry).redact(text: text, context: .general) == MaskedText(text: text))
  }

  @Test func aLongTextIsMaskedBeforeItIsCut() {
    let text = String(repeating: "x", count: Redactor.maximumErrorBytes - 5) + " ann@example.test"
    let masked = Redactor(registry: registry).redact(text: text, context: .general).text
    #expect(!masked.contains("ann"))
    #expect(masked.utf8.count <= Redactor.maximumErrorBytes + 6)
  }

  @Test func aBodyOfTenMegabytesIsKeptWithoutItsSecrets() throws {
    let item = #"{"id":12345678901234567,"tags":["a","b"],"access_token":"QmFzZTY0LXNlY3JldC1vZi1hLXRlc3Q"}"#
    let body = "{\"data\":[" + repeatElement(item, count: 10_000_000 / item.utf8.count).joined(separator: ",") + "]}"
    let message = Redactor(registry: registry).redact(.example(body: body)).message
    let kept = try #require(message.body)
    #expect(message.bodyNote == nil && kept.utf8.count > 5_000_000 && kept.hasSuffix("]}"))
    #expect(!kept.contains("QmFzZTY0"))
  }

  @Test func bodiesThatCannotBeReadAreNotKept() {
    let redactor = Redactor(registry: registry)
    #expect(redactor.redact(.example(body: "{}", logsBodies: false)).message.bodyNote == .notKept)
    #expect(redactor.redact(.example(body: "")).message.bodyNote == nil)
    for text in ["a b", "{\"a\":1", "{\"a\":1,\"a\":2}", "<p>", "\u{FEFF}{}"] {
      let message = redactor.redact(.example(body: text)).message
      #expect(message.bodyNote == .unreadable)
      #expect(message.body == nil)
    }
    let large = redactor.redact(.example(body: "\"" + String(repeating: "a", count: Redactor.maximumBodyBytes) + "\"")).message
    #expect(large.bodyNote == .tooLarge)
    #expect(large.body == nil)
  }

  @Test func aParsedBodyIsRedactedLikeItsBytesAndNeverInPlaceOfOthers() throws {
    registry.register("tok-8f2c19d4e7", kind: .token)
    let bytes = Array(#"{"note":"tok-8f2c19d4e7","email":"ann@example.test","n":[1,"plain"]}"#.utf8)
    let traits = EndpointTraits(name: "e", isAuthentication: false, logsRequestBody: true, logsResponseBody: true)
    func stored(_ document: JSONDocument?) -> RedactedMessage {
      Redactor(registry: registry).redact(RawResponse(status: 200, headers: [], body: bytes, document: document), to: traits)
        .message
    }
    let expected = stored(nil)
    #expect(expected.body?.contains("tok-8f2c19d4e7") == false && expected.body?.contains("plain") == true)
    #expect(stored(try JSONDocument(parsing: bytes)) == expected)
    // A document of other bytes would show another answer's text.
    #expect(stored(try JSONDocument(parsing: Array(#"{"other":true}"#.utf8))) == expected)
  }

  /// What stands where no scheme or parameter can is masked to its end.
  @Test(arguments: [
    ("+49 170 1234567", "1234567"), ("0170 1234567", "1234567"), ("opensesame1", "opensesame1"), ("opensesame", "opensesame"),
    (#"Basic realm="a" opensesame1"#, "opensesame1"), (#"Bearer scope="x", token68secret"#, "token68secret"),
    ("Basic realm=a opensesame1", "opensesame1"), (#"Basic realm="a\" b" opensesame1, Bearer"#, "opensesame1"),
    (#"opensesame1 realm="x""#, "opensesame1"), (#"opensesame = "x""#, "x\""),
    (#"QkzPmwTrVbNxLsDfGhJkQwErTyUiOpAsDfGhJkLzXcVbNmQw realm="x""#, "QkzPmw"),
  ])
  func aChallengeShowsNothingElse(_ value: String, secret: String) {
    for name in ["WWW-Authenticate", "proxy-authenticate"] {
      let redactor = Redactor(registry: SecretRegistry(tagKey: [1]))
      let shown = redactor.redact(.example(headers: [(name, value)])).message.headers[0].value
      #expect(!shown.contains(secret) && shown.contains("‹"), "\(shown)")
    }
  }

  @Test(
    arguments: [
      (#"Bearer realm="app", error="invalid_token", error_description="It expired, at 12:00""#, nil),
      (#"Basic realm="a, b", charset="UTF-8""#, nil), ("Kerberos", nil), (#"OAuth2 realm="x""#, nil), ("Cookie", nil),
      (#"Foo realm = "x""#, nil), ("Bearer scope=openid profile", nil), ("Negotiate", nil), ("Bearer", nil),
      (#"DPoP algs="ES256 PS256""#, nil),
      (#"Bearer, Basic realm="x""#, nil),
      (#"Digest realm="a", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv", opaque="FQhe/qaU925kfnzjCev0ci""#, "7ypf"),
      (#"Digest opaque="FQhe/qaU925kfnzjCev0ci", realm="a""#, "FQhe"), (#"Digest nonce = "short", realm="a""#, "short"),
      ("Negotiate YIIJvwYGKwYBBQUCoIIJ=", "YIIJ"), ("NTLM TlRMTVNTUAACAAAA==", "TlRM"), ("Custom ticket=abc", "abc"),
      (#"Bearer realm="ask ann@example.test""#, "ann@"), (#"Custom x="a\"b, c", realm="y""#, "b, c"),
      (#"Custom x="open"#, "open"),
    ] as [(String, String?)])
  func aChallengeIsMaskedByItsParts(_ value: String, secret: String?) {
    for name in ["WWW-Authenticate", "proxy-authenticate"] {
      let redactor = Redactor(registry: SecretRegistry(tagKey: [1]))
      let shown = redactor.redact(.example(headers: [(name, value)])).message.headers[0].value
      if let secret {
        #expect(!shown.contains(secret) && shown.contains("‹") && shown.prefix(4) == value.prefix(4), "\(shown)")
      } else {
        #expect(shown == value)
      }
    }
  }

  @Test(
    arguments: [
      ("/login/magic/QkZxVbnMLpoIuytRweAs", "QkZx"), ("/auth/otp/482913", "482913"), ("/api/feed/items", nil),
    ] as [(String, String?)])
  func aPathAloneIsMaskedAsThatOfALogin(_ path: String, secret: String?) {
    let shown = Redactor(registry: SecretRegistry(tagKey: [1])).redact(path: path)
    if let secret { #expect(!shown.contains(secret) && shown.contains("‹"), "\(shown)") } else { #expect(shown == path) }
  }
}

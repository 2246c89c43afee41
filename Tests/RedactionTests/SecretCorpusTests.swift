import HTTPTypes
import Testing

@testable import Redaction
import Support

/// A corpus of invented secrets at the places where calls have them, and of harmless values that look alike.
struct SecretCorpusTests {
  private let redactor = Redactor(registry: SecretRegistry(tagKey: [1]))

  /// Each line is a member of a JSON object, and what must not be readable.
  static let members: [(String, String)] = [
    (#""session_id":"6b0a5a2e-3b0a-4a55-8a53-9c6c3a0d0040""#, "6b0a5a2e"), (#""x_session_id":"k3Jw91mmQx""#, "k3Jw91"),
    (#""sid":"Zq41-99aa""#, "Zq41"), (#""sess":"a81Bc0""#, "a81Bc0"), (#""ticket":"ST-18-Qz7Kd2cas""#, "Qz7Kd2"),
    (#""assertion":"PHNhbWw+Zm9vPC9zYW1sPg""#, "PHNhbWw"), (#""SAMLResponse":"PHNhbWxwOlJlc3A4""#, "PHNhbWxw"),
    (#""sig":"bQ7f%2Bz1""#, "bQ7f"), (#""hmac":"9f8e7d6c5b4a""#, "9f8e7d"), (#""userPwd":"Winter-Rain7""#, "Winter"),
    (#""pwd":"Hollow9Tree""#, "Hollow9"), (#""pass":"copper77""#, "copper77"), (#""mfa":"220417""#, "220417"),
    (#""totp":481516"#, "481516"), (#""mfa_totp":"902 114""#, "902 114"), (#""tan":"77120934""#, "77120934"),
    (#""pin":4821"#, "4821"),
    (#""user_pin":"4821""#, "4821"), (#""cvv":"737""#, "737"), (#""card_cvc":"4410""#, "4410"),
    (#""security_code":"9921""#, "9921"), (#""recovery_codes":["k2m9-p0x7","q8w7-e6r5"]"#, "p0x7"),
    (#""backupCodes":["83812004","11093847"]"#, "11093847"), (#""device_code":"GmRhmhcxhwAzkoEqiMEg""#, "GmRhmh"),
    (#""userCode":"WDJB-MJ3T""#, "MJ3T"), (#""invite":"b7Kq2m""#, "b7Kq2m"), (#""invite_code":"LUX-9921""#, "LUX-9921"),
    (#""confirmation":"c81-99-qK""#, "c81-99"), (#""reset":"r0Tt3nAppl3""#, "r0Tt3n"), (#""oobCode":"ABCdef123ghi""#, "ABCdef"),
    (#""connection_string":"Server=db1;Uid=app;Pw=x9""#, "Pw=x9"), (#""signing_key":"shh-9a8b7c""#, "9a8b7c"),
    (#""encryptionKey":"00aa11bb""#, "00aa11"), (#""magic_link":"https://a.test/b","code":"910745""#, "910745"),
    (#""nonce":"Zu2BrxsbfW9p""#, "Zu2Brx"),
    (#""ssn":"078-05-1120""#, "1120"),
    (#""iban":"DE89370400440532013000""#, "37040044"),
    (#""auth":"dXNlcjpwdw9x""#, "dXNlcj"), (#""authz":"zz9Plural""#, "zz9P"), (#""otp-code":"594405""#, "594405"),
    (#""pair":{"name":"password","value":"Hunter2"}"#, "Hunter2"), (#""pair":{"value":"m1xed","key":"api_key"}"#, "m1xed"),
    (#""pair":["password","Hunter2"]"#, "Hunter2"), (#""list":[["sid","q81Zz0"],["lang","en"]]"#, "q81Zz0"),
    (#""tokens":{"Kq83vASNFZ4mrze8BI0V":{"scope":"read"}}"#, "Kq83vASN"),
    (#""note":"deploy with ghp_4fXq81mZpL0aT7wKc2""#, "4fXq81mZ"), (#""note":"glpat-Zx81kQm09Lp2 is old""#, "Zx81kQ"),
    (#""note":"sk_live_81mZpL0aT7""#, "81mZpL"), (#""note":"whsec_81mZpL0aT7kk""#, "81mZpL"),
    (#""note":"AKIAIOSFODNN7EXAMPLE""#, "IOSFOD"),
    (#""note":"AIzaSyD4-81mZpL0aT7wKc2Q""#, "SyD4"), (#""note":"ya29.a0AfH6SMBx81mZpL0aT7""#, "a0AfH6"),
    (#""note":"xoxb-2413-8841-81mZpL0a""#, "8841-81"), (#""note":"npm_81mZpL0aT7wKc2Q81mZpL0""#, "81mZpL"),
    (#""note":"hf_aBcDeFgHiJkLmNoPq1""#, "aBcDeF"), (#""note":"dop_v1_0a1b2c3d4e5f60718293""#, "0a1b2c"),
    (#""note":"bot 110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw""#, "AAHdqT"),
    (#""note":"SK0123456789abcdef0123456789abcdef""#, "0123456789abcdef0"), (#""note":"SG.ngeVfQFYQl.SX7e81mZpL0aT7""#, "ngeVfQ"),
    (#""pem":"-----BEGIN PRIVATE KEY-----\nMIIEvQ9x\n-----END PRIVATE KEY-----""#, "MIIEvQ"),
    (#""note":"hvs.CAESIJ81mZpL0aT7wK""#, "CAESIJ"), (#""note":"shpat_0a1b2c3d4e5f6071""#, "0a1b2c3"),
  ]

  @Test(arguments: members) func aMemberIsMasked(_ member: String, secret: String) throws {
    let body = "{\(member)}"
    let shown = try #require(redactor.redact(.example(isAuthentication: false, body: body)).message.body)
    #expect(!shown.contains(secret), "\(shown)")
  }

  /// A name that often has other values does not weaken what an outer name says.
  @Test(arguments: [
    (#""credentials":{"auth":{"user":"bob","pw":"opensesame"}}"#, "opensesame"),
    (#""cookies":{"session":"opensesame"}"#, "opensesame"),
    (#""password":{"reset":"opensesame"}"#, "opensesame"), (#""secrets":{"pass":"correct horse"}"#, "horse"),
    (#""credentials":{"name":"session","value":"open sesame"}"#, "sesame"), (#""otp":"KFQZTR""#, "KFQZTR"),
    (#""otp":{"value":"123456","ttl":300}"#, "123456"), (#""pin":{"old":"1234"}"#, "1234"),
    (#""otp":[{"v":"123456"}]"#, "123456"),
    (#""otp":"1234-56-7890""#, "7890"), (#""session_id":"2024-05-01-9f8a7b6c5d4e""#, "9f8a7b"),
    (#""note":"pay NL91 ABNA 0417 1643 00 please""#, "0417"), (#""note":"DE89370400440532013000""#, "37040044"),
    (#""note":"NO93 8601 1117 947""#, "1117"),
    (#""note":"AKIAQ3ZL5W7R2M9XK1TD qWm3/Zr8+Tb1kLx0Vc5Yn2Hd7Ug4Sa9Pe6Jf3Ro8""#, "Zr8"),
    (#""note":"auth:token=\"opensesame\"""#, "opensesame"),
    (#""note":"confirmation: mobile_number=\"0049-opensesame\"""#, "opensesame"),
    (#""note":"ticket:ABC-1/password:'opensesame'""#, "opensesame"),
    (#""note":"GET /cb?session=a1|token: abcdefghij""#, "abcdefghij"),
    (#""note":"ticket:abc1/p?password = opensesame""#, "opensesame"), (#""note":"sid=a1?device_id =q81Zz0""#, "q81Zz0"),
    (#""note":"‹token:opensesame9›""#, "opensesame9"), (#""note":"otp=123456 and sid=ab12cd""#, "ab12cd"),
    (#""pins":["4821","7713"]"#, "7713"), (#""tans":["771209"]"#, "771209"), (#""sids":["Zq41-99aa"]"#, "Zq41"),
    (#""sessions":["k3Jw91mmQx"]"#, "k3Jw91"), (#""user_codes":["WDJB-MJ3T"]"#, "MJ3T"),
    (#""scratch_codes":[83812004]"#, "83812004"),
    (#""userpwd":"Hollow9Tree""#, "Hollow9"), (#""dbpass":"copper77""#, "copper77"), (#""userpin":"4821""#, "4821"),
    (#""passkey":"Zq41-99aa""#, "Zq41"), (#""pw":"Hollow9Tree""#, "Hollow9"), (#""invite_code":482913"#, "482913"),
    (#""reset_code":"482913""#, "482913"), (#""pin_number":"4821""#, "4821"), (#""reset":"482913""#, "482913"),
    (#""session_id":"91827364509182736450""#, "918273"), (#""invite":"LUX-9921""#, "LUX-9921"),
    (#""pair":{"label":"New password","value":"Hunter2"}"#, "Hunter2"),
    (#""pair":{"name":"Recovery codes","value":"k2m9-p0x7"}"#, "p0x7"), (#""pair":["Recovery codes","k2m9-p0x7"]"#, "p0x7"),
    (#""pair":{"name":"SAML response","value":"PHNhbWxwOlJlc3A4"}"#, "PHNhb"),
    (#""pair":{"name":"Magic link","value":"https://a.test/b7Kq2m"}"#, "b7Kq2m"),
    (#""pair":{"name":"Connection string","value":"Server=db1;Uid=app;Pw=x9"}"#, "Pw=x9"),
    (#""pair":{"name":"API key value","value":"q81Zz0"}"#, "q81Zz0"),
    (#""pair":{"name":"API key ID","value":"q81Zz0"}"#, "q81Zz0"),
    (#""pair":{"name":"One time code","value":"482913"}"#, "482913"),
    (#""pair":{"name":"Password 2","value":"Hunter2"}"#, "Hunter2"),
    (#""pair":{"name":"New password *","value":"Hunter2"}"#, "Hunter2"),
    (#""pair":{"name":"Password (again)","value":"Hunter2"}"#, "Hunter2"),
    (#""pair":{"key":"access_token.v2","value":"q81Zz0aa"}"#, "q81Zz0aa"),
    (#""pair":{"key":"jwt.secret.1","value":"Hunter2"}"#, "Hunter2"),
    (#""pair":{"key":"db.password.prod","value":"Hunter2"}"#, "Hunter2"),
    (#""pair":{"label":"Password","key":"password","text":"Hunter2"}"#, "Hunter2"),
    (#""pair":{"key":"password","label":"Password","text":"Hunter2"}"#, "Hunter2"),
    (#""ssn_number":"123-45-6789""#, "6789"), (#""tax_id_number":"12-3456789""#, "3456789"),
    (#""session_pin_number":"4821""#, "4821"), (#""auth_pin_number":"4821""#, "4821"),
    (#""ticket_id":"ST-18-Qz7Kd2cas""#, "Qz7Kd2"), (#""ticketKey":"k3Jw91mmQx""#, "k3Jw91"),
    (#""recovery_code":"legal winner thank year wave sausage worth useful legal winner thank yellow""#, "sausage"),
    (#""pass":"correct horse battery 42""#, "horse"),
    (#""note":"cookie: session_id=\"Zq41-99aa\"""#, "Zq41"), (#""note":"token=password=\"opensesame\"""#, "opensesame"),
    (#""note":"authorization: x-token=\"opensesame\"""#, "opensesame"),
    (#""session_id":"1827364509""#, "182736"), (#""session_id":91827364"#, "918273"), (#""invite":482913"#, "482913"),
    (#""oobCode":482913"#, "482913"), (#""otp_code":"123.456""#, "123.456"), (#""mfa_code":"986.039""#, "986"),
    (#""session":"12345678.87654321""#, "87654321"), (#""invite":"5680.4290.7200.6416""#, "4290"), (#""auth":"v5116""#, "v5116"),
    (#""reset":"26-12-65""#, "26-12"), (#""reset":"14:85:25""#, "14:85"), (#""auth":"Test12""#, "Test12"),
    (#""user_code":"WDJB-MJHT""#, "MJHT"), (#""recovery_codes":["QWERTYUI"]"#, "QWERTYUI"),
    (#""confirmation_number":"X7K2PQ""#, "X7K2PQ"), (#""auth_number":"482913""#, "482913"),
    (#""label":"Password","text":"hunter22""#, "hunter22"), (#""field":"one-time code","text":"482913""#, "482913"),
    (#""pair":{"name":"password confirm","value":"hunter22"}"#, "hunter22"),
    (#""pair":{"name":"token #1","value":"abc123def"}"#, "abc123def"), (#""pair":{"name":"pin codes","value":"Zq9x"}"#, "Zq9x"),
    (#""pair":{"name":"Email: work","value":"ann 4711"}"#, "4711"), (#""pair":{"name":"ssn last 4","value":"6789"}"#, "6789"),
    (#""note":"auth:authorization=\"Bearer abcdEFGH1234\"""#, "EFGH"), (#""note":"authorization=Bearer abcdEFGH1234""#, "EFGH"),
    (#""note":"auth:token='Basic 3Jlzewa96l7M'""#, "zewa96"), (#""note":"‹token:password=\"hunter2x\"""#, "hunter2x"),
    (#""reset_url":"https://x.test/reset/Ab12c3""#, "Ab12c3"), (#""link":"https://x.test/magic/Ab12c3?lang=de""#, "Ab12c3"),
    (#""url":"https://x.test/cb?x=1&code=Ab12c3""#, "Ab12c3"),
    (#""html":"<a href=\"https://x.test/reset/Ab12c3\">here</a>""#, "Ab12c3"),
    (#""next":"/reset/Ab12c3""#, "Ab12c3"), (#""next":"%2Freset%2FAb12c3""#, "Ab12c3"),
    (#""text":"Open https://x.test/invite/b7Kq2m.""#, "b7Kq2m"),
    (#""note":"Bearer session_id\":\"u5nhhf""#, "u5nhhf"), (#""note":"Basic a8jNUhB1/pwd : 2uVxpa13""#, "2uVxpa13"),
    (#""note":"pw=Xy12cd34""#, "Xy12cd34"), (#""note":"p.w=Xy12cd""#, "Xy12cd"),
    (#""note":"password\t=\thunter2Pass""#, "hunter2"),
    (#""sms_code":"482913""#, "482913"), (#""activationCode":"Zq9x-1""#, "Zq9x"), (#""confirmation":"4821-77""#, "4821"),
    (#""invite":"12-34-56""#, "34-56"),
    (#""pair":{"name":"Phone number","value":"5551234"}"#, "5551234"),
    (#""pair":{"key":"spring.datasource.password","value":"Hunter2"}"#, "Hunter2"),
    (#""pair":{"name":"Login code","value":"4821"}"#, "4821"), (#""pair":{"key":"password","text":"Hunter2"}"#, "Hunter2"),
    (#""note":"DE89 3704 0044 0532 0130 00 and AT48 3200 0000 1234 5864 xx""#, "5864"),
    (#""note":"x-SK0123456789abcdef0123456789abcdef""#, "0123456789abcdef0"),
    (#""note":"-----BEGIN PGP PRIVATE KEY BLOCK----- lQOYBF""#, "lQOYBF"),
    (#""note":"https://api.telegram.test/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/getMe""#, "AAHdqT"),
  ])
  func aMemberStaysMasked(_ member: String, secret: String) throws { try aMemberIsMasked(member, secret: secret) }

  /// In an answer whose values are hidden, a pair shows none.
  @Test(arguments: [
    #"{"name":"session","value":"Alice Smith"}"#, #"{"key":"reset","text":"Dear Alice Smith"}"#,
    #"{"label":"auth","content":["Alice Smith"]}"#, #"{"session":"Alice Smith"}"#, #"{"auth":{"who":"Alice Smith"}}"#,
  ])
  func aPairShowsNoHiddenValue(_ body: String) throws {
    let endpoint = EndpointTraits(name: "/x", isAuthentication: true, logsResponseBody: true, masksResponseValues: true)
    let answer = redactor.redact(RawResponse(status: 200, headers: [], body: Array(body.utf8)), to: endpoint)
    #expect(try #require(answer.message.body).contains("Alice") == false)
  }

  /// What a secret is recognized by may stand in another segment.
  @Test(arguments: [
    ("/auth/otp/123456", "123456"), ("/login/code/123456", "123456"), ("/verify_code/123456", "123456"),
    ("/p/https://a.example/https://user:hunter2@localhost/", "hunter2"), ("/cb/api_key=ab/cd+ef==", "cd+ef"),
    ("/v/k3J+9sQ/xT7pL2w+Zb8Rm1Vc4/Yn6Hd0Ug5Ta+Ke3Wf7Qs2", "Zb8Rm1Vc4"),
    ("/v/k3J+9sQ/xT7pL2w+Zb8Rm1Vc4/Yn6Hd0Ug5Ta+Ke3Wf7Qs2", "9sQ"),
    ("/call/+49/170/1234567", "1234567"), ("/call/0170/1234567", "1234567"), ("/u/joe&#64;example.org", "joe"),
    ("/files/AbCdEf12GhIj34Kl/K7TGOzjSgm7SROQLy8ysmYzwXqyjWWNWENfPAgO09ArxXxQbUe1", "AbCdEf12"),
    ("/x/4f5hqXBWV15eSPppDApvPTD2GHKFFbKE9XnZGphPTBesxUb6M+5KThdtQWr3wgV", "5KThdt"),
    ("/qScSFV5Xon%2BJGj99/RqKrhef2kwnq3buvsekI/orders", "qScSFV5"),
    ("/qScSFV5Xon%2BJGj99/RqKrhef2kwnq3buvsekI/orders", "RqKrhef"),
    ("/x/4f5hqXBWV15eSPppDApvPTD2GHKFFbKE9XnZGphPTBesxUb6M+5KThdt/abcdefgh-ijklmnop-qrst", "abcdefgh-ijk"),
    ("/reset//Ab12c3", "Ab12c3"), ("/reset/;x=1/Ab12c3", "Ab12c3"), ("/re%73et/Ab12c3", "Ab12c3"),
    ("/magiclink/Ab12c3", "Ab12c3"),
    ("/passwordreset/Ab12c3", "Ab12c3"), ("/confirm/ruCIrc", "ruCIrc"), ("/reset/v2a", "v2a"), ("/session/v9Q", "v9Q"),
    ("/x/Kq83vASNFZ4mrze8BI0V==", "Kq83vAS"), ("/x/Kq83vASNFZ4mrze8BI0V:1", "Kq83vAS"),
    ("/x/Kq83vASNFZ4%2Bmrze8BI0V", "mrze8BI0V"),
    ("/verify/email/Ab12c3", "Ab12c3"), ("/reset/password/Ab12c3", "Ab12c3"), ("/invite/accept/Ab12c3", "Ab12c3"),
    ("/magic/correct-horse-battery-staple", "horse"), ("/session/@abcdefgh", "abcdefgh"), ("/invite/:abcdefgh", "abcdefgh"),
    ("/reset/{AbcdEfgh}", "AbcdEfgh"), ("/reset/v1234", "v1234"), ("/unlock/Ab12c3", "Ab12c3"),
    ("/reset/‹Ab12c3", "Ab12c3"), ("/reset/‹token:Ab12c3›", "Ab12c3"), ("/x;token=‹/y;token=Ab12c3", "Ab12c3"),
    ("/reset/Ab12c/next/https://x", "Ab12c"), ("/reset/ann@example.test-AbC12x", "AbC12x"),
  ])
  func aPathIsLookedAtAsAWholeToo(_ path: String, secret: String) {
    let masked = redactor.redact(.example(path: path, isAuthentication: true)).path
    #expect(!masked.contains(secret), "\(masked)")
  }

  /// The siblings of a member are looked at once for an object, however many of its names are read as `code`: with a look for each of
  /// them, this takes an hour.
  @Test(.timeLimit(.minutes(1))) func manyNamesOfCodesTakeLinearTime() throws {
    let members = (0..<40_000).map { number in
      "\"code\(String(number, radix: 2).replacing("0", with: ".").replacing("1", with: "~"))\":\"123456\""
    }
    let request = RawRequest.example(isAuthentication: false, body: "{" + members.joined(separator: ",") + "}")
    #expect(redactor.redact(request).message.body != nil)
  }

  /// What begins like a value that is shown, or like a code or number, is not measured to the end of the text again and again: that
  /// takes minutes.
  @Test(
    .enabled(if: MeasuredTime.isMeasured),
    .timeLimit(.minutes(1)),
    arguments: [
      "sid=sha256/", "otp=", "0 ", "1 ", "1-", "auth:", "sid=2026-01-02T", "session=a ", "ticket:A-", "http:/",
      "https://a/reset/", "/reset/a1",
    ])
  func aTextOfBeginningsTakesLinearTime(_ beginning: String) throws {
    let text = String(repeating: beginning, count: 1_000_000 / beginning.utf8.count)
    let body = #"{"note":"\#(text)","token":"opensesame"}"#
    let shown = try #require(redactor.redact(.example(isAuthentication: false, body: body)).message.body)
    #expect(!shown.contains("opensesame"))
  }

  /// Each segment is compared with the Base64 that it lies in, not with all of it: the latter takes minutes.
  @Test(.enabled(if: MeasuredTime.isMeasured), .timeLimit(.minutes(1))) func manySegmentsTakeLinearTime() {
    let segment = "/" + String(repeating: "aB3+", count: 11) + "."
    let path = redactor.redact(.example(path: String(repeating: segment, count: 400_000))).path
    #expect(!path.contains("aB3+"))
  }

  @Test(arguments: [
    "x_session_id=k3Jw91mmQx", "sid=Zq41-99aa", "pwd=Hollow9Tree", "userPwd=Hollow9Tree", "otp-code=594405", "oobCode=ABCdef123",
    "sig=S3fH4WM4gSwy%3D", "SAMLResponse=PHNhbWxwOlJlc3A4", "ticket=ST-18-Qz7K", "invite=b7Kq2m", "auth=zz9Plural",
    "tan=77120934",
    "key=4JXZT2Gdgjw2anVZvPPE2TgG", "h=f20df4875b15b0be23b7ac193fe0407275539800",
  ])
  func anItemOfAQueryOrFormIsMasked(_ item: String) throws {
    let value = try #require(item.split(separator: "=", maxSplits: 1).last).prefix(6)
    var request = RawRequest.example(query: "a=1&\(item)&page=2")
    #expect(redactor.redact(request).query?.contains(value) == false)
    #expect(redactor.redact(request).query?.hasSuffix("&page=2") == true)
    request = .example()
    request.body = Array("a=1&\(item)".utf8)
    #expect(redactor.redact(request).message.body?.contains(value) == false)
    request.body = Array(
      "--b\r\nContent-Disposition: form-data; name=\"\(item.prefix { $0 != "=" })\"\r\n\r\n\(item.drop { $0 != "=" }.dropFirst())\r\n--b--\r\n"
        .utf8)
    #expect(redactor.redact(request).message.body?.contains(value) == false)
  }

  /// Of a path, only the segment that is secret is masked.
  @Test(arguments: [
    ("/rpc/magic/K4jH81mZ", "/rpc/magic/‹"), ("/magic/6b0a5a2e-3b0a-4a55-8a53-9c6c3a0d0040/open", "/magic/‹"),
    ("/verify/q8Zz-11", "/verify/‹"), ("/reset/abc123def", "/reset/‹"), ("/reset-password/abc123def", "/reset-password/‹"),
    ("/invite/b7Kq2m", "/invite/‹"), ("/account/confirm/9f8e7d6c", "/account/confirm/‹"), ("/activate/u81.kk", "/activate/‹"),
    ("/unsubscribe/a81Bc0", "/unsubscribe/‹"), ("/session/a81Bc0/refresh", "/session/‹"),
    ("/app;jsessionid=81mZpL0aT7", "/app;jsessionid=‹"),
    ("/files/Kq83vASNFZ4mrze8BI0V/raw", "/files/‹"), ("/x/0d71939b53182e4e349d98729e7c6be9ff907a76", "/x/‹"),
  ])
  func aSegmentIsMaskedAndTheEndpointStays(_ path: String, shown: String) throws {
    let masked = redactor.redact(.example(path: path)).path
    #expect(masked.hasPrefix(shown), "\(masked)")
    #expect(masked.split(separator: "/").count == path.split(separator: "/").count, "\(masked)")
    let rest = path.dropFirst(shown.count - 1).prefix { $0 != "/" }
    #expect(!masked.contains(rest), "\(masked)")
  }

  static let harmlessPaths = [
    "/session/refresh", "/verify/email", "/reset/password/confirm", "/magic/link", "/invite/accept", "/users/42",
    "/users/42/sessions/7",
    "/users/6b0a5a2e-3b0a-4a55-8a53-9c6c3a0d0040", "/sessions/6b0a5a2e-3b0a-4a55-8a53-9c6c3a0d0040", "/verify/2026-01-02",
    "/v2/orders/2026-01-02",
    "/blog/ten-things-to-know-about-2026", "/products/summer-sale-2026-extra-large", "/items/507f1f77bcf86cd799439011",
    "/events/01ARZ3NDEKTSV4RRFFQ69G5FAV", "/assets/app.3f2a1b9c8d7e6f50.js", "/api/v1/customers/1234567890/invoices",
    "/rpc/login_with_magic_token",
    "/rpc/update_preferences_of_account", "/graphql", "/health", "/.well-known/openid-configuration", "/oauth/token",
    "/auth/session",
    "/tokens/refresh", "/confirm/change-of-email", "/tan/gent", "/tangent/12", "/passport/scan", "/pinboard/9",
    "/i18n/de-DE.json", "/rpc/getAccountSettingsById",
    "/api/listUserDevicesByOwner", "/x/getUserSettingsByDeviceId",
    "/images/2026/11/25/a-very-long-name-of-a-picture.png", "/search/red%20shoes", "/a/b/c/d/e/f/g", "/session/v2",
  ]

  @Test(arguments: harmlessPaths + HarmlessExamples.paths) func aHarmlessPathStaysReadable(_ path: String) {
    #expect(redactor.redact(.example(path: path)).path == path)
  }

  static let harmlessMembers = [
    #""session":"active""#, #""session":null"#, #""session":{"state":"signed_in"}"#, #""session":true"#,
    #""session_state":"signed_out""#,
    #""session_count":1200"#, #""session_ttl":86400"#, #""sessionExpiresAt":"2026-01-02T03:04:05Z""#, #""auth":"required""#,
    #""auth":["password","otp"]"#, #""auth_time":1767225600"#, #""auth_method":"magic_link""#, #""mfa":false"#,
    #""mfa_required":true"#,
    #""mfa":"none""#, #""otp_length":6"#, #""pin_enabled":true"#, #""public_pins":["sha256/AAAAAAAAAAAAAAAAAAAAAA"]"#,
    #""pin-sha256":"AAAA""#,
    #""reset":"2026-01-02T03:04:05Z""#, #""reset_at":1767225600"#, #""confirmation":"DELETE""#, #""invite":"pending""#,
    #""ticket":"open""#,
    #""pass":true"#, #""pass_rate":0.97"#, #""passed":120"#, #""passenger":"4 adults""#, #""tangent":"0.5774""#,
    #""signal":"strong-5""#,
    #""design":"v2-final""#, #""authors":["A1"]"#, #""author":"Writer 12""#, #""oauth":"google-2""#, #""spinner":"dots12""#,
    #""opinion":"4821 votes""#,
    #""residence":"Flat 12""#, #""assign":"team-42""#, #""user_id":42"#, #""order":"2026-00042""#,
    #""updated_at":"2026-01-02T03:04:05Z""#,
    #""code":"23505""#, #""code":"123456","message":"No such page""#, #""code":404100"#, #""code":"E_4711""#,
    #""ways":["email","phone"]"#, #""name":"Phone 1""#,
    #""pair":{"name":"language","value":"de-DE"}"#,
    #""pair":["color","red-500"]"#,
    #""note":"ask_live_81 about sk_test_mode""#, #""note":"Asia and Akira""#, #""note":"npm_config_registry""#,
    #""note":"half_open""#,
    #""id":"6b0a5a2e-3b0a-4a55-8a53-9c6c3a0d0040""#, #""slug":"ten-things-to-know""#, #""csc_version":"2.0.1""#,
    #""tan_type":"push-2""#,
  ]

  @Test(arguments: harmlessMembers + HarmlessExamples.members) func aHarmlessMemberStaysReadable(_ member: String) {
    let body = "{\(member)}"
    #expect(redactor.redact(.example(isAuthentication: false, body: body)).message.body == body)
  }
}

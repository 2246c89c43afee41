import Explain
import JSON
import Testing

@Suite(.timeLimit(.minutes(1))) struct ExplainerTests {
  /// A call of the app, `at` seconds after the start of the log.
  private static func call(
    _ number: Int, at: Double, _ method: String = "GET", _ path: String = "/feed", token: String? = nil, body: String = "",
    status: Int?, answer: String = "{}", headers: [(name: String, value: String)] = [], agent: String = "App/1"
  ) -> Exchange {
    var fields = [(name: "User-Agent", value: agent)]
    if let token { fields.append((name: "Authorization", value: "Bearer \(token)")) }
    return Exchange(
      number: number, start: Int64(1_780_000_000_000 + at * 1000), duration: 100, method: method,
      url: "https://api.example.com" + path, headers: fields, body: Array(body.utf8),
      response: status.map { Exchange.Response(status: $0, headers: headers, body: Array(answer.utf8)) })
  }

  private static func refresh(
    _ number: Int, at: Double, _ token: String, status: Int?, answer: String = #"{"error":"invalid_grant"}"#,
    headers: [(name: String, value: String)] = [], agent: String = "App/1"
  ) -> Exchange {
    call(
      number, at: at, "POST", "/auth/refresh", body: #"{"refresh_token":"\#(token)"}"#, status: status, answer: answer,
      headers: headers, agent: agent)
  }

  private static func tokens(_ access: String, _ refresh: String) -> String {
    #"{"access_token":"\#(access)","refresh_token":"\#(refresh)","expires_in":900}"#
  }

  private func explanation(_ exchanges: [Exchange]) -> Explanation {
    var explainer = Explainer()
    for exchange in exchanges { explainer.add(exchange) }
    return explainer.explanation()
  }

  @Test func emptyLogIsUnknown() {
    let explanation = explanation([])
    #expect(explanation.verdict == .unknown && explanation.findings.isEmpty && explanation.missing.count == 1)
  }

  @Test func masksOfOneValueAreOneToken() {
    // The kind in a mask depends on the place of the value.
    let explanation = explanation([
      Self.call(1, at: 0, token: "‹token:00000001›", status: 401),
      Self.refresh(2, at: 0.1, "‹token:00000002›", status: 200, answer: Self.tokens("‹token:00000003›", "‹token:00000004›")),
      Self.call(3, at: 1, token: "‹key:00000003›", status: 200),
      Self.refresh(4, at: 60, "‹value:00000002›", status: 401),
    ])
    #expect(explanation.verdict == .signedOut && explanation.findings.map(\.kind) == [.refreshTokenReused])
    #expect(explanation.findings.first?.rows == [2, 4])
  }

  @Test func familyShowsEachUseOfItsTokens() {
    let explanation = explanation([
      Self.call(
        1, at: 0, "POST", "/login", body: #"{"user":"a","password":"b"}"#, status: 200,
        answer: Self.tokens("access-one-1", "refresh-one-1")),
      Self.refresh(2, at: 900, "refresh-one-1", status: 200, answer: Self.tokens("access-two-2", "refresh-two-2")),
      Self.refresh(3, at: 1800, "refresh-two-2", status: nil),
      Self.refresh(4, at: 1900, "refresh-two-2", status: 401),
    ])
    #expect(explanation.families.count == 1 && explanation.families.first?.firstRow == 1)
    #expect(
      explanation.families.first?.uses.map { "\($0.row) \($0.what.rawValue)" }
        == ["1 issued", "2 sent", "2 replaced", "2 issued", "3 sent", "3 lost", "4 sent", "4 refused"])
    #expect(explanation.findings.map(\.kind) == [.refreshAnswerLost])
  }

  @Test func familiesOfTwoDevicesAreToldApart() {
    let explanation = explanation([
      Self.refresh(1, at: 0, "refresh-a-1", status: 200, answer: Self.tokens("access-a-2", "refresh-a-2"), agent: "Phone"),
      Self.refresh(2, at: 0.05, "refresh-b-1", status: 200, answer: Self.tokens("access-b-2", "refresh-b-2"), agent: "Tablet"),
      Self.call(3, at: 1, token: "access-a-2", status: 200, agent: "Phone"),
      Self.refresh(4, at: 900, "refresh-b-2", status: 401, agent: "Tablet"),
      Self.call(5, at: 901, token: "access-a-2", status: 200, agent: "Phone"),
    ])
    #expect(explanation.verdict == .signedOut && explanation.families.count == 2)
    #expect(explanation.findings.map(\.kind) == [.refreshRefused] && explanation.findings.first?.rows == [4])
  }

  @Test(arguments: [
    (#"{"error":"invalid_grant","error_description":"The token is invalid, expired, or revoked."}"#, Finding.Kind.refreshRefused),
    (#"{"error":"invalid_grant","error_description":"Token has expired"}"#, .refreshExpired),
    (#"{"error":{"code":"ErrRefreshTokenExpired"}}"#, .refreshExpired),
    (#"{"error_code":"refresh_token_already_used"}"#, .refreshTokenReused),
    (#"{"code":"session_revoked","message":"Signed in on another device"}"#, .signedOutElsewhere),
  ]) func onlyClearTextOfTheBackendIsACause(answer: String, kind: Finding.Kind) {
    let explanation = explanation([Self.refresh(1, at: 0, "refresh-one-1", status: 401, answer: answer)])
    #expect(explanation.findings.map(\.kind) == [kind])
  }

  @Test(arguments: [
    (429, #"{"error":"too_many"}"#), (503, "{}"), (500, "{}"), (404, "<html>"), (403, "<html>blocked</html>"),
    (200, "<html>soon</html>"),
  ]) func statusWithoutVerdictIsNoRefusal(status: Int, answer: String) {
    let explanation = explanation([
      Self.call(1, at: 0, token: "access-one-1", status: 401),
      Self.refresh(2, at: 0.2, "refresh-one-1", status: status, answer: answer),
      Self.call(3, at: 1, "GET", "/login", status: 200),
    ])
    #expect(explanation.findings.map(\.kind) == [.refreshNotAVerdict] && explanation.findings.first?.rows == [2, 3])
  }

  @Test func lateRejectionOfAnOldTokenIsNoEnd() {
    let explanation = explanation([
      Self.call(1, at: 0, token: "access-one-1", status: 401),
      Self.refresh(2, at: 0.05, "refresh-one-1", status: 200, answer: Self.tokens("access-two-2", "refresh-two-2")),
      Self.call(3, at: 0.1, token: "access-one-1", status: 401), Self.call(4, at: 1, token: "access-two-2", status: 200),
    ])
    #expect(explanation.verdict == .sessionKept && explanation.findings.isEmpty)
  }

  @Test func logThatEndsWithARejectionIsUnknown() {
    let explanation = explanation([
      Self.call(1, at: 0, token: "access-one-1", status: 200), Self.call(2, at: 900, token: "access-one-1", status: 401),
    ])
    #expect(explanation.verdict == .unknown && explanation.findings.isEmpty && explanation.missing.count == 1)
  }

  @Test func gatewayThatAnswersIsNotCalledSilent() {
    let explanation = explanation([
      Self.refresh(1, at: 0, "refresh-one-1", status: 502, answer: "{}"), Self.refresh(2, at: 9, "refresh-one-1", status: 401),
    ])
    #expect(explanation.findings.map(\.kind) == [.refreshAnswerLost])
    #expect(explanation.findings.first?.say.contains("ended with status 502") == true)
  }

  @Test(arguments: ["invalid csrf token", "invalid pageToken", "device_token invalid"])
  func rejectionOfAnotherTokenIsNoneOfTheSession(message: String) {
    for status in [400, 403] {
      let explanation = explanation([
        Self.call(1, at: 0, token: "access-one-1", status: 200),
        Self.call(2, at: 1, "POST", token: "access-one-1", status: status, answer: #"{"message":"\#(message)"}"#),
      ])
      #expect(explanation.verdict == .sessionKept)
    }
  }

  /// A race whose loser learns of it before the winner's next call, and a sign-out after it.
  private static func race(thenSignedOutAt time: Double) -> [Exchange] {
    [
      refresh(1, at: 0, "refresh-one-1", status: 200, answer: tokens("access-two-2", "refresh-two-2")),
      refresh(2, at: 0.01, "refresh-one-1", status: 400), call(3, at: 0.2, token: "access-two-2", status: 200),
      call(4, at: time, "POST", "/logout", token: "access-two-2", status: 204),
    ]
  }

  @Test(arguments: [(0.5, Finding.Kind.refreshRace), (30, .userSignedOut)])
  func signOutRightAfterARefusalIsTheApps(time: Double, kind: Finding.Kind) {
    #expect(explanation(Self.race(thenSignedOutAt: time)).findings.map(\.kind) == [kind])
  }

  @Test func lostAnswerIsNoCauseAtABackendThatKeepsTheToken() {
    let kept = #"{"access_token":"access-two-2","expires_in":900}"#
    let explanation = explanation([
      Self.refresh(1, at: 0, "refresh-one-1", status: 200, answer: kept), Self.refresh(2, at: 900, "refresh-one-1", status: nil),
      Self.refresh(3, at: 1000, "refresh-one-1", status: 400),
    ])
    #expect(explanation.findings.map(\.kind) == [.refreshRefused] && explanation.findings[0].rows == [3])
  }

  @Test(arguments: [
    (#"{"code":40102,"message":"Refresh token has expired"}"#, Finding.Kind.refreshExpired),
    (#"{"success":false,"message":"Invalid refresh token"}"#, .refreshRefused),
    (#"{"success":false,"message":"The system is busy"}"#, .refreshNotAVerdict),
  ]) func failureInABodyWithStatus200IsRead(answer: String, kind: Finding.Kind) {
    let explanation = explanation([
      Self.refresh(1, at: 0, "refresh-one-1", status: 200, answer: answer), Self.call(2, at: 1, "GET", "/login", status: 200),
    ])
    #expect(explanation.findings.map(\.kind) == [kind] && explanation.evidence.first?.status == 200)
  }

  @Test(arguments: [
    #"{"success":false,"message":"Invalid coupon token"}"#, #"{"items":[{"text":"Your session expired"}],"error":null}"#,
    #"{"code":1,"message":"Session token expired"}"#,
  ]) func otherTextWithStatus200IsNoRejection(answer: String) {
    let explanation = explanation([
      Self.call(1, at: 0, token: "access-one-1", status: 200),
      Self.call(2, at: 1, token: "access-one-1", status: 200, answer: answer),
      Self.call(3, at: 2, "GET", "/login", status: 200),
    ])
    #expect(explanation.verdict == .sessionKept)
  }

  private static func page(_ number: Int, _ path: String, _ cookie: String, status: Int, _ location: String = "") -> Exchange {
    var page = call(
      number, at: Double(number), "GET", path, status: status, answer: "<html>", headers: [(name: "Location", value: location)])
    page.headers.append((name: "Cookie", value: cookie))
    return page
  }

  @Test func redirectToTheSignInEndsASessionThatWorkedThere() {
    let cookie = "shop_session=s3AvaFn2moDni3X73XqgHPQMTsUDM"
    let login = Self.page(4, "/login", cookie, status: 200)
    let ended = explanation([
      Self.page(1, "/orders", cookie, status: 200), Self.page(2, "/orders", cookie, status: 302, "/login?next=/orders"), login,
    ])
    #expect(ended.verdict == .signedOut && ended.findings.map(\.rows) == [[2]])
    // A visitor who has never been signed in.
    let visitor = explanation([
      Self.page(1, "/", cookie, status: 200), Self.page(2, "/orders", cookie, status: 302, "https://a.test/login?next=/orders"),
      login,
    ])
    #expect(visitor.verdict != .signedOut && visitor.findings.isEmpty)
  }

  @Test func cookiesOfBeforeTheResponseThatShowsThemAreKnown() {
    func refresh(_ number: Int, status: Int, _ lines: String) -> Exchange {
      var refresh = Self.call(
        number, at: Double(number) / 100, "POST", "/bff/refresh", status: status, headers: [(name: "Set-Cookie", value: lines)])
      refresh.headers.append((name: "Cookie", value: "theme=dark; hb_rt=s3AvaFn2moDni3X73XqgHPQMTsUDM"))
      return refresh
    }
    let explanation = explanation([
      refresh(1, status: 200, "hb_rt=Kq83vASNFZ4mrze8BI0V77aa; HttpOnly"), refresh(2, status: 401, "hb_rt=; Max-Age=0"),
      Self.call(3, at: 1, "GET", "/login", status: 200),
    ])
    #expect(explanation.findings.map(\.kind) == [.refreshRace] && explanation.findings[0].rows == [1, 2])
  }

  @Test func tokensOfAnInstallationAreNoSession() {
    let explanation = explanation([
      Self.call(
        1, at: 0, "POST", "/v1/projects/app/installations", status: 200,
        answer:
          #"{"refreshToken":"3_AS3qfwJaaaaaaaaaaaa","authToken":{"token":"eyJhbGciOiJFUzI1NiJ9.aaaa.bbbb","expiresIn":"604800s"}}"#
      )
    ])
    #expect(explanation.verdict == .unknown && explanation.families.isEmpty)
  }

  @Test func numbersInPathsAndReturnedTokensAreNotShown() {
    let explanation = explanation([
      Self.call(
        1, at: 0, "POST", "/auth/otp/482913/refresh", body: #"{"refresh_token":"RefreshTokenOfLettersOnly"}"#, status: 401,
        answer: #"{"code":"RefreshTokenOfLettersOnly"}"#)
    ])
    #expect(explanation.evidence.map(\.path) == ["/auth/otp/…/refresh"])
    #expect(explanation.findings.map(\.kind) == [.refreshRefused] && explanation.findings[0].say.contains("status 401"))
  }

  @Test func pathsOfCallsAreMaskedAsPaths() throws {
    let explanation = explanation([
      Self.call(1, at: 0, token: "access-one-1", status: 200),
      Self.call(2, at: 9, "POST", "/logout/secret", token: "access-one-1", status: 204),
    ]).masked(by: { _ in "text" }, path: { _ in "path" })
    #expect(try #require(explanation.findings.first).say.contains("text path in row 2") && explanation.evidence[0].path == "path")
  }

  @Test func reportIsBounded() {
    let calls = (1...200).flatMap { number in
      [
        Self.call(2 * number, at: Double(number), token: "access-number-\(number)", status: 200, agent: "App/\(number)"),
        Self.call(
          2 * number + 1, at: Double(number) + 0.5, token: "access-number-\(number)", status: 401, agent: "App/\(number)"),
      ]
    }
    let unknown = explanation(calls)
    #expect(unknown.verdict == .unknown && unknown.missing.count == 20)
    let refreshes = (1...500).map { Self.refresh($0, at: Double($0), "refresh-one-1", status: 503, answer: "{}") }
    let ended = explanation(refreshes + [Self.call(501, at: 501, "GET", "/login", status: 200)])
    #expect(ended.findings.map(\.kind) == [.refreshNotAVerdict] && ended.findings[0].rows == Array(451...501))
  }

  @Test func explanationIsWrittenAsTheContractHasIt() throws {
    let explanation = explanation([Self.refresh(7, at: 0, "refresh-one-1", status: 401)])
    let root = try JSONDocument(parsing: try JSONCoding.encode(explanation)).root
    #expect(root["verdict"]?.string == "signed_out")
    let finding = root["findings"]?.elements.first
    #expect(finding?["kind"]?.string == "refresh_refused" && finding?["rows"]?.elements.first?.int64 == 7)
    #expect(finding?["say"]?.string?.contains("invalid_grant") == true && finding?["at"]?.string != nil)
    #expect(finding?["sentence"]?.string == "refresh_refused" && finding?["values"]?["refused"]?["row"]?.int64 == 7)
    #expect(root["families"]?.elements.first?["first_row"]?.int64 == 7)
    #expect(root["missing"]?.elements.first?.string?.contains("begins") == true)
    let lack = root["lacks"]?.elements.first
    #expect(lack?["sentence"]?.string == "missing_beginning" && lack?["values"]?["row"]?["row"]?.int64 == 7)
  }

  @Test(arguments: [
    (124, "124 ms"), (1900, "1.9 s"), (30_000, "30 s"), (2_291_000, "38 min"), (5_400_000, "1.5 hours"),
    (201_600_000, "2.3 days"),
  ]) func lengthHasOneUnit(milliseconds: Int64, text: String) {
    #expect(Sentence.Value.length(milliseconds) == text)
  }

  @Test func everyKindHasASentence() {
    for kind in Finding.Kind.allCases {
      #expect(Sentence.Variant.allCases.contains { $0.rawValue.hasPrefix(kind.rawValue) })
    }
  }
}

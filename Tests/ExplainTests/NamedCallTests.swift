import Explain
import Testing

/// Requests that a backend file names, in logs whose own names mislead.
@Suite(.timeLimit(.minutes(1))) struct NamedCallTests {
  private static func call(
    _ number: Int, at: Double, _ method: String, _ path: String, token: String? = nil, body: String = "", status: Int,
    answer: String = "{}", host: String = "api.example.com"
  ) -> Exchange {
    Exchange(
      number: number, start: Int64(1_780_000_000_000 + at * 1000), duration: 100, method: method, url: "https://\(host)\(path)",
      headers: [("User-Agent", "App/1")] + (token.map { [("Authorization", "Bearer \($0)")] } ?? []), body: Array(body.utf8),
      response: Exchange.Response(status: status, body: Array(answer.utf8)))
  }

  private func explanation(_ exchanges: [Exchange], _ calls: [NamedCall] = []) -> Explanation {
    var explainer = Explainer(calls: calls)
    for exchange in exchanges { explainer.add(exchange) }
    return explainer.explanation()
  }

  private func uses(_ explanation: Explanation) -> [[String]] {
    explanation.families.map { $0.uses.map { "\($0.row) \($0.what.rawValue)" } }
  }

  private static let signOut = NamedCall(.signOut, method: "POST", host: nil, path: ["/devices/", nil, "/forget"])
  private static let forgotten = [
    call(1, at: 0, "GET", "/feed", token: "access-one-1", status: 200),
    call(2, at: 5, "POST", "/devices/d-17/forget", token: "access-one-1", status: 204),
  ]

  @Test func signOutWithAnotherNameIsFoundByTheFile() {
    #expect(explanation(Self.forgotten).verdict == .sessionKept)
    let named = explanation(Self.forgotten, [Self.signOut])
    #expect(named.verdict == .signedOut && named.findings.map(\.kind) == [.userSignedOut] && named.findings[0].rows == [2])
  }

  /// Prices of tokens are no tokens of a session.
  @Test func callThatIsNamedLikeARefreshIsNoneByTheFile() {
    let exchanges = [
      Self.call(1, at: 0, "GET", "/feed", token: "access-one-1", status: 200),
      Self.call(
        2, at: 5, "POST", "/tokens/refresh", token: "access-one-1", body: #"{"symbol":"ABC"}"#, status: 422,
        answer: #"{"error":"unknown_symbol"}"#),
    ]
    #expect(explanation(exchanges).findings.map(\.kind) == [.refreshRefused])
    let prices = NamedCall(.other, method: "POST", host: "api.example.com", path: ["/tokens/refresh"])
    let named = explanation(exchanges, [prices])
    #expect(named.verdict == .sessionKept && named.findings.isEmpty)
  }

  @Test func signInAndRefreshWithOtherNamesMakeAFamily() {
    let exchanges = [
      Self.call(
        1, at: 0, "POST", "/visits", body: #"{"pass":"green"}"#, status: 201,
        answer: #"{"access_token":"access-one-1","refresh_token":"refresh-one-1"}"#),
      Self.call(
        2, at: 900, "PUT", "/visits/current", token: "refresh-one-1", status: 200,
        answer: #"{"access_token":"access-two-2","refresh_token":"refresh-two-2"}"#),
      Self.call(3, at: 1800, "PUT", "/visits/current", token: "refresh-one-1", status: 400, answer: #"{"error":"no"}"#),
    ]
    let calls = [
      NamedCall(.signIn, method: "POST", host: nil, path: ["/visits"]),
      NamedCall(.refresh, method: "PUT", host: nil, path: ["/visits/", nil]),
    ]
    #expect(!explanation(exchanges).findings.contains { $0.kind == .refreshTokenReused })
    let named = explanation(exchanges, calls)
    #expect(named.findings.map(\.kind) == [.refreshTokenReused] && named.findings.first?.rows == [2, 3])
    #expect(uses(named) == [["1 issued", "2 sent", "2 replaced", "2 issued", "3 sent", "3 refused"]])
  }

  /// A failed sign-in begins no session, and a step before a sign-in none either.
  @Test func onlyASignInWithTokensBeginsASession() {
    let calls = [
      NamedCall(.signInRequest, method: "POST", host: nil, path: ["/door"]),
      NamedCall(.signIn, method: "POST", host: nil, path: ["/door/open"]),
    ]
    let explanation = explanation(
      [
        Self.call(1, at: 0, "POST", "/door", status: 200, answer: #"{"token":"a-challenge-of-some-length"}"#),
        Self.call(2, at: 1, "POST", "/door/open", status: 401, answer: #"{"token":"no-session-token-here"}"#),
      ], calls)
    #expect(explanation.verdict == .unknown && explanation.families.isEmpty)
  }

  @Test func addressOfTwoKindsIsGuessed() {
    let calls = [
      NamedCall(.signIn, method: "POST", host: nil, path: ["/oauth/token"]),
      NamedCall(.refresh, method: "POST", host: nil, path: ["/oauth/token"]),
    ]
    let answer = #"{"access_token":"access-one-1","refresh_token":"refresh-one-1"}"#
    let exchanges = [
      Self.call(1, at: 0, "POST", "/oauth/token", body: "grant_type=password&password=b", status: 200, answer: answer),
      Self.call(2, at: 900, "POST", "/oauth/token", body: "grant_type=refresh_token&refresh_token=refresh-one-1", status: 400),
    ]
    #expect(uses(explanation(exchanges, calls)) == uses(explanation(exchanges)))
    #expect(uses(explanation(exchanges, calls)) == [["1 issued", "2 sent", "2 refused"]])
    // Two calls of one kind are no contradiction.
    let named = explanation(Self.forgotten, [Self.signOut, Self.signOut])
    #expect(named.findings.map(\.kind) == [.userSignedOut])
  }

  @Test(arguments: [
    ("POST", "api.example.com", "/devices/d-17/forget", true), ("POST", "api.example.com:443", "/devices/d-17/forget", true),
    ("GET", "api.example.com", "/devices/d-17/forget", false), ("POST", "www.example.com", "/devices/d-17/forget", false),
    ("POST", "api.example.com:8443", "/devices/d-17/forget", false), ("POST", "api.example.com", "/devices//forget", false),
    ("POST", "api.example.com", "/devices/a/b/forget", false), ("POST", "api.example.com", "/devices/d-17/forget/", false),
    ("POST", "api.example.com", "/devices/d-17/forget?all=1", true),
  ]) func callIsItsMethodHostAndPath(method: String, host: String, path: String, isCall: Bool) {
    let call = NamedCall(.signOut, method: "POST", host: "api.example.com", path: ["/devices/", nil, "/forget"])
    let explanation = explanation(
      [
        Self.call(1, at: 0, "GET", "/feed", token: "access-one-1", status: 200),
        Self.call(2, at: 5, method, path, token: "access-one-1", status: 204, host: host),
      ], [call])
    #expect((explanation.verdict == .signedOut) == isCall)
  }

  @Test(arguments: [
    ("/v1/a-b.json", true), ("/v1/-b.json", false), ("/v1/a-.json", false), ("/v1/aa-bb-c.json", true), ("/v1/a-b.jso", false),
  ]) func valuesOfASegmentAreNotEmpty(path: String, isCall: Bool) {
    let call = NamedCall(.signOut, method: "POST", host: nil, path: ["/v1/", nil, "-", nil, ".json"])
    let explanation = explanation(
      [
        Self.call(1, at: 0, "GET", "/feed", token: "access-one-1", status: 200),
        Self.call(2, at: 5, "POST", path, token: "access-one-1", status: 204),
      ], [call])
    #expect((explanation.verdict == .signedOut) == isCall)
  }

  @Test(arguments: [("?mode=end", true), ("?a=b&mode=end", true), ("?mode=ends", false), ("", false)])
  func pairsOfTheQueryTellCallsApart(query: String, isCall: Bool) {
    let call = NamedCall(.signOut, method: "POST", host: nil, path: ["/visit"], query: ["mode=end"])
    let explanation = explanation(
      [
        Self.call(1, at: 0, "GET", "/feed", token: "access-one-1", status: 200),
        Self.call(2, at: 5, "POST", "/visit" + query, token: "access-one-1", status: 204),
      ], [call])
    #expect((explanation.verdict == .signedOut) == isCall)
  }

  @Test func ownEndpointsHaveTheirKinds() {
    #expect(NamedCall.Kind(endpoint: "login_with_code") == .signIn && NamedCall.Kind(endpoint: "logout") == .signOut)
    #expect(NamedCall.Kind(endpoint: "get_cues") == .other)
    #expect(NamedCall.Kind(endpoint: "composed") == nil && NamedCall.Kind(endpoint: "/auth/refresh") == nil)
    // A row's own name wins over what its address says.
    var exchanges = Self.forgotten
    exchanges[1].call = .signOut
    #expect(explanation(exchanges).findings.map(\.kind) == [.userSignedOut])
  }
}

import Explain
import Testing

@testable import BackendFile

/// The calls of a file as an explanation knows them.
struct NamedCallsTests {
  @Test func everyCallHasTheKindOfItsRole() {
    for name in CallName.allCases {
      let expected: NamedCall.Kind =
        switch name.role {
        case .request: .signInRequest
        case .login: .signIn
        case .refresh: .refresh
        case .signedIn, .open: name == .logout ? .signOut : .other
        }
      #expect(NamedCall.Kind(endpoint: name.rawValue) == expected)
    }
  }

  private func end(_ exchanges: [(method: String, url: String)], by definition: BackendDefinition) -> [Finding.Kind] {
    var explainer = Explainer(calls: definition.namedCalls)
    for (index, exchange) in exchanges.enumerated() {
      explainer.add(
        Exchange(
          number: index + 1, start: Int64(index) * 1000, method: exchange.method, url: exchange.url,
          headers: [("Authorization", "Bearer access-one-1")], response: Exchange.Response(status: 200)))
    }
    return explainer.explanation().findings.map(\.kind)
  }

  @Test func callsAreKnownByHostPathAndQuery() throws {
    let text = """
      url: https://api.example:8443
      calls:
        me: GET /users/{user_id}
        logout:
          - request: GET /token
          - request: PUT https://id.example/visits/{user_id}?mode=end&user={user_id}
      """
    let definition = try Samples.definition(text)
    let feed = ("GET", "https://api.example:8443/feed")
    #expect(end([feed, ("PUT", "https://id.example/visits/7?user=7&mode=end")], by: definition) == [.userSignedOut])
    #expect(end([feed, ("PUT", "https://api.example:8443/visits/7?mode=end")], by: definition) == [])
    // What comes before the last request of a sign-out is none.
    #expect(end([feed, ("GET", "https://api.example:8443/token")], by: definition) == [])
  }
}

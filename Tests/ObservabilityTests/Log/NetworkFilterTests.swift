import HTTPTypes
import Testing

@testable import Observability
@testable import Redaction
import Support

struct NetworkFilterTests {
  private let log = NetworkLog(capacity: 10, bodyBytes: 0, registry: SecretRegistry(tagKey: [])) { _ in }

  init() {
    func add(_ method: HTTPRequest.Method, _ path: String, status: Int?, state: NetworkRow.State, error: String? = nil) {
      var request = RawRequest.example(path: path)
      request.method = method
      request.endpoint = EndpointTraits(name: path, isAuthentication: false)
      let id = log.begin(request, of: RecordedAttempt.origin)
      guard state.isFinal else { return }
      let response = status.map { RawResponse(status: $0, headers: [], body: []) }
      log.finish(id, with: RawExchange(request: request, response: response, state: state, error: error))
    }
    add(.get, "/rpc/me", status: 200, state: .success)
    add(.post, "/rpc/get_cues", status: 404, state: .failure, error: "not_found")
    add(.post, "/rpc/get_cues", status: 503, state: .failure)
    add(.get, "/rpc/me", status: nil, state: .failure, error: "timeout")
    add(.get, "/rpc/me", status: nil, state: .cancelled)
    add(.get, "/rpc/app_config", status: nil, state: .pending)
    add(.put, "/rpc/other", status: 200, state: .failure, error: "unexpected_payload")
    let kinds: [NetworkDrift.Kind] = [.invalid, .undocumented, .missing]
    for (row, kind) in zip(log.rows().events, kinds) {
      log.setDrift([NetworkDrift(side: .response, pointer: "/a", expected: "b", got: "c", kind: kind)], count: 1, of: row.id)
    }
  }

  @Test(
    arguments: [
      ([], [1, 2, 3, 4, 5, 6, 7]), ([("method", "get")], [1, 4, 5, 6]), ([("method", "POST")], [2, 3]),
      ([("status", "4xx")], [2]),
      ([("status", "5XX")], [3]), ([("status", "503")], [3]), ([("status", "500")], []), ([("status", "err")], [4, 7]),
      ([("endpoint", "/rpc/me")], [1, 4, 5]), ([("endpoint", "/rpc")], []), ([("q", "CUES")], [2, 3]), ([("q", "timeout")], [4]),
      ([("q", "404")], [2]), ([("q", "Backend.test")], [1, 2, 3, 4, 5, 6, 7]),
      ([("q", "login")], [1, 2, 3, 4, 5, 6, 7]), ([("q", "nothing")], []), ([("after", "4")], [5, 6, 7]),
      ([("limit", "2")], [1, 2]), ([("method", "get"), ("after", "1"), ("limit", "2")], [4, 5]),
      ([("method", ""), ("status", ""), ("after", "")], [1, 2, 3, 4, 5, 6, 7]),
      ([("format", "har"), ("format", "zip")], [1, 2, 3, 4, 5, 6, 7]),
      ([("after", "18446744073709551615")], []),
      ([("drift", "any")], [1, 2, 3]), ([("drift", "MISSING")], [2, 3]), ([("drift", "")], [1, 2, 3, 4, 5, 6, 7]),
      ([("q", "drift:any")], [1, 2, 3]), ([("q", "cues Drift:Missing")], [2, 3]), ([("q", "drift:any me")], [1]),
      ([("source", "Network")], [1, 2, 3, 4, 5, 6, 7]), ([("source", "tool")], []), ([("q", "source:tool")], []),
      ([("q", "cues Source:network")], [2, 3]), ([("q", "source:backend")], []),
      ([("q", "drift:any drift:missing")], [2, 3]), ([("q", "drift:some")], []), ([("drift", "any"), ("status", "4xx")], [2]),
    ] as [([(String, String)], [RowSequence])])
  func rowsThatFitAreGiven(pairs: [(String, String)], rows: [RowSequence]) throws {
    let filter = try #require(NetworkFilter(queryPairs: pairs))
    #expect(log.rows(filter: filter).events.map(\.seq) == rows)
  }

  @Test(arguments: [
    ("status", "6xx"), ("status", "0xx"), ("status", "4x"), ("status", "xx"), ("status", "50"), ("status", "5033"),
    ("status", "-50"),
    ("status", "4xxx"), ("status", "ok"), ("status", "５０３"), ("after", "-1"), ("after", "+1"), ("after", "1.0"), ("after", "a"),
    ("after", "18446744073709551616"), ("limit", "0"), ("limit", "10001"), ("limit", "-5"), ("limit", "99999999999999999999"),
    ("limit", " 1"), ("drift", "some"), ("drift", "true"), ("source", "backend"),
  ])
  func valuesOutsideTheGrammarAreRefused(name: String, value: String) {
    #expect(NetworkFilter(queryPairs: [(name, value)]) == nil)
  }

  @Test func aNameMayStandOnce() {
    #expect(NetworkFilter(queryPairs: [("after", "1"), ("after", "2")]) == nil)
    #expect(NetworkFilter(queryPairs: [("q", "a"), ("q", "a")]) == nil)
  }
}

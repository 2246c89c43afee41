import FoundationEssentials
import HTTPTypes
import Observability
import Redaction
import OpenAPI
import Testing

@testable import Console

/// Exchanges compared with a small document, from the recorded exchange to the row.
@Suite(.timeLimit(.minutes(1))) struct DriftDetectorTests {
  static let document = """
    {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {"/things": {
      "post": {
        "parameters": [{"name": "limit", "in": "query", "required": true, "schema": {"type": "integer"}}],
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object"}}}},
        "responses": {"204": {"description": "none"}, "200": {"description": "one", "content": {"application/json": {"schema": {
          "type": "object", "required": ["id"], "additionalProperties": false,
          "properties": {"id": {"type": "string"}, "list": {"type": "array", "items": {"type": "integer"}}}}}}}}
      }}}}
    """

  struct Exchange: Sendable, CustomTestStringConvertible {
    var path = "/things"
    var query: String? = "limit=1"
    var body = "{}"
    var status = 200
    var type = "application/json"
    var answer = #"{"id":"a"}"#
    /// The kinds and places of the differences.
    let drift: [String]

    var testDescription: String { drift.isEmpty ? "match" : drift.joined(separator: ", ") }
  }

  static let exchanges = [
    Exchange(drift: []),
    Exchange(status: 204, type: "", answer: "", drift: []),
    Exchange(answer: "{}", drift: ["response missing /id"]),
    Exchange(answer: #"{"id":1}"#, drift: ["response invalid /id"]),
    Exchange(answer: #"{"id":"a","list":[1,"b",2,"c"]}"#, drift: ["response invalid /list/1"]),
    Exchange(answer: #"{"id":"a","extra":1}"#, drift: ["response undocumented /extra"]),
    Exchange(answer: "", drift: ["response missing "]),
    Exchange(type: "text/html", answer: "<p>", drift: ["response undocumented content-type"]),
    Exchange(status: 418, drift: ["response undocumented status"]),
    Exchange(status: 204, drift: ["response undocumented "]),
    Exchange(path: "/others", drift: ["request undocumented operation"]),
    Exchange(query: nil, drift: ["request missing query:limit"]),
    Exchange(query: "limit=one", drift: ["request invalid query:limit"]),
    Exchange(body: "", drift: ["request missing "]),
    Exchange(body: "[]", drift: ["request invalid "]),
  ]

  @Test(arguments: exchanges) func aDifferenceHasItsKindAndPlace(exchange: Exchange) async throws {
    let detector = DriftDetector(source: "t.json")
    detector.start(try APIContract(parsing: Array(Self.document.utf8)))
    let log = NetworkLog(capacity: 10, bodyBytes: 1000, registry: SecretRegistry(tagKey: [1]), comparer: detector.comparer) { _ in
    }
    let request = RawRequest(
      method: .post, origin: "https://b.test", path: exchange.path, query: exchange.query,
      endpoint: EndpointTraits(name: "things", isAuthentication: false, logsRequestBody: true, logsResponseBody: true),
      headers: exchange.body.isEmpty ? [] : [("Content-Type", "application/json")], body: Array(exchange.body.utf8))
    let id = log.begin(request, of: AttemptOrigin(callID: "c", flowID: "f", flow: "f", startedAt: Date()))
    let response = RawResponse(
      status: exchange.status, headers: exchange.type.isEmpty ? [] : [("Content-Type", exchange.type)],
      body: Array(exchange.answer.utf8))
    log.finish(id, with: RawExchange(request: request, response: response, state: .success))
    await detector.comparer.finish()
    let found = log.detail(id: id)?.row.drift ?? []
    #expect(found.map { "\($0.side.rawValue) \($0.kind.rawValue) \($0.pointer)" } == exchange.drift, "\(found)")
    #expect(detector.comparer.counts.compared == 1)
  }
}

import Testing

@testable import OpenAPI

/// What of a document exchanges use, and how values that are masked are compared.
@Suite struct ContractCoverageTests {
  private static func contract() throws -> APIContract {
    try ContractSample.contract(
      """
      {"/a/{id}": {"get": {"parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}},
      {"name": "n", "in": "query", "schema": {"type": "integer"}}],
      "responses": {"200": {"description": "", "content": {"application/json": {"schema": {"type": "object", "required": ["id"],
      "additionalProperties": false, "properties": {"id": {"type": "integer"}, "email": {"type": "string", "format": "email"}}}}}},
      "4XX": {"description": ""}, "default": {"description": ""}}}}, "/b": {"post": {"responses": {"204": {"description": ""}}}}}
      """, servers: #"[{"url": "https://x.example/v1"}]"#)
  }

  @Test func operationsAndResponsesAreCounted() throws {
    var coverage = ContractCoverage(try Self.contract())
    #expect(coverage.operations.map { "\($0.method) \($0.path)" } == ["GET /a/{id}", "POST /b"])
    #expect(coverage.usedOperations == 0 && coverage.usedResponses == 0 && coverage.responseCount == 4)
    for (method, path, status) in [
      ("GET", "/v1/a/1", 200), ("HEAD", "/a/2", 200), ("GET", "/a/3", 404), ("GET", "/a/3", 503), ("DELETE", "/a/3", 200),
      ("GET", "/c", 200),
    ] as [(String, String, Int)] {
      let found = coverage.add(ObservedExchange(method: method, path: path, status: status))
      #expect(found == (method == "DELETE" || path == "/c" ? nil : "/a/{id}"), "\(method) \(path)")
    }
    #expect(coverage.operations[0].rows == 4)
    #expect(coverage.operations[0].responses.map { "\($0.status) \($0.rows)" } == ["200 2", "4XX 1", "default 1"])
    #expect(coverage.usedOperations == 1 && coverage.usedResponses == 3)
  }

  @Test func maskedValuesFit() throws {
    let contract = try Self.contract()
    var exchange = ObservedExchange(
      method: "GET", path: "/a/<1>", query: "n=<2>&<3>=1", status: 200, responseHeaders: ContractSample.json,
      responseBody: Array(#"{"id": "<4>", "email": "<5> x", "<6>": 1, "other": "<7>"}"#.utf8))
    #expect(contract.differences(in: exchange).count == 7)
    exchange.isMasked = { $0.contains("<") }
    #expect(contract.lines(exchange) == ["response /other: no other members, undocumented member"])
  }
}

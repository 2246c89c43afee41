import JSON
import Testing

@testable import OpenAPI

@Suite struct ExchangeComparisonTests {
  @Test func namesThatAreNoIdentifiersAreDeclared() throws {
    let contract = try ContractSample.contract(
      ##"""
      {"/p": {"get": {"parameters": [{"name": "filter[x]", "in": "query", "schema": {"type": "integer"}}], "responses": {"200": \##
      {"description": "", "headers": {"x.y": {"schema": {"type": "string"}}}, "content": {"application/json": {"schema": \##
      {"properties": {"@type": {"type": "string"}, "user name": {}, "a/b": {"type": "integer"}, "plain": {}}}}}}}}}}
      """##)
    #expect(["filter[x]", "x.y", "@type", "user name", "a/b"].allSatisfy(contract.declaresOddly))
    #expect(!["plain", "@other", "filter[y]"].contains(where: contract.declaresOddly))
    let exchange = ObservedExchange(
      method: "GET", path: "/p", query: "filter[x]=a", status: 200, responseHeaders: ContractSample.json,
      responseBody: Array(##"{"@type": 1, "a/b": "1"}"##.utf8))
    #expect(
      contract.lines(exchange) == [
        "request query:filter[x]: integer, string", "response /@type: string, integer", "response /a~1b: integer, string",
      ])
  }

  @Test func anExchangeThatTheDocumentDescribesHasNoDifference() throws {
    let contract = try ContractSample.answering(
      #"{"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}"#)
    #expect(contract.title == "Sample" && contract.version == "7" && contract.operationCount == 1 && contract.notes == [])
    #expect(contract.lines(ContractSample.answer(#"{"id": 1, "more": true}"#)) == [])
  }

  @Test func aDifferenceSaysWhereItIsAndOfWhatKind() throws {
    let contract = try ContractSample.answering(#"{"properties": {"id": {"type": "integer"}}}"#)
    let drifts = contract.differences(in: ContractSample.answer(#"{"id": "seven"}"#))
    #expect(
      drifts == [Drift(.response, at: "/id", expected: "integer", got: "string", kind: .invalid)])
  }

  @Test(arguments: [
    ("418", "response status: status 200, undocumented status 418"), ("200", ""), ("304", ""), ("103", ""),
  ]) func aStatusIsOneThatIsDocumented(status: String, line: String) throws {
    let contract = try ContractSample.answering("true")
    let exchange = ContractSample.answer("{}", status: try #require(Int(status)))
    #expect(contract.lines(exchange) == (line.isEmpty ? [] : [line]))
  }

  @Test func aRangeOfStatusesAndTheDefaultDescribeWhatIsNotListed() throws {
    let contract = try ContractSample.contract(
      """
      {"/a": {"get": {"responses": {"200": {"description": ""}, "4XX": {"description": "", "content": {"application/json": \
      {"schema": {"type": "object"}}}}, "default": {"description": "", "content": {"application/json": {"schema": \
      {"type": "array"}}}}}}}}
      """)
    func lines(_ status: Int, _ body: String) -> [String] {
      contract.lines(
        ObservedExchange(
          method: "GET", path: "/a", status: status, responseHeaders: ContractSample.json, responseBody: Array(body.utf8)))
    }
    #expect(lines(404, "{}") == [])
    #expect(lines(404, "[]") == ["response : object, array"])
    #expect(lines(500, "[]") == [])
    #expect(lines(500, "{}") == ["response : array, object"])
    #expect(lines(200, "{}") == [])
  }

  @Test func theMostSpecificPathWins() throws {
    func path(_ status: Int, _ method: String = "get") -> String {
      #"{"\#(method)": {"responses": {"\#(status)": {"description": ""}}}}"#
    }
    let contract = try ContractSample.contract(
      """
      {"/users/{id}": \(path(201)), "/users/me": \(path(202)), "/users/{id}/photo.{format}": \(path(203)), \
      "/users/{id}/{part}": \(path(204)), "/{any}/me": \(path(205, "put")), "/a%20b": \(path(206))}
      """, servers: #"[{"url": "https://example.com/v1/"}, {"url": "/{stage}/api", "variables": {"stage": {"default": "test"}}}]"#
    )
    func expected(_ path: String, _ method: String = "GET") -> String? {
      contract.differences(in: ObservedExchange(method: method, path: path, status: 200)).first?.expected
    }
    #expect(expected("/users/me") == "status 202")
    #expect(expected("/users/7") == "status 201")
    #expect(expected("/v1/users/me") == "status 202")
    #expect(expected("/test/api/users/7/photo.png") == "status 203")
    #expect(expected("/users/7/photos") == "status 204")
    #expect(expected("/users/me", "PUT") == "status 205")
    #expect(expected("/a%20b") == "status 206")
    #expect(
      contract.lines(ObservedExchange(method: "GET", path: "/users")) == [
        "request operation: a documented path, no such operation"
      ])
    #expect(
      contract.lines(ObservedExchange(method: "GET", path: "/users/")) == [
        "request operation: a documented path, no such operation"
      ])
    #expect(
      contract.lines(ObservedExchange(method: "DELETE", path: "/users/7")) == [
        "request operation: GET /users/{id}, another method"
      ])
  }

  @Test func parametersAreCompared() throws {
    let contract = try ContractSample.contract(
      """
      {"/a/{id}": {"parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer", "minimum": 1}}], \
      "get": {"responses": {"200": {"description": ""}}, "parameters": [
        {"name": "limit", "in": "query", "schema": {"type": "integer", "maximum": 100}},
        {"name": "sort", "in": "query", "required": true, "schema": {"enum": ["name", "date"]}},
        {"name": "ids", "in": "query", "schema": {"type": "array", "items": {"type": "integer"}}},
        {"name": "tags", "in": "query", "explode": false, "schema": {"type": "array", "maxItems": 2}},
        {"name": "exact", "in": "query", "schema": {"type": "boolean"}},
        {"name": "X-Device", "in": "header", "required": true, "schema": {"type": "string", "minLength": 4}},
        {"name": "Accept", "in": "header", "required": true, "schema": {"type": "integer"}},
        {"name": "session", "in": "cookie", "required": true, "schema": {"type": "integer"}}]}}}
      """, components: #"{"securitySchemes": {"key": {"type": "apiKey", "in": "query", "name": "api_key"}}}"#)
    func lines(_ path: String, _ query: String?, _ device: String? = "device") -> [String] {
      contract.lines(
        ObservedExchange(
          method: "GET", path: path, query: query, requestHeaders: device.map { [("x-device", $0)] } ?? [], status: 200))
    }
    #expect(lines("/a/7", "sort=name&limit=10&ids=1&ids=2&tags=a,b&exact=true&api_key=k") == [])
    #expect(lines("/a/0", "sort=name") == ["request path:id: number ≥ 1, a smaller number"])
    #expect(lines("/a/x", "sort=name") == ["request path:id: integer, string"])
    #expect(lines("/a/1", nil) == [#"request query:sort: one of "name", "date", missing"#])
    #expect(lines("/a/1", "sort=size") == [#"request query:sort: one of "name", "date", another string"#])
    #expect(lines("/a/1", "sort=name&limit=many") == ["request query:limit: integer, string"])
    #expect(lines("/a/1", "sort=name&limit=101") == ["request query:limit: number ≤ 100, a greater number"])
    #expect(lines("/a/1", "sort=name&ids=1&ids=b") == ["request query:ids/1: integer, string"])
    #expect(lines("/a/1", "sort=name&tags=a,b,c") == ["request query:tags: array of at most 2, array of 3"])
    #expect(lines("/a/1", "sort=name&exact=yes") == ["request query:exact: boolean, string"])
    #expect(lines("/a/1", "sort=name&page=2") == ["request query:page: no other parameters, undocumented parameter"])
    #expect(lines("/a/1", "sort=name&4f9c01aa72=2") == ["request query:*: no other parameters, undocumented parameter"])
    #expect(lines("/a/1", "sort=name", nil) == ["request header:X-Device: string, missing"])
    #expect(
      lines("/a/1", "sort=name", "abc") == ["request header:X-Device: string of at least 4 characters, string of 3 characters"])
  }

  /// The members of an object in the query are parameters themselves (OpenAPI 3.0.4 §4.7.12.2, `form` and `deepObject`).
  @Test(
    arguments: [
      (##""schema": {"$ref": "#/components/schemas/Page"}"##, "page=0&size=20", []),
      (##""schema": {"$ref": "#/components/schemas/Page"}"##, nil, []),
      (#""schema": {"type": ["object", "null"]}"#, "page=0", []),
      (#""schema": {"properties": {"page": {"type": "integer"}}}"#, "page=0", []),
      (##""style": "deepObject", "schema": {"$ref": "#/components/schemas/Page"}"##, "pageable[page]=0", []),
      (##""style": "deepObject", "schema": {"$ref": "#/components/schemas/Page"}"##, nil, []),
      (
        ##""explode": false, "schema": {"$ref": "#/components/schemas/Page"}"##, "page=0",
        ["request query:pageable: object, missing", "request query:page: no other parameters, undocumented parameter"]
      ), (##""explode": false, "schema": {"$ref": "#/components/schemas/Page"}"##, "pageable=page,0", []),
      (
        #""schema": {"enum": ["all"]}"#, "page=0",
        [#"request query:pageable: "all", missing"#, "request query:page: no other parameters, undocumented parameter"]
      ),
    ] as [(String, String?, [String])]) func anObjectInTheQueryIsItsMembers(schema: String, query: String?, lines: [String])
    throws
  {
    let contract = try ContractSample.contract(
      """
      {"/a": {"get": {"parameters": [{"name": "pageable", "in": "query", "required": true, \(schema)}], \
      "responses": {"200": {"description": ""}}}}}
      """, components: #"{"schemas": {"Page": {"type": "object", "properties": {"page": {"type": "integer"}}}}}"#)
    #expect(contract.lines(ObservedExchange(method: "GET", path: "/a", query: query, status: 200)) == lines)
  }

  @Test func bodiesAndMediaTypesAreCompared() throws {
    let contract = try ContractSample.taking(#"{"type": "object"}"#)
    var exchange = ContractSample.call("{}")
    #expect(contract.lines(exchange) == [])
    exchange.requestBody = []
    #expect(contract.lines(exchange) == ["request : a body of application/json, no body"])
    exchange.requestBody = nil
    #expect(contract.lines(exchange) == [])
    exchange.requestBody = Array("<a>".utf8)
    #expect(contract.lines(exchange) == ["request : JSON, invalid JSON"])
    exchange.requestBody = Array(#"{"a":1,"a":2}"#.utf8)
    #expect(contract.lines(exchange) == ["request : JSON, JSON with a repeated member"])
    exchange.requestHeaders = [("content-type", "text/plain")]
    #expect(contract.lines(exchange) == ["request content-type: application/json, text/plain"])
    exchange.requestHeaders = [("content-type", "application/9fd2ab8127c4")]
    #expect(contract.lines(exchange) == ["request content-type: application/json, another media type"])
    exchange.requestHeaders = []
    exchange.requestBody = Array("[]".utf8)
    #expect(
      contract.lines(exchange) == ["request content-type: application/json, missing", "request : object, array"])
    exchange = ContractSample.call("{}")
    exchange.responseBody = Array("{}".utf8)
    #expect(contract.lines(exchange) == ["response : no body, a body"])
  }

  @Test(
    arguments: [
      (404, "", []), (404, #", "content": {}"#, ["response : no body, a body"]), (204, "", ["response : no body, a body"]),
      (205, "", ["response : no body, a body"]), (404, #", "content": {"application/json": {}}"#, []),
    ] as [(Int, String, [String])]) func aResponseWithoutContentDescribesNoBody(status: Int, content: String, lines: [String])
    throws
  {
    let contract = try ContractSample.contract(
      #"{"/thing": {"get": {"responses": {"\#(status)": {"description": "Words"\#(content)}}}}}"#)
    #expect(contract.lines(ContractSample.answer(#"{"code": 1}"#, status: status)) == lines)
  }

  @Test func rangesAndSuffixesOfMediaTypesAreUnderstood() throws {
    let contract = try ContractSample.contract(
      """
      {"/thing": {"get": {"responses": {"200": {"description": "", "content": {"application/*": {"schema": {"type": "object"}}, \
      "application/problem+json": {"schema": {"type": "array"}}, "text/plain": {"schema": {"type": "integer"}}}}}}}}
      """)
    func lines(_ type: String, _ body: String) -> [String] {
      var exchange = ContractSample.answer(body)
      exchange.responseHeaders = [("Content-Type", type)]
      return contract.lines(exchange)
    }
    #expect(lines("application/vnd.a+json", "[]") == ["response : object, array"])
    #expect(lines("Application/Problem+JSON", "[]") == [])
    #expect(lines("application/octet-stream", "\u{1}") == [])
    #expect(lines("text/plain; charset=utf-8", "words") == [])
    #expect(lines("text/html", "<p>").count == 1)
  }

  @Test func headersOfAnAnswerAreCompared() throws {
    let contract = try ContractSample.contract(
      """
      {"/a": {"get": {"responses": {"429": {"description": "", "headers": {"Retry-After": {"required": true, "schema": \
      {"type": "integer", "minimum": 1}}, "X-More": {"schema": {"type": "string"}}}}}}}}
      """)
    func lines(_ headers: [(name: String, value: String)]) -> [String] {
      contract.lines(ObservedExchange(method: "GET", path: "/a", status: 429, responseHeaders: headers))
    }
    #expect(lines([("retry-after", "5")]) == [])
    #expect(lines([]) == ["response header:Retry-After: integer, missing"])
    #expect(lines([("Retry-After", "soon")]) == ["response header:Retry-After: integer, string"])
  }

  @Test func headIsAnsweredLikeGetWithoutBody() throws {
    let contract = try ContractSample.answering(#"{"type": "object"}"#)
    #expect(contract.lines(ObservedExchange(method: "HEAD", path: "/thing", status: 200)) == [])
    #expect(
      contract.lines(ObservedExchange(method: "GET", path: "/thing", status: 200)) == [
        "response : a body of application/json, no body"
      ])
  }

  @Test func readOnlyAndWriteOnlyMembersBelongToOneMessage() throws {
    let schema = """
      {"required": ["id", "password"], "properties": {"id": {"type": "string", "readOnly": true}, \
      "password": {"type": "string", "writeOnly": true}}}
      """
    let (taking, answering) = (try ContractSample.taking(schema), try ContractSample.answering(schema))
    #expect(taking.lines(ContractSample.call(#"{"password": "x"}"#)) == [])
    #expect(taking.lines(ContractSample.call("{}")) == ["request /password: string, missing"])
    #expect(
      taking.lines(ContractSample.call(#"{"id": "1", "password": "x"}"#)) == [
        "request /id: no read-only member, read-only member"
      ])
    #expect(answering.lines(ContractSample.answer(#"{"id": "1"}"#)) == [])
    #expect(
      answering.lines(ContractSample.answer(#"{"id": "1", "password": "x"}"#)) == [
        "response /password: no write-only member, write-only member"
      ])
  }

  @Test func valuesNeverAppear() throws {
    let secret = "qz7Kd0wM4xJ9vTfB2sLrYhN"
    let contract = try ContractSample.answering(
      """
      {"properties": {"a": {"type": "integer"}, "b": {"enum": ["x"]}, "c": {"pattern": "^x"}, "d": {"format": "uuid"}, \
      "e": {"maxLength": 2}, "f": {"const": 1}, "g": {"not": {"type": "string"}}, "h": {"oneOf": [{"type": "null"}, \
      {"maxLength": 1}]}, "map": {"additionalProperties": {"type": "integer"}}, "names": {"propertyNames": {"maxLength": 3}}}, \
      "additionalProperties": false}
      """)
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"].map { #""\#($0)": "\#(secret)""# }.joined(separator: ", ")
    let body = #"{\#(names), "map": {"\#(secret)": "\#(secret)"}, "names": {"\#(secret)": 1}, "\#(secret)": 1}"#
    let drifts = contract.differences(in: ContractSample.answer(body))
    #expect(drifts.count == 11)
    #expect(!"\(drifts)".contains(secret))
  }
}

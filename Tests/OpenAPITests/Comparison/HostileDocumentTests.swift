import JSON
import Support
import Testing

@testable import OpenAPI

/// Documents and bodies that are wrong or meant to harm end in one line or in no finding, soon and without a trap.
@Suite(.timeLimit(.minutes(3))) struct HostileDocumentTests {
  private func error(_ document: String) -> String? {
    do {
      _ = try APIContract(parsing: Array(document.utf8))
      return nil
    } catch { return "\(error)" }
  }

  private func error(components: String) -> String? {
    error(#"{"openapi": "3.1.0", "paths": {}, "components": {"schemas": \#(components)}}"#)
  }

  @Test func whatIsNoDocumentIsRefusedInOneLine() {
    #expect(error("") == "The document is not an OpenAPI document: it has no openapi member.")
    #expect(error("<html>") == "The document is not an OpenAPI document: it has no openapi member.")
    #expect(error(#"{"a": 1}"#) == "The document is not an OpenAPI document: it has no openapi member.")
    #expect(error(#"{"swagger": "2.0"}"#) == "Swagger 2.0 is not supported; the document must be OpenAPI 3.0 or 3.1.")
    #expect(error(#"{"openapi": "4.0\n"}"#) == "OpenAPI 4.0 is not supported; the document must be OpenAPI 3.0 or 3.1.")
    #expect(error(#"{"openapi": 3}"#) == "The OpenAPI document is invalid at #/openapi: expected string.")
    #expect(error(#"{"openapi": "3.1.0", "paths": []}"#) == "The OpenAPI document is invalid at #/paths: expected object.")
    #expect(error(#"{"openapi": "#) == "The OpenAPI document is not valid JSON: it ends too early, at byte 12.")
  }

  @Test func anErrorOfYAMLNamesItsPlace() {
    #expect(
      error("openapi: 3.1.0\npaths: {}\npaths: {}\n")
        == "The OpenAPI document cannot be read as YAML: duplicate key paths, at line 2, column 1.")
    #expect(
      error("openapi: 3.1.0\ninfo:\n  title: !!str x\n")
        == "The OpenAPI document cannot be read as YAML: tags (!) are not supported, at line 3, column 10.")
    #expect(
      error("# An API\n'openapi': 3.1.0\npaths:\n  /a: {x: .inf}\n")
        == "The OpenAPI document cannot be read as YAML: a number is infinite or not a number, at line 4, column 11.")
    #expect(
      error("openapi: 3.1.0\npaths:\n  - /a\n")
        == "The OpenAPI document is invalid at #/paths: expected object, at line 3, column 3.")
    #expect(error("openapi: 3.1\n") == "The OpenAPI document is invalid at #/openapi: expected string, at line 1, column 10.")
    #expect(
      error("openapi: 3.0.0\npaths:\n  /a:\n    get:\n      responses:\n        200: {$ref: '#/x'}\n")
        == "The OpenAPI document has no #/x, which #/paths/~1a/get/responses/200 refers to, at line 6, column 14.")
    #expect(error("swagger: '2.0'\n") == "Swagger 2.0 is not supported; the document must be OpenAPI 3.0 or 3.1.")
  }

  @Test func aReferenceToNothingIsRefused() {
    #expect(
      error(components: ##"{"A": {"properties": {"b": {"$ref": "#/components/schemas/B"}}}}"##)
        == "The OpenAPI document has no #/components/schemas/B, which #/components/schemas/A/properties/b refers to.")
    #expect(
      error(##"{"openapi": "3.0.0", "paths": {"/a": {"get": {"responses": {"200": {"$ref": "#/components/responses/X"}}}}}}"##)
        == "The OpenAPI document has no #/components/responses/X, which #/paths/~1a/get/responses/200 refers to.")
  }

  @Test(arguments: [
    ##"{"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}}"##,
    ##"{"A": {"$ref": "#/components/schemas/A"}}"##,
    ##"{"A": {"allOf": [{"type": "object"}, {"anyOf": [{"$ref": "#/components/schemas/A"}]}]}}"##,
    ##"{"A": {"if": true, "then": {"not": {"$ref": "#/components/schemas/A"}}}}"##,
  ]) func aCircleWithoutStructureIsRefused(components: String) {
    #expect(
      error(components: components)?.hasPrefix("The OpenAPI document is circular: the schema at #/components/schemas/A") == true)
  }

  @Test func aCircleOfReferenceObjectsIsRefused() {
    #expect(
      error(
        ##"{"openapi": "3.0.0", "paths": {"/a": {"$ref": "#/paths/~1b"}, "/b": {"$ref": "#/paths/~1a"}}}"##)?.contains("circular")
        == true)
  }

  @Test func aCircleThroughMembersIsCompared() throws {
    let contract = try ContractSample.answering(
      ##"{"$ref": "#/components/schemas/Tree"}"##,
      components: ##"{"schemas": {"Tree": {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Tree"}}}}}"##)
    let body = String(repeating: #"{"next":"#, count: 40) + "1" + String(repeating: "}", count: 40)
    #expect(contract.lines(ContractSample.answer(body)) == ["response \(String(repeating: "/next", count: 40)): object, integer"])
  }

  @Test func externalReferencesAndBadPatternsAreNotedAndIgnored() throws {
    let contract = try ContractSample.answering(
      ##"{"properties": {"a": {"$ref": "other.json#/A"}, "b": {"pattern": "(", "type": "string"}}}"##)
    #expect(contract.notes.count == 2)
    #expect(contract.notes.contains { $0.hasPrefix("The external reference at #/paths/~1thing/get") })
    #expect(contract.notes.contains { $0.hasPrefix("The regular expression at #/paths/~1thing/get") })
    #expect(contract.lines(ContractSample.answer(#"{"a": 1, "b": "x"}"#)) == [])
    #expect(contract.lines(ContractSample.answer(#"{"a": 1, "b": 2}"#)) == ["response /b: string, integer"])
  }

  @Test(.enabled(if: MeasuredTime.isMeasured)) func manyAnchorsAndResourcesEndSoon() {
    let refused = "The OpenAPI document has more than 10000 $id or $dynamicAnchor keywords, or one that is too long."
    func schemas(_ count: Int, _ members: (Int) -> String) -> String {
      "{" + (0..<count).map { "\"S\($0)\": {\(members($0))}" }.joined(separator: ",") + "}"
    }
    let isSoon = MeasuredTime.isWithin(.seconds(30)) {
      #expect(error(components: schemas(9000) { #""$dynamicAnchor": "a\#($0)""# }) == nil)
      #expect(
        error(components: schemas(9000) { ##""$id": "r\##($0)", "$dynamicAnchor": "a", "items": {"$dynamicRef": "#a"}"## }) == nil
      )
      #expect(error(components: schemas(190_000) { #""$dynamicAnchor": "a\#($0)""# }) == refused)
      #expect(error(components: schemas(100_000) { #""$id": "r\#($0)""# }) == refused)
      #expect(error(components: schemas(1) { _ in #""$id": "\#(String(repeating: "r", count: 5000))""# }) == refused)
    }
    #expect(isSoon)
  }

  @Test func notesAndErrorsAreShortLines() throws {
    // One character of many scalars.
    let name = #"a\nb\u2028"# + String(repeating: #"\u0301"#, count: 100_000)
    let contract = try ContractSample.answering(##"{"properties": {"\##(name)": {"$ref": "other.json"}}}"##)
    let note = try #require(contract.notes.first)
    #expect(contract.notes.count == 1)
    #expect(note.hasPrefix("The external reference at #/paths/~1thing/get") && note.hasSuffix(" is not compared."))
    #expect(note.unicodeScalars.count <= 300 && !note.contains(where: \.isNewline))
    let line = try #require(error(components: ##"{"A": {"properties": {"\##(name)": {"$ref": "#/\##(name)"}}}}"##))
    #expect(line.unicodeScalars.count <= 700 && !line.contains(where: \.isNewline))
  }

  @Test func aReferenceThatIsUsedOftenIsNotedOnce() throws {
    let responses = (400..<500).map { ##""\##($0)": {"$ref": "#/components/responses/R"}"## }.joined(separator: ",")
    let contract = try ContractSample.contract(
      #"{"/a": {"get": {"responses": {\#(responses)}}}}"#,
      components: ##"{"responses": {"R": {"$ref": "common.json#/R"}}}"##)
    #expect(contract.notes == ["The external reference at #/components/responses/R is not compared."])
  }

  @Test func whatAnotherDocumentDescribesIsKnownButNotCompared() throws {
    let contract = try ContractSample.contract(
      ##"""
      {"/users/{id}": {"$ref": "paths.json#/user"}, "/things": {"parameters": [{"$ref": "#/components/parameters/Page"}], "post": {
        "requestBody": {"$ref": "common.json#/Thing"}, "responses": {"200": {"$ref": "common.json#/Thing"},
        "4XX": {"$ref": "common.json#/Problem"}}}}, "/plain": {"post": {"responses": {}}}}
      """##, components: ##"{"parameters": {"Page": {"$ref": "common.json#/Page"}}}"##)
    func lines(_ method: String, _ path: String, _ status: Int, query: String? = nil, body: String = "{}") -> [String] {
      contract.lines(
        ObservedExchange(
          method: method, path: path, query: query, requestHeaders: ContractSample.json, requestBody: Array(body.utf8),
          status: status, responseHeaders: ContractSample.json, responseBody: Array("{}".utf8)))
    }
    #expect(lines("DELETE", "/users/7", 418) == [])
    #expect(lines("POST", "/things", 200, query: "page=2") == [])
    #expect(lines("POST", "/things", 400, body: "") == [])
    #expect(lines("POST", "/things", 500) == ["response status: status 200 or 4XX, undocumented status 500"])
    #expect(lines("POST", "/plain", 200, query: "page=2").count == 3)
    #expect(lines("GET", "/users", 200) == ["request operation: a documented path, no such operation"])
    #expect(contract.notes.count == 5)
  }

  @Test func aDocumentMayBeDeepToALimit() {
    func nested(_ depth: Int) -> String {
      String(repeating: #"{"items":"#, count: depth) + "true" + String(repeating: "}", count: depth)
    }
    #expect(error(components: #"{"A": \#(nested(500))}"#) == nil)
    #expect(error(components: #"{"A": \#(nested(600))}"#)?.contains("nested too deeply") == true)
  }

  @Test func aDeepBodyNeitherTrapsNorDiffers() throws {
    let contract = try ContractSample.answering(
      ##"{"$ref": "#/components/schemas/A"}"##,
      components: ##"{"schemas": {"A": {"type": "array", "items": {"allOf": [{"$ref": "#/components/schemas/A"}]}}}}"##)
    for depth in [60, 100, 5000] {
      let body = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      #expect(contract.lines(ContractSample.answer(body)) == [])
    }
  }

  @Test(.enabled(if: MeasuredTime.isMeasured)) func tenMegabytesAreRead() throws {
    let member =
      #"{"type": "object", "description": "\#(String(repeating: "x", count: 80))", "properties": {"a": {"type": "string"}}}"#
    let schemas = (0..<60_000).map { #""S\#($0)": \#(member)"# }.joined(separator: ",\n")
    let references = (0..<20_000).map { ##""R\##($0)": {"$ref": "#/components/schemas/S\##($0)"}"## }.joined(separator: ",\n")
    let document = #"{"openapi": "3.1.0", "paths": {}, "components": {"schemas": {\#(schemas), \#(references)}}}"#
    #expect(document.utf8.count > 10 << 20)
    let isSoon = MeasuredTime.isWithin(.seconds(60)) {
      #expect(error(document) == nil)
    }
    #expect(isSoon)
  }

  @Test func limitsOfADocumentAreKept() {
    let many = (0...APIContract.maximumSchemas).map { #""S\#($0)":{}"# }.joined(separator: ",")
    #expect(error(components: "{\(many)}")?.contains("too many values, schemas") == true)
    #expect(error("[" + String(repeating: "[],", count: 10)) != nil)
    #expect(
      error(#"{"a":[\#(String(repeating: "0,", count: APIContract.maximumValues))0]}"#)?.contains("too many values, schemas")
        == true)
    #expect(error("{" + String(repeating: " ", count: APIContract.maximumBytes))?.contains("larger than 32 MiB") == true)
  }

  @Test(arguments: [
    // 2^n applications of the same schema.
    ##"{"allOf": [{"properties": {"a": {"$ref": "#/components/schemas/A"}}}, {"properties": {"a": {"$ref": "#/components/schemas/A"}}}]}"##,
    ##"{"anyOf": [{"properties": {"a": {"$ref": "#/components/schemas/A"}}, "required": ["b"]}, {"properties": {"a": {"$ref": "#/components/schemas/A"}}}]}"##,
    ##"{"oneOf": [{"required": ["z"]}, {"unevaluatedProperties": {"$ref": "#/components/schemas/A"}}, {"properties": {"a": {"$ref": "#/components/schemas/A"}}}]}"##,
  ]) func explodingSchemasEndSoon(schema: String) throws {
    let contract = try ContractSample.answering(
      ##"{"$ref": "#/components/schemas/A"}"##, components: #"{"schemas": {"A": \#(schema)}}"#)
    let body = String(repeating: #"{"a":"#, count: 60) + "1" + String(repeating: "}", count: 60)
    let isSoon = MeasuredTime.isWithin(.seconds(5)) {
      _ = contract.differences(in: ContractSample.answer(body))
    }
    #expect(isSoon)
  }

  @Test func explodingPatternsAndEqualElementsEndSoon() throws {
    let contract = try ContractSample.answering(
      #"{"uniqueItems": true, "items": {"pattern": "^(a+)+$"}, "contains": {"const": {"a": [1, 2]}}}"#)
    let element = "\"\(String(repeating: "a", count: 40))!\""
    let body = "[" + (0..<20_000).map { #"\#(element), {"a": [1, \#($0)]}"# }.joined(separator: ",") + "]"
    let isSoon = MeasuredTime.isWithin(.seconds(10)) {
      _ = contract.differences(in: ContractSample.answer(body))
    }
    #expect(isSoon)
  }

  @Test func manyParametersShareTheirSteps() throws {
    let parameter = #"{"name": "X-A", "in": "header", "schema": {"type": "string", "pattern": "^(a+)+$"}}"#
    let parameters = Array(repeating: parameter, count: 20_000).joined(separator: ",")
    let contract = try ContractSample.contract(#"{"/a": {"get": {"responses": {}, "parameters": [\#(parameters)]}}}"#)
    let isSoon = MeasuredTime.isWithin(.seconds(5)) {
      _ = contract.differences(
        in: ObservedExchange(method: "GET", path: "/a", requestHeaders: [("X-A", String(repeating: "a", count: 60) + "!")]))
    }
    #expect(isSoon)
  }

  @Test func manyRulesOfEmptyObjectsEndSoon() throws {
    let empty = Array(repeating: "{}", count: 20_000).joined(separator: ",")
    let names = (0..<20_000).map { "\"n\($0)\"" }.joined(separator: ",")
    let patterns = (0..<5_000).map { "\"(\($0)\": {}" }.joined(separator: ",")
    let contract = try ContractSample.answering(
      """
      {"items": {"anyOf": [\(empty)], "unevaluatedProperties": false, "required": [\(names)], "patternProperties": {\(patterns)}}}
      """)
    let isSoon = MeasuredTime.isWithin(.seconds(5)) {
      _ = contract.differences(in: ContractSample.answer("[\(Array(repeating: "{}", count: 20_000).joined(separator: ","))]"))
    }
    #expect(isSoon)
  }

  @Test func extremeNumbersDoNotTrap() throws {
    let contract = try ContractSample.answering(
      #"{"items": {"multipleOf": 0.01, "minimum": -1e400, "maximum": 1e999999999999999999999, "type": "integer", "minLength": 1e99}}"#
    )
    let numbers = [
      "1e999999999999999999999", "-1e-999999999999999999999", "9223372036854775808", "-9223372036854775808", "1e400", "0e0",
    ]
    #expect(
      contract.lines(ContractSample.answer("[\(numbers.joined(separator: ","))]")) == ["response /1: integer, number"])
  }

  @Test func findingsAreBounded() throws {
    let contract = try ContractSample.answering(#"{"additionalProperties": false, "items": {"type": "string"}}"#)
    let members = (0..<500).map {
      "\"\(String(UnicodeScalar(UInt8(97 + $0 % 26))))\(String(repeating: "x", count: $0 / 26))\": 1"
    }
    #expect(contract.differences(in: ContractSample.answer("{\(members.joined(separator: ","))}")).count <= 50)
    let elements = String(repeating: "1,", count: 1000) + "1"
    #expect(contract.lines(ContractSample.answer("[\(elements)]")) == ["response /0: string, integer"])
  }
}

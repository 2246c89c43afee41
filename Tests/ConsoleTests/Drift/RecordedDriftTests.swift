import HTTPTypes
import JSON
import Observability
import OpenAPI
import Redaction
import Support
import Testing

@testable import Console

/// Rows of files, compared with a document.
@Suite struct RecordedDriftTests {
  private static let document = """
    openapi: 3.0.3
    info: {title: Things, version: "1"}
    paths:
      /users/{id}:
        get:
          responses:
            200:
              description: d
              content:
                application/json:
                  schema:
                    type: object
                    required: [id]
                    properties: {id: {type: integer}, email: {type: string, maxLength: 5}, "@type": {type: string}}
            404: {description: d}
      /users:
        post: {requestBody: {required: true, content: {application/json: {}}}, responses: {201: {description: d}}}
    """

  private static func entry(_ method: String, _ url: String, _ status: Int, _ body: String, headers: String = "") -> String {
    #"""
    {"request": {"method": "\#(method)", "url": "\#(url)", "headers": [\#(headers)]}, "response": {"status": \#(status), "headers": \#
    [{"name": "Content-Type", "value": "application/json"}], "content": {"text": "\#(body.replacing("\"", with: "\\\""))"}}}
    """#
  }

  private static func drift(_ entries: [String]) throws -> RecordedDrift {
    let folder = try TemporaryFolder()
    let path = try folder.write(#"{"log": {"entries": [\#(entries.joined(separator: ","))]}}"#, to: "a.har")
    var drift = RecordedDrift(try APIContract(parsing: Array(document.utf8)))
    let file = try #require(FileBytes(path: path))
    _ = try ImportedFile.rows(of: file, rules: RedactionRules(masking: []), tagKey: [1]) {
      drift.add($0, id: "\($0.row.seq.number)")
    }
    return drift
  }

  @Test func rowsAreComparedByOperation() throws {
    let drift = try Self.drift([
      Self.entry("GET", "https://api.example/users/1", 200, #"{"id":1,"email":"dana@example.com"}"#),
      Self.entry("GET", "https://api.example/users/2", 200, #"{"id":"x","@type":1}"#),
      Self.entry("GET", "https://cdn.example/a.js", 200, ""), "{}",
      Self.entry("GET", "https://api.example/users/3", 200, #"{"id":"y"}"#),
      Self.entry("DELETE", "https://api.example/users/3", 204, ""),
      Self.entry(
        "OPTIONS", "https://api.example/users", 204, "", headers: #"{"name": "Access-Control-Request-Method", "value": "POST"}"#),
      // The file does not have the body that was sent.
      Self.entry("POST", "https://api.example/users", 201, "", headers: #"{"name": "content-length", "value": "2"}"#),
    ])
    #expect(drift.compared == 5 && drift.drifted == 3 && drift.elsewhere == 1)
    let endpoints = drift.summary.endpoints
    #expect(endpoints.map { "\($0.method) \($0.endpoint) \($0.rows)" } == ["DELETE /users/3 1", "GET /users/{id} 2"])
    let differences = endpoints.last?.differences ?? []
    #expect(differences.map { "\($0.drift.pointer) \($0.count) \($0.lastRowID)" } == ["/id 2 5", "/@type 1 2"])
    #expect(drift.coverage.usedOperations == 2 && drift.coverage.usedResponses == 2 && drift.coverage.responseCount == 3)
  }

  @Test func headersThatWereNotRecordedAreNotMissing() throws {
    let entry = Self.entry("GET", "https://api.example/users/1", 200, #"{"id":1}"#)
      .replacing(#"{"name": "Content-Type", "value": "application/json"}"#, with: "")
    #expect(try Self.drift([entry]).drifted == 0)
    #expect(try Self.drift([entry.replacing(#"\"id\":1"#, with: "")]).drifted == 1)
  }

  @Test func aFileWithoutAnyOperationOfTheDocumentIsAllDrift() throws {
    let drift = try Self.drift([
      Self.entry("GET", "https://api.example/x", 200, "{}"), Self.entry("GET", "https://b.example/y", 200, "{}"),
    ])
    #expect(drift.compared == 2 && drift.drifted == 2 && drift.elsewhere == 0 && drift.coverage.usedOperations == 0)
  }

  @Test func anImportIsComparedWithTheConsolesDocument() async throws {
    let detector = DriftDetector(source: "api.yaml")
    let harness = try await ConsoleHarness(drift: detector)
    let caller = try await harness.caller()
    let entries = [
      Self.entry("GET", "https://api.example/users/2", 200, #"{"id":"x"}"#),
      Self.entry("GET", "https://api.example/users/3", 404, "{}"),
    ]
    let imported = await harness.call(
      .post, "/api/recordings/import", #"{"log": {"entries": [\#(entries.joined(separator: ","))]}}"#, as: caller)
    let id = try #require(imported.json?["id"]?.string)
    let path = "/api/recordings/\(id)/drift"
    #expect(await harness.call(.get, path, as: caller).json?["document"]?["state"]?.string == "loading")
    detector.start(try APIContract(parsing: Array(Self.document.utf8)))
    let answer = try #require(await harness.call(.get, path, as: caller).json)
    #expect(answer["document"]?["title"]?.string == "Things" && answer["compared"]?.int64 == 2 && answer["drifted"]?.int64 == 1)
    let endpoint = try #require(answer["endpoints"]?.elements.first)
    #expect(endpoint["endpoint"]?.string == "/users/{id}" && endpoint["path"]?.string == "/users/2")
    let row = try #require(endpoint["differences"]?.elements.first?["last_row_id"]?.string)
    #expect(await harness.call(.get, "/api/recordings/\(id)/network/\(row)", as: caller).status == 200)
    let coverage = try #require(answer["coverage"])
    #expect(coverage["operations"]?.int64 == 2 && coverage["seen_operations"]?.int64 == 1)
    #expect(coverage["responses"]?.int64 == 3 && coverage["seen_responses"]?.int64 == 2)
    #expect(await harness.call(.get, "/api/recordings/unknown/drift", as: caller).status == 404)
  }
}

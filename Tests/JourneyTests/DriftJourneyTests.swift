import Foundation
import JSON
import Support
import Testing

/// The comparison with an OpenAPI document, as people and build servers see it.
@Suite(.timeLimit(.minutes(3)), .serialized) struct DriftJourneyTests {
  /// The document of the reference backend, which its tests keep in step with the backend.
  private static let own = "Tests/Baselines/swagger.json"

  /// The same document, except that it requires a member of `GET /rpc/me` that no answer has.
  private static func other(in folder: TemporaryFolder) throws -> String {
    let content = try Data(contentsOf: URL(fileURLWithPath: own))
    var document = try #require(try JSONSerialization.jsonObject(with: content) as? [String: Any])
    var components = try #require(document["components"] as? [String: Any])
    var schemas = try #require(components["schemas"] as? [String: Any])
    var me = try #require(schemas["Me"] as? [String: Any])
    var properties = try #require(me["properties"] as? [String: Any])
    properties["user_id"] = ["type": "integer"]
    properties["badge_number"] = ["type": "string"]
    me["properties"] = properties
    me["required"] = try #require(me["required"] as? [String]) + ["badge_number"]
    schemas["Me"] = me
    components["schemas"] = schemas
    document["components"] = components
    let bytes = try JSONSerialization.data(withJSONObject: document, options: [.prettyPrinted, .sortedKeys])
    return try folder.write(String(decoding: bytes, as: UTF8.self), to: "other.json")
  }

  /// Calls the console until the answer fits, since the comparison runs behind the calls.
  private func wait(_ browser: ConsoleBrowser, _ target: String, until fits: (JSONNode) -> Bool) throws -> JSONNode? {
    var json: JSONNode?
    let isFitting = try OwnThread.wait {
      json = try browser.call("GET", target).json
      return json.map(fits) ?? false
    }
    return isFitting ? json : nil
  }

  @Test func theReferenceBackendAnswersAsItsOwnDocumentSays() async throws {
    try await OwnThread.run {
      let (status, error, output) = try ConsoleProcess.run(["check", "--openapi", Self.own, "--format", "json"])
      #expect(status == 0, "\(error)\(output)")
      let drift = try #require(try JSONDocument(parsing: Array(output.utf8)).root["drift"])
      #expect(drift["endpoints"]?.count == 0, "\(drift.sourceText)")
      #expect(drift["compared"]?.int64 ?? 0 > 100 && drift["dropped"]?.int64 == 0)
      #expect(drift["document"]?["operations"]?.int64 ?? 0 >= 16)
    }
  }

  @Test func aDocumentThatDiffersFailsTheRunUnlessThatIsAllowed() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let other = try Self.other(in: folder)
      let text = try ConsoleProcess.run(["check", "--openapi", other])
      #expect(text.status == 1 && text.output.contains(" 0 failed, "), "\(text.error)\(text.output)")
      #expect(text.output.contains("  GET /rpc/me, rows: "))
      #expect(text.output.contains("    response /user_id: expected integer"))

      let allowed = try ConsoleProcess.run(["check", "--openapi", other, "--allow-drift"])
      #expect(allowed.status == 0 && allowed.output.contains(", which is allowed"), "\(allowed.output)")
    }
  }

  @Test func theConsoleShowsDriftOnTheRowAndByEndpoint() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let console = try ConsoleProcess(data: folder.file("data"), arguments: ["--openapi", try Self.other(in: folder)])
      let browser = ConsoleBrowser(port: console.port)
      try browser.makeDevice()
      try browser.signIn("dana@example.com")
      #expect(try browser.call("GET", "/api/account").status == 200)
      let drift = try #require(try wait(browser, "/api/drift") { $0["endpoints"]?.count == 1 })
      #expect(drift["document"]?["state"]?.string == "comparing" && drift["document"]?["source"]?.string == "other.json")
      let endpoint = try #require(drift["endpoints"]?.elements.first)
      #expect(endpoint["path"]?.string == "/rpc/me" && endpoint["method"]?.string == "GET")
      let found = endpoint["differences"]?.elements.map { [$0["kind"]?.string, $0["pointer"]?.string] } ?? []
      #expect(found.contains(["invalid", "/user_id"]) && found.contains { $0.first == "missing" }, "\(endpoint.sourceText)")
      let rows = try browser.call("GET", "/api/network?drift=any").json?["events"]?.elements ?? []
      #expect(!rows.isEmpty && rows.allSatisfy { $0["path"]?.string == "/rpc/me" && $0["drift"]?.count ?? 0 > 0 })
      #expect(try browser.call("GET", "/api/network?q=drift:missing").json?["events"]?.count == rows.count)
      #expect(!endpoint.sourceText.contains("dana"))
      #expect(console.end(by: SIGTERM) == 0)
    }
  }

  @Test func withoutAFlagTheBackendsOwnDocumentIsCompared() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let console = try ConsoleProcess(data: folder.path)
      let browser = ConsoleBrowser(port: console.port)
      try browser.makeDevice()
      try browser.signIn("dana@example.com")
      #expect(try browser.call("GET", "/api/account").status == 200)
      let drift = try #require(try wait(browser, "/api/drift") { $0["compared"]?.int64 ?? 0 >= 4 })
      #expect(drift["document"]?["state"]?.string == "comparing", "\(drift.sourceText)")
      #expect(drift["document"]?["source"]?.string?.hasSuffix("/swagger.json") == true)
      #expect(drift["endpoints"]?.count == 0, "\(drift.sourceText)")
      #expect(console.end(by: SIGTERM) == 0)
    }
  }

  @Test func aURLThatFailsDoesNotKeepTheConsoleFromWorking() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let console = try ConsoleProcess(
        data: folder.path, arguments: ["--openapi", "http://127.0.0.1:1/api.json?key=of-somebody"])
      let browser = ConsoleBrowser(port: console.port)
      try browser.makeDevice()
      let drift = try #require(try wait(browser, "/api/drift") { $0["document"]?["state"]?.string == "none" })
      #expect(drift["document"]?["reason"]?.string == "unreachable")
      #expect(drift["document"]?["source"]?.string == "http://127.0.0.1:1/api.json")
      #expect(try browser.signIn("dana@example.com").status == 200)
      #expect(console.end(by: SIGTERM) == 0)
      #expect(console.log.contains("calls are not compared with an OpenAPI document") && !console.log.contains("of-somebody"))
    }
  }

  @Test func aConsolesOwnDescriptionIsFetchedFromThisMachine() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let other = try TemporaryFolder()
      let first = try ConsoleProcess(data: other.path)
      let url = "http://127.0.0.1:\(first.port)/api/openapi.json"
      let console = try ConsoleProcess(data: folder.path, arguments: ["--openapi", url])
      let browser = ConsoleBrowser(port: console.port)
      try browser.makeDevice()
      #expect(try browser.call("POST", "/api/login/code", #"{"identifier":"dana@example.com"}"#).status == 202)
      // The backend's calls are not in this document.
      let drift = try #require(try wait(browser, "/api/drift") { $0["endpoints"]?.count ?? 0 > 0 })
      #expect(drift["document"]?["source"]?.string == url)
      let differences = drift["endpoints"]?.elements.flatMap { $0["differences"]?.elements ?? [] } ?? []
      #expect(differences.allSatisfy { $0["kind"]?.string == "undocumented" }, "\(drift.sourceText)")
      #expect(console.end(by: SIGTERM) == 0 && first.end(by: SIGTERM) == 0)
    }
  }

  @Test(arguments: ["serve", "check"])
  func aFileThatIsNoDocumentEndsWithOneClearLine(command: String) async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      for content in ["", "openapi: [3.1.0", "swagger: 2.0", #"{"swagger":"2.0"}"#, #"{"paths":{}}"#] {
        let file = try folder.write(content, to: "api.json")
        let (status, error, output) = try ConsoleProcess.run([command, "--openapi", file])
        #expect(status == 66 && output.isEmpty, "\(content)")
        #expect(error.split(separator: "\n").count == 1 && error.hasPrefix("understudy: --openapi: "), "\(error)")
      }
      let missing = try ConsoleProcess.run([command], environment: ["UNDERSTUDY_OPENAPI": folder.file("nothing.json")])
      #expect(missing.status == 66 && missing.error.contains("--openapi"))
    }
  }
}

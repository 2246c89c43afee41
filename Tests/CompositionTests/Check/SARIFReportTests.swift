import Console
import Foundation
import HTTPTypes
import JSON
import Testing

@testable import Composition
@testable import Observability
@testable import Redaction

/// What OASIS SARIF 2.1.0 requires of the members that reports use, read from the specification.
@Suite struct SARIFReportTests {
  static let document = """
    {
      "openapi": "3.1.0",
      "info": {"title": "Staging <&>", "version": "7"},
      "paths": {
        "/rpc/me": {
          "get": {"responses": {}}
        },
        "/users/{id}": {
          "post": {"responses": {}}
        }
      }
    }
    """

  static func file(_ path: String = "docs/my api.json") throws -> OpenAPIFile {
    try OpenAPIFile(path: path, name: "my api.json", bytes: Array(document.utf8))
  }

  private static func drift(_ kind: NetworkDrift.Kind, _ pointer: String, side: NetworkDrift.Side = .response) -> NetworkDrift {
    NetworkDrift(side: side, pointer: pointer, expected: "string", got: kind == .missing ? "missing" : "number", kind: kind)
  }

  /// A summary as a log makes it.
  static func summary() throws -> DriftSummary {
    let log = NetworkLog(capacity: 10, bodyBytes: 0, registry: SecretRegistry(tagKey: [1])) { _ in }
    func add(_ path: String, _ drift: [NetworkDrift]) {
      let request = RawRequest(
        method: path == "/rpc/me" ? .get : .post, origin: "https://b.example", path: path,
        endpoint: EndpointTraits(name: path == "/rpc/me" ? "me" : path, isAuthentication: false))
      let id = log.begin(request, of: AttemptOrigin(callID: "c", flowID: "f", flow: "f", startedAt: Date()))
      log.setDrift(drift, count: drift.count, of: id)
    }
    add("/rpc/me", [drift(.invalid, "/profiles/0/id"), drift(.missing, "", side: .request)])
    add("/rpc/me", [drift(.invalid, "/profiles/4/id")])
    add("/api/users/17", [drift(.undocumented, "status")])
    return log.driftSummary
  }

  static func report(_ file: OpenAPIFile, isAllowed: Bool = false) throws -> CheckReport {
    var report = ReportTests.report
    report.drift = DriftReport(file, try summary(), ExchangeComparer.Counts(), isAllowed: isAllowed)
    return report
  }

  private func run(_ text: String) throws -> JSONNode {
    let root = try JSONDocument(parsing: Array(text.utf8)).root
    #expect(root["version"]?.string == "2.1.0")
    #expect(root["$schema"]?.string?.hasSuffix("/sarif-schema-2.1.0.json") == true)
    #expect(root["runs"]?.count == 1)
    return try #require(root["runs"]?.elements.first)
  }

  @Test func theLogHasWhatTheSpecificationRequires() throws {
    let file = try Self.file()
    let run = try run(SARIFReport(Self.report(file), file: file).text)
    // §3.14.6, §3.18.2, §3.19.8: a tool with a driver with a name.
    let driver = try #require(run["tool"]?["driver"])
    #expect(driver["name"]?.string == "Understudy" && driver["version"]?.string == Version.text)
    // §3.49.3: each rule has an ID, which is unique within the driver.
    let rules = (driver["rules"]?.elements ?? []).map { $0["id"]?.string ?? "" }
    #expect(Set(rules).count == rules.count && rules.contains("drift-missing"))
    // §3.20.14: an invocation says whether it succeeded.
    #expect(run["invocations"]?.elements.first?["executionSuccessful"]?.bool == true)
    let results = run["results"]?.elements ?? []
    #expect(results.count == 4)
    for result in results {
      // §3.27.11, §3.11.8: a result has a message, which has a text.
      #expect(result["message"]?["text"]?.string?.isEmpty == false)
      // §3.27.5, §3.27.6: the index leads to the rule with the ID.
      let index = try #require(result["ruleIndex"]?.int64)
      #expect(rules[Int(index)] == result["ruleId"]?.string)
      #expect(["none", "note", "warning", "error"].contains(result["level"]?.string))
      #expect(result["occurrenceCount"]?.int64 ?? 0 >= 1)
      for location in result["locations"]?.elements ?? [] {
        guard let physical = location["physicalLocation"] else { continue }
        // §3.4.5: the index leads to the artifact with the same URI.
        let artifact = try #require(physical["artifactLocation"]?["index"]?.int64)
        #expect(
          run["artifacts"]?.elements[Int(artifact)]["location"]?["uri"]?.string == physical["artifactLocation"]?["uri"]?.string)
        // §3.30.5: lines begin at 1.
        if let line = physical["region"]?["startLine"]?.int64 { #expect(line >= 1) }
      }
    }
    let fingerprints = results.map { $0["partialFingerprints"]?["understudy/v1"]?.string ?? "" }
    #expect(Set(fingerprints).count == results.count && !fingerprints.contains(""))
  }

  @Test func aDifferenceLeadsToItsOperationInTheDocument() throws {
    let file = try Self.file()
    let results = try run(SARIFReport(Self.report(file), file: file).text)["results"]?.elements ?? []
    let places = results.map { result in
      let location = result["locations"]?.elements.first
      let physical = location?["physicalLocation"]
      return [
        result["ruleId"]?.string, physical?["artifactLocation"]?["uri"]?.string,
        physical?["region"]?["startLine"]?.int64.map(String.init),
        location?["logicalLocations"]?.elements.last?["fullyQualifiedName"]?.string,
        result["occurrenceCount"]?.int64.map(String.init),
      ]
    }
    #expect(
      places == [
        ["check-failed", nil, nil, "account/account", "1"],
        ["drift-undocumented", "docs/my%20api.json", "9", "POST /api/users/17 response status", "1"],
        ["drift-invalid", "docs/my%20api.json", "6", "GET /rpc/me response /profiles/*/id", "2"],
        ["drift-missing", "docs/my%20api.json", "6", "GET /rpc/me request ", "1"],
      ])
    #expect(results.last?["message"]?["text"]?.string == "GET /rpc/me: request: expected string, got missing")
  }

  @Test func whatIsAllowedIsAWarning() throws {
    let file = try Self.file("https://b.example/api.json")
    let results = try run(SARIFReport(Self.report(file, isAllowed: true), file: file).text)["results"]?.elements ?? []
    #expect(results.map { $0["level"]?.string } == ["error", "warning", "warning", "warning"])
    let physical = results.last?["locations"]?.elements.first?["physicalLocation"]
    #expect(physical?["artifactLocation"]?["uri"]?.string == "https://b.example/api.json")
  }

  @Test func withoutADocumentOnlyChecksAreReported() throws {
    let run = try run(SARIFReport(ReportTests.report, file: nil).text)
    #expect(run["artifacts"] == nil && run["results"]?.count == 1)
  }

  @Test func theOtherReportsNameDriftToo() throws {
    let file = try Self.file()
    let report = try Self.report(file)
    #expect(!report.hasPassed)
    let json = try JSONDocument(parsing: Array(JSONReport(report).text.utf8)).root
    #expect(json["drift"]?["document"]?["title"]?.string == "Staging <&>" && json["drift"]?["allowed"]?.bool == false)
    let endpoint = json["drift"]?["endpoints"]?.elements.last
    #expect(endpoint?["path"]?.string == "/rpc/me" && endpoint?["rows"]?.int64 == 2)
    #expect(endpoint?["differences"]?.elements.map { $0["pointer"]?.string } == ["/profiles/*/id", ""])

    let junit = JUnitReport(report).text
    #expect(junit.contains("tests=\"5\" failures=\"3\""))
    #expect(junit.contains("<testcase classname=\"check.drift\" name=\"GET /rpc/me\""))
    #expect(junit.contains("response /profiles/*/id: expected string, got number (rows: 2)"))

    let text = TextReport(isColoured: false).footer(report)
    #expect(text.contains("Compared with Staging <&> 7 (docs/my api.json): 0 exchanges, 0 with drift\n"))
    #expect(text.contains("  GET /rpc/me, rows: 2\n    response /profiles/*/id: expected string, got number, rows: 2\n"))
  }

  @Test func allowedDriftDoesNotFail() throws {
    let file = try Self.file()
    var report = try Self.report(file, isAllowed: true)
    #expect(report.drift?.hasPassed == true && !report.hasPassed, "a failed check still fails")
    #expect(JUnitReport(report).text.contains("tests=\"5\" failures=\"1\""))
    report.drift = DriftReport(file, DriftSummary(), ExchangeComparer.Counts(), isAllowed: false)
    #expect(report.drift?.hasPassed == true)
    #expect(JUnitReport(report).text.contains("<testcase classname=\"check.drift\" name=\"openapi\""))
    #expect(TextReport(isColoured: false).footer(report).contains("0 exchanges, no drift\n"))
  }
}

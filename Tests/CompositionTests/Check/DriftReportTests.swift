import Console
import Foundation
import HTTPTypes
import JSON
import Testing

@testable import Composition
@testable import Observability
@testable import Redaction

/// How reports name the differences from an OpenAPI document.
@Suite struct DriftReportTests {
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

  @Test func everyReportNamesTheDifferences() throws {
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

import Client
import HTTPTypes
import JSON
import Observability
import OpenAPI
import RPC
import Testing

@testable import Console
import Redaction

@Suite(.timeLimit(.minutes(2))) struct DriftRoutesTests {
  /// A detector whose comparison finds a difference in each exchange of an endpoint.
  private static func detector(finding drift: NetworkDrift, in endpoint: String) -> DriftDetector {
    let detector = DriftDetector(source: "api.json")
    detector.comparer.start { $0.request.endpoint.name == endpoint ? [drift] : [] }
    return detector
  }

  private static let drift = NetworkDrift(
    side: .response, pointer: "/profiles/0/profile_id", expected: "string", got: "number", kind: .invalid)

  @Test func driftIsListedByEndpointAndOnTheRow() async throws {
    let detector = Self.detector(finding: Self.drift, in: AccountEndpoints.Me.name)
    let harness = try await ConsoleHarness(drift: detector)
    let caller = try await harness.signedIn()
    #expect(await harness.call(.get, "/api/account", as: caller).status == 200)
    // Reading the log hands over what was recorded.
    _ = await harness.call(.get, "/api/network", as: caller)
    await detector.comparer.finish()

    let rows = await harness.call(.get, "/api/network?drift=any", as: caller).json?["events"]?.elements ?? []
    #expect(!rows.isEmpty && rows.allSatisfy { $0["endpoint"]?.string == AccountEndpoints.Me.name })
    #expect(await harness.call(.get, "/api/network?q=drift:missing", as: caller).json?["events"]?.count == 0)
    #expect(await harness.call(.get, "/api/network?drift=some", as: caller).code == "invalid_request")
    let id = try #require(rows.last?["id"]?.string)
    let detail = try #require(await harness.call(.get, "/api/network/\(id)", as: caller).json)
    #expect(detail["drift"]?.elements.first?["pointer"]?.string == "/profiles/0/profile_id")
    let markdown = await harness.call(.get, "/api/network/\(id)/markdown", as: caller).body
    #expect(String(decoding: markdown, as: UTF8.self).contains("| response | `/profiles/0/profile_id` | `string` | `number` |"))

    let answer = try #require(await harness.call(.get, "/api/drift", as: caller).json)
    let endpoint = try #require(answer["endpoints"]?.elements.first)
    #expect(answer["endpoints"]?.count == 1 && endpoint["endpoint"]?.string == AccountEndpoints.Me.name)
    #expect(endpoint["method"]?.string == "GET" && endpoint["path"]?.string == AccountEndpoints.Me.path)
    #expect(endpoint["rows"]?.int64 == Int64(rows.count))
    let difference = try #require(endpoint["differences"]?.elements.first)
    #expect(difference["pointer"]?.string == "/profiles/*/profile_id" && difference["where"]?.string == "response")
    #expect(difference["count"]?.int64 == Int64(rows.count) && difference["last_row_id"]?.string == id)
    #expect(difference["first_seen_at"]?.string == rows.first?["started_at"]?.string)
    #expect(difference["last_seen_at"]?.string == rows.last?["started_at"]?.string)

    #expect(await harness.call(.delete, "/api/network", as: caller).status < 300)
    #expect(await harness.call(.get, "/api/drift", as: caller).json?["endpoints"]?.count == 0)
  }

  @Test func anotherDeviceDoesNotSeeIt() async throws {
    let detector = Self.detector(finding: Self.drift, in: AccountEndpoints.Me.name)
    let harness = try await ConsoleHarness(drift: detector)
    let caller = try await harness.signedIn()
    let other = try await harness.caller()
    _ = await harness.call(.get, "/api/account", as: caller)
    // Reading the log hands over what was recorded.
    _ = await harness.call(.get, "/api/network", as: caller)
    await detector.comparer.finish()
    #expect(await harness.call(.get, "/api/drift", as: caller).json?["endpoints"]?.count == 1)
    #expect(await harness.call(.get, "/api/drift", as: other).json?["endpoints"]?.count == 0)
    #expect(await harness.call(.get, "/api/drift", as: .init()).code == "no_device")
  }

  @Test func theSectionSaysWhatIsComparedOrWhyNothingIs() async throws {
    let detector = DriftDetector(source: "https://backend.test/swagger.json")
    let harness = try await ConsoleHarness(drift: detector)
    let caller = try await harness.caller()
    func document() async -> JSONNode? { await harness.call(.get, "/api/drift", as: caller).json?["document"] }
    #expect(await document()?["state"]?.string == "loading")
    detector.turnOff(.notPublished, detail: "status 404")
    let none = try #require(await document())
    #expect(none["state"]?.string == "none" && none["reason"]?.string == "not_published")
    #expect(none["detail"]?.string == "status 404")
    let contract = try APIContract(parsing: Array(#"{"openapi":"3.1.0","info":{"title":"T","version":"2"},"paths":{}}"#.utf8))
    detector.start(contract)
    let found = try #require(await document())
    #expect(found["state"]?.string == "comparing" && found["title"]?.string == "T")
    #expect(found["version"]?.string == "2" && found["source"]?.string == "https://backend.test/swagger.json")
  }

  @Test func aDeviceWithoutADetectorComparesNothing() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let answer = try #require(await harness.call(.get, "/api/drift", as: caller).json)
    #expect(answer["document"]?["state"]?.string == "none" && answer["compared"]?.int64 == 0)
  }

  @Test func resultsAreCountedForMonitoring() async throws {
    let detector = Self.detector(finding: Self.drift, in: AccountEndpoints.Me.name)
    let harness = try await ConsoleHarness(drift: detector)
    let caller = try await harness.signedIn()
    _ = await harness.call(.get, "/api/account", as: caller)
    // Reading the log hands over what was recorded.
    _ = await harness.call(.get, "/api/network", as: caller)
    await detector.comparer.finish()
    let counts = detector.comparer.counts
    #expect(counts.drifted > 0 && counts.compared > counts.drifted)
    let lines = String(decoding: detector.prometheusText(), as: UTF8.self).split(separator: "\n")
    #expect(lines.contains("understudy_drift_exchanges_total{result=\"drift\"} \(counts.drifted)"))
    #expect(lines.contains("understudy_drift_exchanges_total{result=\"match\"} \(counts.compared - counts.drifted)"))
    #expect(lines.contains("understudy_drift_exchanges_total{result=\"dropped\"} 0"))
  }

  @Test func aRowThatCausedATransitionIsNotNotedAgainWhenItsDriftIsFound() async throws {
    let detector = DriftDetector(source: "api.json")
    let harness = try await ConsoleHarness(drift: detector)
    let caller = try await harness.signedIn()
    let fault = #"{"name":"slow","match":{"endpoint":"\#(AccountEndpoints.Me.name)"},"action":{"kind":"latency","latency_ms":1}}"#
    #expect(await harness.call(.post, "/api/faults", fault, as: caller).status == 201)
    #expect(await harness.call(.get, "/api/account", as: caller).status == 200)
    let before = await harness.timeline(caller).count
    detector.comparer.start { _ in [Self.drift] }
    // Reading the log hands over what was recorded.
    _ = await harness.call(.get, "/api/network", as: caller)
    await detector.comparer.finish()
    let rows = await harness.call(.get, "/api/network?drift=any", as: caller).json?["events"]
    #expect(rows?.count ?? 0 > 0)
    #expect(await harness.timeline(caller).count == before)
  }
}

import FoundationEssentials
import Testing

@testable import Composition

struct FlowOutcomeTests {
  /// A failed check with its call is what a report is for, so it must survive the database.
  @Test func everyOutcomeComesBackAsItWas() throws {
    let results = [
      CheckResult(id: "a", group: "g", title: "A", outcome: .passed, duration: .milliseconds(12), call: nil),
      CheckResult(id: "b", group: "g", title: "B", outcome: .skipped("no inbox"), duration: .zero, call: nil),
      CheckResult(
        id: "c", group: "g", title: "C", outcome: .failed("a reason"), duration: .milliseconds(3), call: ReportTests.call),
    ]
    let report = CheckReport(
      backend: "https://staging.example", isEmbedded: false, startedAt: Date(timeIntervalSince1970: 0), duration: .zero,
      results: results)
    let outcome = FlowOutcome(text: try FlowOutcome(report).text)
    #expect(outcome.backend == "https://staging.example" && outcome.isEmbedded == false)
    let back = outcome.results(ofFlow: 7)
    #expect(back.map(\.id) == ["7/a", "7/b", "7/c"])
    #expect(back.map(\.outcome) == results.map(\.outcome) && back.map(\.call) == results.map(\.call))
    #expect(back.map(\.duration) == results.map(\.duration))
  }

  @Test func theBackendOfTheWorkerIsTold() throws {
    let report = CheckReport(
      backend: "https://127.0.0.1:4711", isEmbedded: true, startedAt: Date(timeIntervalSince1970: 0), duration: .zero, results: []
    )
    #expect(FlowOutcome(text: try FlowOutcome(report).text).isEmbedded == true)
    // A worker of an earlier version says nothing of it.
    let earlier = FlowOutcome(text: #"{"backend":"https://staging.example","checks":[]}"#)
    #expect(earlier.isEmbedded == nil && earlier.failure == nil)
  }

  @Test func aFlowWithoutAResultIsAFailedCheck() throws {
    for outcome in [FlowOutcome(text: "{"), FlowOutcome(text: try FlowOutcome(failure: "gone").text)] {
      let results = outcome.results(ofFlow: 3)
      #expect(results.map(\.id) == ["3/flow"] && results.first?.outcome.word == "failed")
    }
  }
}

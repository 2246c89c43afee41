import Domain
import FoundationEssentials
import HTTPTypes
import JSON
import RPC
import Storage
import Testing

@testable import Client

/// Cues of a backend that leaves members out: what the device knows stays.
@Suite(.timeLimit(.minutes(1)))
struct IncompleteCueTests {
  private static func serve(_ harness: CueHarness, _ text: String) {
    harness.harness.backend.on(CueEndpoints.GetCues.path) { _ in TransportResponse(status: 200, body: Array(text.utf8)) }
  }

  @Test func aListWithIDsAloneIsShownInItsOrder() async throws {
    let harness = try CueHarness()
    try await harness.signIn()
    let sync = await harness.sync()
    Self.serve(harness, #"{"cues":[{"cueId":"x"},{"cue_id":7,"prompt":"Bread"},{"prompt":"no id"}]}"#)
    let list = try await CueGateway.backend(sync).refresh()
    #expect(
      list.cues.map(\.cueID) == ["x", "7"] && list.cues.map(\.position) == [0, 1] && list.cues.map(\.prompt) == ["", "Bread"])
    #expect(list.cues.allSatisfy { $0.stage == .new })
    // The same list again is no news.
    harness.forgetNotices()
    _ = try await CueGateway.backend(sync).refresh()
    #expect(harness.told.isEmpty)
    await sync.stop()
  }

  @Test func whatTheDeviceKnowsFillsTheGaps() async throws {
    let harness = try CueHarness()
    try await harness.signIn()
    let sync = await harness.sync()
    let known = try await CueGateway.backend(sync).refresh().cues
    Self.serve(harness, #"{"cues":[{"cue_id":"c"},{"cue_id":"b","answer":"another"},{"cue_id":"a"}]}"#)
    let list = try await CueGateway.backend(sync).refresh().cues
    #expect(list.map(\.cueID) == known.map(\.cueID) && list.map(\.prompt) == known.map(\.prompt))
    #expect(list.map(\.updatedAt) == known.map(\.updatedAt))
    #expect(list.map(\.answer) == known.map { $0.cueID == "b" ? "another" : $0.answer })
    await sync.stop()
  }

  @Test(arguments: [#""stage":"mastered","#, "", #""stage":"learned","#])
  func theAnswerToAnEditKeepsTheCard(stage: String) async throws {
    let harness = try CueHarness()
    try await harness.signIn()
    let sync = await harness.sync()
    let known = try #require(try await CueGateway.backend(sync).refresh().cues.first { $0.cueID == "b" })
    harness.next { _, _ in
      TransportResponse(status: 200, body: Array(#"{"cueId":"b",\#(stage)"updatedAt":1700000000}"#.utf8))
    }
    guard case .reached(let cue) = try await CueGateway.backend(sync).edit("b", .mastered) else {
      Issue.record("the edit did not reach the backend")
      return
    }
    #expect(cue.stage == .mastered && cue.prompt == known.prompt && cue.answer == known.answer && cue.position == known.position)
    #expect(cue.updatedAt.timeIntervalSince1970 == 1_700_000_000)
    await sync.stop()
  }

  @Test func aListThatIsMissingRemovesNothing() async throws {
    let harness = try CueHarness()
    try await harness.signIn()
    let sync = await harness.sync()
    _ = try await CueGateway.backend(sync).refresh()
    for text in ["{}", #"{"cues":null}"#, #"{"cues":[{},{"prompt":"no id"}]}"#] {
      Self.serve(harness, text)
      await #expect(throws: CueError.failed(.unexpectedPayload)) { try await CueGateway.backend(sync).refresh() }
      #expect(try await CueGateway.backend(sync).local()?.cues.count == 3)
    }
    await sync.stop()
  }
}

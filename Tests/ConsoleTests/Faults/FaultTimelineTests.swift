import Console
import HTTPTypes
import JSON
import Observability
import Testing

/// What the timeline tells of faults: armed, acted and disarmed are three things, and a preset is one.
@Suite(.timeLimit(.minutes(2))) struct FaultTimelineTests {
  private let harness: ConsoleHarness
  private let caller: ConsoleHarness.Caller

  init() async throws {
    harness = try await ConsoleHarness()
    caller = try await harness.signedIn()
  }

  private func entries() async -> [JSONNode] {
    await harness.timeline(caller).filter { $0["kind"]?.string == "fault" }
  }

  /// What became of which fault, oldest first.
  private func story() async -> [String] {
    await entries().map { "\($0["fault_name"]?.string ?? "-") \($0["to"]?.string ?? "-")" }
  }

  private func ask(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) async -> ConsoleHarness.Answer {
    await harness.call(method, path, body, as: caller)
  }

  private func rules() async -> [String] {
    await ask(.get, "/api/faults").json?["faults"]?.elements.compactMap { $0["id"]?.string } ?? []
  }

  @Test func aFaultThatMetNoCallDidNotAct() async throws {
    #expect(await ask(.post, "/api/faults/presets/backend-error").status == 201)
    #expect(await story() == ["Backend error 500 armed"])
    let armed = try #require(await entries().first)
    #expect(armed["preset"]?.string == "backend-error" && armed["row_id"] == nil && armed["from"] == nil)
    #expect(await ask(.delete, "/api/faults").status == 204)
    #expect(await story() == ["Backend error 500 armed", "Backend error 500 removed"])
    #expect(await entries().last?["from"]?.string == "armed")
  }

  @Test func aPresetOfSeveralRulesIsArmedAndDisarmedOnce() async throws {
    #expect(await ask(.post, "/api/faults/presets/train-wifi").status == 201)
    let ids = await rules()
    try #require(ids.count == 3)
    #expect(await story() == ["Train Wi-Fi armed"])
    #expect(await ask(.patch, "/api/faults/\(ids[0])", #"{"armed":false}"#).status == 200)
    #expect(await story().count == 1, "two of its rules are still armed")
    let off = await ask(.patch, "/api/faults/presets/train-wifi", #"{"armed":false}"#)
    #expect(off.status == 200 && off.json?["faults"]?.elements.map { $0["state"]?.string } == ["off", "off", "off"])
    #expect(await ask(.patch, "/api/faults/presets/train-wifi", #"{"armed":true}"#).status == 200)
    #expect(await ask(.delete, "/api/faults/presets/train-wifi").status == 204)
    #expect(await story() == ["Train Wi-Fi armed", "Train Wi-Fi off", "Train Wi-Fi armed", "Train Wi-Fi removed"])
    #expect(await rules().isEmpty)
    #expect(await ask(.delete, "/api/faults/presets/train-wifi").status == 404)
    #expect(await ask(.patch, "/api/faults/presets/train-wifi", #"{"armed":true}"#).status == 404)
  }

  @Test func theRulesOfAPresetAreRemovedWithoutTheOthers() async throws {
    #expect(await ask(.post, "/api/faults/presets/train-wifi").status == 201)
    let own = try #require(await ask(.post, "/api/faults", #"{"name":"Own","action":{"kind":"reset"}}"#).json?["id"]?.string)
    #expect(await ask(.delete, "/api/faults/presets/train-wifi").status == 204)
    #expect(await rules() == [own])
  }

  @Test func aFaultThatActsSaysSoWithItsNameAndWhetherItIsSpent() async throws {
    let body = #"{"name":"Down","match":{"endpoint":"me"},"when":{"count":1},"action":{"kind":"status","status":403}}"#
    let id = try #require(await ask(.post, "/api/faults", body).json?["id"]?.string)
    _ = await ask(.get, "/api/profiles")
    #expect(await story() == ["Down armed", "Down acted", "Down spent"])
    let acted = try #require(await entries().dropFirst().first)
    #expect(acted["name"]?.string == id && acted["reason"]?.string != nil)
    let row = try #require(acted["row_id"]?.string)
    #expect(await ask(.get, "/api/network/\(row)").json?["fault_id"]?.string == id)
    #expect(await ask(.delete, "/api/faults/\(id)").status == 204)
    #expect(await story().last == "Down removed")
    let trace = await ask(.get, "/api/network/\(row)").json?["fault"]?.sourceText
    #expect(trace == #"{"action":"status","name":"Down"}"#, "the row outlives its rule")
  }

  @Test func sessionThatARuleEndedNamesTheRuleAndItsRow() async throws {
    #expect(await ask(.post, "/api/faults/presets/refresh-revoked").status == 201)
    _ = await ask(.get, "/api/profiles")
    #expect(await ask(.delete, "/api/faults").status == 204)
    let session = try #require(await ask(.get, "/api/state").json?["session"])
    #expect(session["state"]?.string == "signed_out" && session["fault"]?["preset"]?.string == "refresh-revoked")
    let row = try #require(session["row_id"]?.string)
    let detail = await ask(.get, "/api/network/\(row)").json
    #expect(detail?["endpoint"]?.string == "refresh_tokens" && detail?["fault"]?["action"]?.string == "revoke_refresh_token")
  }

  @Test func aFailedCallNamesItsRowAndARejectedRequestNone() async throws {
    let body = #"{"name":"Down","match":{"endpoint":"me"},"action":{"kind":"status","status":403}}"#
    #expect(await ask(.post, "/api/faults", body).status == 201)
    let failed = await ask(.get, "/api/profiles")
    let row = try #require(failed.json?["row_id"]?.string)
    #expect(await ask(.get, "/api/network/\(row)").json?["status"]?.int64 == 403)
    #expect(await ask(.post, "/api/faults", "{}").json?["row_id"] == nil, "no call was made")
  }

  @Test func aRowThatIsPinnedDoesNotActAgain() async throws {
    let body = #"{"name":"Down","match":{"endpoint":"me"},"action":{"kind":"status","status":403}}"#
    #expect(await ask(.post, "/api/faults", body).status == 201)
    _ = await ask(.get, "/api/profiles")
    let before = await story()
    let row = try #require(await entries().last?["row_id"]?.string)
    for isPinned in [true, false] {
      #expect(await ask(.post, "/api/network/\(row)/pin", #"{"pinned":\#(isPinned)}"#).status == 200)
    }
    #expect(await story() == before)
  }

  @Test func anEditedPresetGoesOnWithoutBeingDisarmed() async throws {
    #expect(await ask(.post, "/api/faults/presets/slow-backend").status == 201)
    let id = try #require(await rules().first)
    let edited = await ask(.patch, "/api/faults/\(id)", #"{"action":{"kind":"latency","latency_ms":5}}"#)
    #expect(edited.status == 200 && edited.json?["preset"] == nil)
    #expect(await story() == ["Slow backend 3 s armed"])
    #expect(await ask(.delete, "/api/faults/\(id)").status == 204)
    #expect(await story() == ["Slow backend 3 s armed", "Slow backend 3 s removed"])
  }

  @Test func anExportMasksTheNamesThatPeopleWrite() async throws {
    #expect(await ask(.post, "/api/faults", #"{"name":"dana@example.com","action":{"kind":"reset"}}"#).status == 201)
    let device = try #require(await harness.registry.awakeDevices().first)
    let exported = try await device.surroundings().timeline.compactMap(\.faultName)
    #expect(exported.count == 1 && !exported.contains { $0.contains("dana@example.com") })
  }
}

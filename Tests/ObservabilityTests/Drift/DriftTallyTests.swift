import FoundationEssentials
import JSON
import Testing

@testable import Observability

@Suite struct DriftTallyTests {
  private static func row(_ id: String, endpoint: String = "/rpc/me", method: String = "GET", at milliseconds: Int64)
    -> NetworkRow
  {
    NetworkRow(
      id: id, seq: 1, rev: 1, callID: "", parentID: nil, flowID: "", flow: "",
      startedAt: Timestamp(milliseconds: milliseconds), method: method, path: endpoint, endpoint: endpoint, attempt: 1,
      status: 200,
      state: .success, error: nil, durationMilliseconds: nil, requestBytes: 0, responseBytes: nil, source: .network, faultID: nil)
  }

  private static func drift(_ pointer: String) -> NetworkDrift {
    NetworkDrift(side: .response, pointer: pointer, expected: "string", got: "number", kind: .invalid)
  }

  @Test func differencesAreCountedByEndpointWithTheirFirstAndLastSight() {
    var tally = DriftTally()
    tally.add([Self.drift("/cues/3/stage"), Self.drift("/a")], of: Self.row("one", at: 2000))
    tally.add([Self.drift("/cues/0/stage")], of: Self.row("two", at: 1000))
    tally.add([Self.drift("/cues/7/stage")], of: Self.row("three", at: 3000))
    tally.add([Self.drift("/a")], of: Self.row("four", endpoint: "/rpc/a", method: "POST", at: 4000))
    let summary = tally.summary
    #expect(summary.endpoints.map(\.endpoint) == ["/rpc/a", "/rpc/me"] && summary.unlisted == 0)
    let me = summary.endpoints[1]
    #expect(me.rows == 3 && me.firstSeenAt.milliseconds == 1000 && me.lastSeenAt.milliseconds == 3000)
    #expect(me.differences.map(\.drift.pointer) == ["/cues/*/stage", "/a"])
    let stage = me.differences[0]
    #expect(stage.count == 3 && stage.firstSeenAt.milliseconds == 1000 && stage.lastSeenAt.milliseconds == 3000)
    #expect(stage.lastRowID == "three" && me.differences[1].lastRowID == "one")
  }

  @Test func theListIsLimitedAndTheRestCounted() {
    var tally = DriftTally()
    for number in 0..<DriftTally.limit + 40 {
      tally.add([Self.drift("/name\(number)x")], of: Self.row("r", endpoint: "/rpc/\(number % 7)", at: 0))
    }
    tally.add([Self.drift("/name0x")], of: Self.row("r", endpoint: "/rpc/0", at: 0))
    tally.add([Self.drift("/a")], of: Self.row("r", endpoint: "/rpc/new", at: 0))
    let summary = tally.summary
    #expect(summary.endpoints.flatMap(\.differences).count == DriftTally.limit && summary.unlisted == 41)
    #expect(summary.endpoints.flatMap(\.differences).first { $0.drift.pointer == "/name0x" }?.count == 2)
  }

  @Test func theDifferencesOfSeveralDevicesAreOne() {
    var one = DriftTally()
    var other = DriftTally()
    one.add([Self.drift("/a")], of: Self.row("one", at: 2000))
    other.add([Self.drift("/a"), Self.drift("/b")], of: Self.row("two", at: 1000))
    other.add([Self.drift("/c")], of: Self.row("three", endpoint: "/rpc/a", at: 5000))
    var summary = one.summary
    summary.merge(other.summary)
    #expect(summary.endpoints.map(\.endpoint) == ["/rpc/a", "/rpc/me"])
    #expect(summary.endpoints[1].rows == 2 && summary.endpoints[1].differences.map(\.count) == [2, 1])
    #expect(summary.endpoints[1].firstSeenAt.milliseconds == 1000)
    #expect(summary.endpoints[1].differences[0].lastRowID == "one")
  }
}

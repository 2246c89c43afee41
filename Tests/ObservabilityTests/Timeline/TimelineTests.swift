import FoundationEssentials
import JSON
import Observability
import Testing

@Suite struct TimelineTests {
  private let instant = Timestamp(Date(timeIntervalSince1970: 1_800_000_000))

  @Test func theOldestGiveWayAndNumbersGoOn() {
    let timeline = Timeline(capacity: 3)
    for number in 1...5 { timeline.append(.session, at: instant, to: "\(number)") }
    #expect(timeline.entries.map(\.seq) == [3, 4, 5])
    #expect(timeline.entries.map(\.to) == ["3", "4", "5"])
  }

  @Test func aRowIsLearnedLaterUnlessTheEntryGaveWay() {
    let timeline = Timeline(capacity: 1)
    let first = timeline.append(.session, at: instant)
    timeline.append(.session, at: instant)
    timeline.setRow("a", of: first)
    #expect(timeline.entries.map(\.rowID) == [nil])
    timeline.setRow("b", of: 2)
    #expect(timeline.entries.map(\.rowID) == ["b"])
  }

  @Test func anEntryIsWhatTheContractSays() throws {
    let timeline = Timeline()
    timeline.append(
      .session, at: instant, from: "refreshing", to: "signed_out", name: "n", reason: "refresh_token_expired", rowID: "r")
    timeline.append(.fault, at: instant)
    let text = String(decoding: try JSONCoding.encode(timeline.entries), as: UTF8.self)
    #expect(
      text == #"""
        [{"at":"2027-01-15T08:00:00.000Z","from":"refreshing","kind":"session","name":"n","reason":"refresh_token_expired",\#
        "row_id":"r","seq":1,"to":"signed_out"},{"at":"2027-01-15T08:00:00.000Z","kind":"fault","seq":2}]
        """#)
  }
}

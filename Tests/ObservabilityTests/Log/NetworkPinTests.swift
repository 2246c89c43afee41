import HTTPTypes
import Testing

@testable import Observability
@testable import Redaction
import Support

@Suite(.timeLimit(.minutes(1)))
struct NetworkPinTests {
  private let events = RecordedAttempt.EventList()

  private func log(capacity: Int = 3, bodyBytes: Int = 1 << 20) -> NetworkLog {
    NetworkLog(capacity: capacity, bodyBytes: bodyBytes, registry: SecretRegistry(tagKey: [1])) { [events] in events.add($0) }
  }

  private func fill(_ log: NetworkLog, _ count: Int, body: String = "") -> [String] {
    (0..<count).map { _ in log.begin(.example(body: body), of: RecordedAttempt.origin) }
  }

  @Test func aPinnedRowOutlivesLaterOnes() throws {
    let log = log()
    let ids = fill(log, 3)
    #expect(try log.pin(id: ids[1], isPinned: true).isPinned)
    #expect(events.rows.last?.id == ids[1] && events.rows.last?.rev == 2)
    _ = fill(log, 5)
    #expect(log.rows().events.map(\.seq) == [2, 6, 7, 8])
    #expect(log.rows().dropped == 4)
    #expect(log.detail(id: ids[1])?.row.isPinned == true)
    // It can still change, and a filter by `after` finds it.
    log.update(ids[1], to: .waiting)
    #expect(log.detail(id: ids[1])?.row.rev == 3)
    var filter = NetworkFilter()
    (filter.after, filter.limit) = (1, 2)
    #expect(log.rows(filter: filter).events.map(\.seq) == [2, 6])
    filter.after = 2
    #expect(log.rows(filter: filter).events.map(\.seq) == [6, 7])
    #expect(log.rows().events.map(\.seq) == [2, 6, 7, 8])
  }

  @Test func anOldRowThatIsUnpinnedGivesWay() throws {
    let log = log()
    let ids = fill(log, 1, body: #""abc""#)
    _ = try log.pin(id: ids[0], isPinned: true)
    _ = fill(log, 3)
    #expect(try !log.pin(id: ids[0], isPinned: false).isPinned)
    #expect(log.detail(id: ids[0]) == nil && log.rows().dropped == 1)
    #expect(throws: NetworkLog.PinError.unknown) { try log.pin(id: ids[0], isPinned: true) }
    // An attempt that is still recent stays.
    let latest = try #require(log.rows().events.last)
    _ = try log.pin(id: latest.id, isPinned: true)
    _ = try log.pin(id: latest.id, isPinned: false)
    #expect(log.detail(id: latest.id)?.row.rev == 3)
  }

  @Test func pinningTwiceTellsNobody() throws {
    let log = log()
    let id = fill(log, 1)[0]
    _ = try log.pin(id: id, isPinned: true)
    let told = events.rows.count
    #expect(try log.pin(id: id, isPinned: true).rev == 2)
    #expect(events.rows.count == told)
  }

  @Test func pinsAreBounded() throws {
    let log = log(capacity: 200)
    let ids = fill(log, NetworkStore.maximumPins + 1)
    for id in ids.dropLast() { _ = try log.pin(id: id, isPinned: true) }
    #expect(throws: NetworkLog.PinError.full) { try log.pin(id: ids[NetworkStore.maximumPins], isPinned: true) }
    _ = try log.pin(id: ids[0], isPinned: false)
    _ = try log.pin(id: ids[NetworkStore.maximumPins], isPinned: true)
  }

  @Test func bodiesOfPinnedRowsOutliveThoseOfOthers() throws {
    let log = log(capacity: 100, bodyBytes: 20)
    let ids = fill(log, 2, body: #""abcdef""#)
    _ = try log.pin(id: ids[0], isPinned: true)
    // Two would exceed half.
    #expect(throws: NetworkLog.PinError.full) { try log.pin(id: ids[1], isPinned: true) }
    let later = fill(log, 2, body: #""abcdef""#)
    #expect((ids + later).map { log.detail(id: $0)?.request.body != nil } == [true, false, false, true])
    // A response larger than everything else takes all the space.
    log.finish(
      ids[0],
      with: RawExchange(
        request: .example(body: #""abcdef""#),
        response: RawResponse(status: 200, headers: [], body: Array(#""0123456789abcdef""#.utf8)),
        state: .success))
    #expect(log.detail(id: ids[0])?.response?.bodyNote == .dropped)
  }

  @Test func aClearedLogHasNoPins() throws {
    let log = log()
    _ = try log.pin(id: fill(log, 1)[0], isPinned: true)
    log.clear()
    #expect(log.rows() == NetworkPage(events: [], next: 1, dropped: 0, capacity: 3))
  }

  /// Headers are limited too, so that a backend cannot fill the memory with them.
  @Test func rowsGiveWayWhereTheirHeadersAreLarge() {
    let log = log(capacity: 10)
    let header = (name: "User-Agent", value: String(repeating: "lorem ipsum ", count: 1000))
    for _ in 1...10 { _ = log.begin(.example(headers: [header]), of: RecordedAttempt.origin) }
    #expect(log.rows().events.map(\.seq) == [8, 9, 10])
  }
}

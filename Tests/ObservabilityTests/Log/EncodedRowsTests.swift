import JSON
import Locking
import Testing

@testable import Observability
@testable import Redaction
import Support

/// Listed rows are as current as the log, however often they were listed before.
@Suite(.timeLimit(.minutes(1)))
struct EncodedRowsTests {
  private func log(capacity: Int = 1000) -> NetworkLog {
    NetworkLog(capacity: capacity, bodyBytes: 1 << 20, registry: SecretRegistry(tagKey: [1])) { _ in }
  }

  private func isCurrent(_ log: NetworkLog, _ filter: NetworkFilter = NetworkFilter()) throws -> Bool {
    try log.json(filter: filter) == JSONCoding.encode(log.rows(filter: filter))
  }

  private static let success = RawExchange(
    request: .example(), response: RawResponse(status: 200, headers: [], body: Array("{}".utf8)), state: .success)

  @Test func aRowThatChangesIsWrittenAnew() throws {
    let log = log()
    let ids = (0..<4).map { _ in log.begin(.example(), of: RecordedAttempt.origin) }
    #expect(try isCurrent(log))
    log.update(ids[0], to: .waiting)
    #expect(try isCurrent(log))
    log.finish(ids[1], with: Self.success)
    #expect(try isCurrent(log))
    _ = try log.pin(id: ids[1], isPinned: true)
    #expect(try isCurrent(log))
    let drift = NetworkDrift(side: .response, pointer: "/a", expected: "a", got: "b", kind: .missing)
    log.setDrift([drift], count: 3, of: ids[1])
    #expect(try isCurrent(log))
    _ = try log.pin(id: ids[1], isPinned: false)
    #expect(try isCurrent(log))
  }

  @Test func whatChangedWhileItWasClearedIsWrittenAnew() throws {
    let log = log()
    let id = log.begin(.example(), of: RecordedAttempt.origin)
    #expect(try isCurrent(log))
    log.clear()
    #expect(try isCurrent(log))
    log.finish(id, with: Self.success)
    #expect(log.restoreCleared())
    #expect(log.rows().events.map(\.state) == [.success])
    #expect(try isCurrent(log))
  }

  @Test func filtersAndEvictedRowsListTheSame() throws {
    let log = log(capacity: 100)
    for _ in 0..<150 { _ = log.begin(.example(), of: RecordedAttempt.origin) }
    var filter = NetworkFilter()
    (filter.after, filter.limit) = (60, 20)
    #expect(try isCurrent(log) && isCurrent(log, filter))
    filter.text = "nothing"
    #expect(try isCurrent(log, filter))
  }

  @Test func onlyTheNewestRowsAreKept() {
    let log = log(capacity: 20_000)
    for _ in 0..<3000 {
      _ = log.begin(.example(), of: RecordedAttempt.origin)
      var filter = NetworkFilter()
      filter.after = log.state.withLock { $0.store.next }.moved(back: 2)
      _ = log.json(filter: filter)
    }
    let kept = log.state.withLock { $0.encoded.count }
    #expect(kept >= EncodedRows.limit && kept <= 2 * EncodedRows.limit)
    _ = log.json()
    #expect(log.state.withLock { $0.encoded.count } <= 2 * Int(EncodedRows.limit))
    log.releaseCachedJSON()
    #expect(log.state.withLock { $0.encoded.count } == 0)
  }
}

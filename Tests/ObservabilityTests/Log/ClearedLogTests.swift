import HTTPTypes
import JSON
import Testing

@testable import Observability
@testable import Redaction
import Support

/// A cleared log can be brought back as long as it is kept.
@Suite(.timeLimit(.minutes(1)))
struct ClearedLogTests {
  private let events = RecordedAttempt.EventList()

  private func log(capacity: Int = 100) -> NetworkLog {
    NetworkLog(capacity: capacity, bodyBytes: 1 << 20, registry: SecretRegistry(tagKey: [1])) { [events] in events.add($0) }
  }

  private func begin(_ log: NetworkLog, _ count: Int = 1) -> [String] {
    (0..<count).map { _ in log.begin(.example(), of: RecordedAttempt.origin) }
  }

  private func success(_ body: String = "{}") -> RawExchange {
    RawExchange(request: .example(), response: RawResponse(status: 200, headers: [], body: Array(body.utf8)), state: .success)
  }

  @Test func whatWasClearedComesBackBeforeWhatCameSince() throws {
    let log = log()
    let before = begin(log, 3)
    _ = try log.pin(id: before[0], isPinned: true)
    log.clear()
    let after = begin(log, 2)
    #expect(log.rows().events.map(\.id) == after)
    #expect(log.restoreCleared())
    #expect(log.rows().events.map(\.id) == before + after && log.rows().events.map(\.seq) == [1, 2, 3, 4, 5])
    #expect(log.rows().events.map(\.isPinned) == [true, false, false, false, false])
    #expect(!log.restoreCleared(), "only once")
    #expect(begin(log).count == 1 && log.rows().events.last?.seq == 6)
  }

  @Test func anAttemptThatEndsInTheMeantimeComesBackFinished() {
    let log = log()
    let id = begin(log)[0]
    log.clear()
    let reported = events.rows.count
    log.finish(id, with: success(#"{"a":1}"#))
    log.flush()
    #expect(events.rows.count == reported, "a row that is not shown is not reported")
    #expect(log.restoreCleared())
    #expect(log.rows().events.map(\.state) == [.success] && log.detail(id: id)?.response?.body == #"{"a":1}"#)
  }

  @Test func aDifferenceThatIsFoundInTheMeantimeComesBackToo() async {
    let comparer = ExchangeComparer()
    let drift = NetworkDrift(side: .response, pointer: "/a", expected: "string", got: "number", kind: .invalid)
    comparer.start { _ in [drift] }
    let log = NetworkLog(capacity: 100, bodyBytes: 1 << 20, registry: SecretRegistry(tagKey: [1]), comparer: comparer) { _ in }
    let id = begin(log)[0]
    log.clear()
    log.finish(id, with: success(#"{"a":1}"#))
    log.flush()
    await comparer.finish()
    #expect(log.driftSummary.endpoints.isEmpty)
    #expect(log.restoreCleared())
    #expect(log.rows().events.map(\.drift) == [[drift]] && log.driftSummary.endpoints.map(\.rows) == [1])
  }

  @Test func theLimitsHoldWhenItComesBack() throws {
    let log = log(capacity: 3)
    let before = begin(log, 3)
    _ = try log.pin(id: before[0], isPinned: true)
    log.clear()
    _ = begin(log, 5)
    #expect(log.restoreCleared())
    #expect(log.rows().events.map(\.seq) == [1, 6, 7, 8])
    #expect(log.detail(id: before[0]) != nil && log.detail(id: before[1]) == nil)
  }

  @Test func whatWasLetGoDoesNotComeBack() {
    let log = log()
    _ = begin(log)
    let first = log.clear()
    _ = begin(log)
    let second = log.clear()
    log.forgetCleared(first)
    #expect(log.restoreCleared(), "a later clearing is not forgotten with an earlier one")
    log.forgetCleared(second)
    #expect(log.rows().events.map(\.seq) == [2])
    log.forgetCleared(log.clear())
    #expect(!log.restoreCleared() && log.rows().events.isEmpty)
  }
}

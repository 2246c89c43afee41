import FoundationEssentials
import HTTPTypes
import Support
import Locking
import Testing

@testable import Observability
@testable import Redaction

@Suite("What is recorded behind the caller", .timeLimit(.minutes(1)))
struct RecordingBacklogTests {
  private let registry = SecretRegistry(tagKey: [1])

  private static func success(_ request: RawRequest = .example(), body: String = "{}") -> RawExchange {
    RawExchange(
      request: request, response: RawResponse(status: 200, headers: [], body: Array(body.utf8)), state: .success)
  }

  @Test func whoeverReadsSeesAllThatWasHandedOverBefore() {
    let log = NetworkLog(capacity: 1000, bodyBytes: 1 << 20, registry: registry, backlog: 512) { _ in }
    for number in 1...200 {
      let id = log.begin(.example(path: "/\(number)"), of: RecordedAttempt.origin)
      #expect(log.detail(id: id)?.row.state == .pending)
      log.finish(id, with: Self.success(.example(path: "/\(number)")))
      #expect(log.rows().events.last?.state == .success)
    }
    #expect(log.rows().events.map(\.path) == (1...200).map { "/\($0)" })
  }

  @Test func rowsAreToldInOrderWhetherOneWaitsForThemOrNot() async throws {
    let events = RecordedAttempt.EventList()
    let log = NetworkLog(capacity: 5000, bodyBytes: 1 << 20, registry: registry, backlog: 16) { events.add($0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          try await OwnThread.run {
            for _ in 0..<100 {
              let id = log.begin(.example(), of: RecordedAttempt.origin)
              log.update(id, to: .waiting)
              log.finish(id, with: Self.success())
            }
          }
        }
      }
      try await group.waitForAll()
    }
    log.flush()
    #expect(events.rows.filter { $0.rev == 1 }.map(\.seq.number) == Array(1...400))
    for (_, revisions) in Dictionary(grouping: events.rows, by: \.seq) {
      #expect(revisions.map(\.state) == [.pending, .waiting, .success])
    }
  }

  @Test func theCallbackMayReadAndWrite() {
    final class Owner: Sendable {
      let log = Locked<NetworkLog?>(nil)
      let counts = Locked<[Int]>([])
    }
    let owner = Owner()
    let log = NetworkLog(capacity: 9, bodyBytes: 9, registry: registry, backlog: 4) { row in
      guard let log = owner.log.withLock({ $0 }) else { return }
      if row.seq == 1 { _ = log.begin(.example(), of: RecordedAttempt.origin) }
      let count = log.rows().events.count
      owner.counts.withLock { $0.append(count) }
    }
    owner.log.withLock { $0 = log }
    _ = log.begin(.example(), of: RecordedAttempt.origin)
    log.flush()
    #expect(owner.counts.withLock { $0 } == [2, 2])
  }

  @Test func aSecretThatIsForgottenBeforeItIsRecordedIsMaskedAllTheSame() throws {
    registry.register("483920", kind: .code)
    // The callback blocks recording until the code is forgotten.
    let hold = Locked(())
    let log = NetworkLog(capacity: 9, bodyBytes: 1 << 20, registry: registry, backlog: 64) { _ in hold.withLock { _ in } }
    let id = hold.withLock { _ in
      _ = log.begin(.example(), of: RecordedAttempt.origin)
      let id = log.begin(.example(body: #"{"note":"483920"}"#), of: RecordedAttempt.origin)
      for digit in 0..<8 { registry.register("11111\(digit)", kind: .code) }
      return id
    }
    let body = try #require(log.detail(id: id)?.request.body)
    #expect(!body.contains("483920"))
  }

  @Test func whatIsHeldIsBoundedAndNothingIsLost() {
    let backlog = RecordingBacklog(limit: 3)
    let change = PendingChange(kind: .update(id: "", .pending, nil), redactor: Redactor(registry: registry).frozen())
    #expect((0..<4).map { _ in backlog.add(change) } == [.needsRecorder, .scheduled, .scheduled, .full])
    let large = RecordingBacklog(limit: 3)
    let request = RawRequest.example(body: String(repeating: "a", count: RecordingBacklog.byteLimit + 1))
    #expect(large.add(PendingChange(kind: .update(id: "", .pending, request), redactor: change.redactor)) == .full)
    var recorded = 0
    while backlog.recordNext(ofFirst: 2, { _ in recorded += 1 }) {}
    #expect(recorded == 2)
    #expect(!backlog.finishRecorder())
    while backlog.recordNext(ofFirst: backlog.total, { _ in recorded += 1 }) {}
    #expect(recorded == 4)
    #expect(backlog.finishRecorder())
    #expect(backlog.add(change) == .needsRecorder)
  }

  @Test func aPendingChangePrintsNothingOfItself() {
    let change = PendingChange(
      kind: .begin(id: "", .example(body: "secret"), RecordedAttempt.origin, .pending),
      redactor: Redactor(registry: registry).frozen())
    var dumped = ""
    dump(change, to: &dumped)
    #expect(!"\(change) \(String(reflecting: change)) \(dumped)".contains("secret"))
  }
}

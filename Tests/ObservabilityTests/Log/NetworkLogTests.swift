import FoundationEssentials
import HTTPTypes
import JSON
import Locking
import Testing

@testable import Observability
@testable import Redaction
import Support

@Suite(.timeLimit(.minutes(1)))
struct NetworkLogTests {
  private let events = RecordedAttempt.EventList()

  private func log(capacity: Int = 100, bodyBytes: Int = 1 << 20) -> NetworkLog {
    NetworkLog(capacity: capacity, bodyBytes: bodyBytes, registry: SecretRegistry(tagKey: [1])) { [events] in events.add($0) }
  }

  private func success(_ request: RawRequest = .example(), body: String = "{}", status: Int = 200) -> RawExchange {
    RawExchange(request: request, response: RawResponse(status: status, headers: [], body: Array(body.utf8)), state: .success)
  }

  @Test func aRowIsWhatTheContractSays() throws {
    let log = log()
    var origin = RecordedAttempt.origin
    origin.parentID = "33333333-3333-4333-8333-333333333333"
    origin.attempt = 2
    let request = RawRequest.example(query: "a=1", headers: [("Accept", "*/*"), ("accept", "a/b")], body: #"{"a":1.0}"#)
    let id = log.begin(request, of: origin)
    log.finish(
      id,
      with: RawExchange(
        request: request,
        response: RawResponse(status: 503, headers: [("Retry-After", "1")], body: Array("{}".utf8), wireByteCount: 7),
        timings: NetworkTimings(dns: 1.234, connect: .nan, wait: -1, total: 12.346), state: .failure, source: .fault,
        faultID: "f1", fault: RowFault(name: "dana@example.com", action: "status"),
        error: "unavailable", errorDetail: "try later"))
    let row = try JSONDocument(parsing: JSONCoding.encode(try #require(events.rows.last))).root
    let tag = try #require(row["fault"]?["name"]?.string?.dropFirst("‹email:".count).dropLast())
    #expect(
      row.sourceText
        == #"{"attempt":2,"call_id":"11111111-1111-4111-8111-111111111111","duration_ms":12.35,"endpoint":"/rpc/get_cues","error":"unavailable","#
        + #""error_detail":"try later","fault":{"action":"status","name":"‹email:\#(tag)›"},"fault_id":"f1","flow":"login","flow_id":"22222222-2222-4222-8222-222222222222","host":"backend.test","id":"\#(id)","is_pinned":false,"is_redacted":false,"#
        + #""method":"POST","#
        + #""parent_id":"33333333-3333-4333-8333-333333333333","path":"/rpc/get_cues","query":"a=1","request_bytes":9,"response_bytes":7,"rev":2,"seq":1,"setup_ms":1.23,"#
        + #""source":"fault","started_at":"1970-01-01T00:00:00.000Z","state":"failure","status":503}"#)
    let detail = try JSONDocument(parsing: JSONCoding.encode(log.detail(id: id))).root
    for member in row.members { #expect(detail[member.key]?.sourceText == member.value.sourceText) }
    #expect(detail["url"]?.string == "https://backend.test/rpc/get_cues?a=1")
    #expect(detail["request"]?.sourceText == #"{"body":"{\"a\":1.0}","headers":[["Accept","*/*"],["accept","a/b"]]}"#)
    #expect(detail["response"]?.sourceText == #"{"body":"{}","headers":[["Retry-After","1"]],"status":503}"#)
    #expect(detail["timings"]?.sourceText == #"{"dns_ms":1.23,"total_ms":12.35}"#)
    #expect(detail["redactions"]?.sourceText == "[]")
    #expect(detail["error_detail"]?.string == "try later")
    #expect(row["is_redacted"]?.bool == false && row["wait_ms"] == nil)
    #expect(try JSONCoding.decode(NetworkRow.self, from: Array(row.sourceText.utf8)) == events.rows.last)
  }

  @Test func aRowThatWaitsShowsNothingOfAnAnswer() throws {
    let log = log()
    let id = log.begin(.example(logsBodies: false), of: RecordedAttempt.origin, state: .waiting)
    let detail = try JSONDocument(parsing: JSONCoding.encode(log.detail(id: id))).root
    #expect(detail["state"]?.string == "waiting")
    for name in ["status", "response", "error", "error_detail", "duration_ms", "response_bytes", "parent_id", "fault_id"] {
      #expect(detail[name] == nil)
    }
    #expect(detail["source"]?.string == "network")
  }

  @Test func aRowSaysWhetherAnythingWasTakenOutAndWhereItsTimeWent() {
    let log = log()
    let id = log.begin(.example(headers: [("Authorization", "Bearer of-somebody")]), of: RecordedAttempt.origin)
    log.update(id, to: .pending, request: .example())
    let answer = RawResponse(status: 200, headers: [("Set-Cookie", "a=of-somebody")], body: [])
    let timings = NetworkTimings(queue: 0.5, connect: 1, tls: 2.25, wait: 7, receive: 1, total: 11.75)
    log.finish(id, with: RawExchange(request: .example(), response: answer, timings: timings, state: .success))
    #expect(events.rows.map(\.isRedacted) == [true, false, true])
    #expect(events.rows.last?.setupMilliseconds == 3.75 && events.rows.last?.waitMilliseconds == 7)
  }

  @Test func updatesKeepTheSequenceAndRaiseTheRevision() {
    let log = log()
    let id = log.begin(.example(), of: RecordedAttempt.origin, state: .waiting)
    log.update(id, to: .pending, request: .example(path: "/later"))
    log.finish(id, with: success(.example(path: "/last")))
    #expect(events.rows.map(\.seq) == [1, 1, 1])
    #expect(events.rows.map(\.rev) == [1, 2, 3])
    #expect(events.rows.map(\.state) == [.waiting, .pending, .success])
    #expect(events.rows.map(\.path) == ["/rpc/get_cues", "/later", "/last"])
  }

  @Test func anAttemptEndsOnce() {
    let log = log()
    let id = log.begin(.example(), of: RecordedAttempt.origin)
    log.finish(id, with: success())
    log.finish(id, with: success(status: 500))
    log.update(id, to: .pending)
    log.finish("unknown", with: success())
    #expect(events.rows.count == 2)
    #expect(log.detail(id: id)?.row.status == 200)
  }

  @Test func theOldestRowsGiveWayAndAreCounted() {
    let log = log(capacity: 3)
    let ids = (0..<5).map { _ in log.begin(.example(body: #""abcd""#), of: RecordedAttempt.origin) }
    let page = log.rows()
    #expect(page.events.map(\.seq) == [3, 4, 5])
    #expect(page.dropped == 2)
    #expect(page.capacity == 3)
    #expect(log.detail(id: ids[1]) == nil)
    #expect(log.detail(id: ids[2])?.row.seq == 3)
    log.finish(ids[0], with: success())
    #expect(events.rows.count == 5)
  }

  @Test func bodiesGiveWayBeforeTheirRows() {
    let log = log(bodyBytes: 20)
    let ids = (0..<4).map { _ in log.begin(.example(body: #""abcdef""#), of: RecordedAttempt.origin) }
    #expect(ids.map { log.detail(id: $0)?.request.body != nil } == [false, false, true, true])
    #expect(ids.map { log.detail(id: $0)?.request.bodyNote } == [.dropped, .dropped, nil, nil])
    // The response to an old request adds its body, and the oldest body is evicted.
    log.finish(ids[0], with: success(.example(body: ""), body: #""x""#))
    #expect(log.detail(id: ids[0])?.response?.body == #""x""#)
    log.finish(ids[3], with: success(.example(body: ""), body: #""0123456789012345""#))
    #expect(ids.map { log.detail(id: $0).map { $0.request.bodyBytes + ($0.response?.bodyBytes ?? 0) } } == [0, 0, 0, 18])
    #expect(log.rows().events.count == 4)
  }

  @Test func aBodyBeyondTheBudgetIsNotKept() {
    let log = log(bodyBytes: 3)
    let id = log.begin(.example(body: #""abcdef""#), of: RecordedAttempt.origin)
    #expect(log.detail(id: id)?.request.bodyNote == .dropped)
  }

  @Test func aClearedLogGoesOnCounting() {
    let log = log()
    let id = log.begin(.example(body: #""a""#), of: RecordedAttempt.origin)
    log.clear()
    #expect(log.rows() == NetworkPage(events: [], next: 1, dropped: 0, capacity: 100))
    log.finish(id, with: success())
    #expect(log.detail(id: id) == nil)
    _ = log.begin(.example(), of: RecordedAttempt.origin)
    #expect(log.rows().events.map(\.seq) == [2])
  }

  @Test func pagesFollowEachOther() {
    let log = log(capacity: 5)
    for number in 1...7 { _ = log.begin(.example(path: number % 2 == 0 ? "/even" : "/odd"), of: RecordedAttempt.origin) }
    func page(after: RowSequence?, limit: Int?, text: String? = nil) -> [RowSequence] {
      var filter = NetworkFilter()
      (filter.after, filter.limit, filter.text) = (after, limit, text)
      let page = log.rows(filter: filter)
      return page.events.map(\.seq) + [page.next]
    }
    #expect(page(after: nil, limit: nil) == [3, 4, 5, 6, 7, 7])
    #expect(page(after: nil, limit: 2) == [3, 4, 4])
    #expect(page(after: 4, limit: 2) == [5, 6, 6])
    #expect(page(after: 6, limit: 2) == [7, 7])
    #expect(page(after: 7, limit: 2) == [7])
    #expect(page(after: 1, limit: 1) == [3, 3])
    #expect(page(after: .last, limit: 1) == [7])
    #expect(page(after: 0, limit: 1, text: "even") == [4, 4])
    #expect(page(after: 6, limit: 1, text: "even") == [7])
  }

  @Test func eventsOfManyThreadsKeepTheirOrder() async {
    let log = log(capacity: 50)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<50 {
            let id = log.begin(.example(), of: RecordedAttempt.origin)
            log.update(id, to: .waiting)
            log.finish(id, with: RawExchange(request: .example(), state: .cancelled))
          }
        }
      }
    }
    let rows = events.rows
    #expect(rows.filter { $0.rev == 1 }.map(\.seq.number) == Array(1...400))
    for (_, revisions) in Dictionary(grouping: rows, by: \.seq) {
      #expect(revisions.map(\.rev) == Array(1...revisions.count))
    }
    #expect(log.rows().events.count == 50)
    #expect(log.rows().dropped == 350)
  }

  /// A change made while another is reported is reported after it.
  @Test func theCallbackMayUseTheLog() {
    final class Owner: Sendable {
      let log = Locked<NetworkLog?>(nil)
      let steps = Locked<[String]>([])
    }
    let owner = Owner()
    let log = NetworkLog(capacity: 9, bodyBytes: 9, registry: SecretRegistry(tagKey: [])) { row in
      owner.steps.withLock { $0.append("begins \(row.seq)") }
      if row.seq == 1 { _ = owner.log.withLock { $0 }?.begin(.example(), of: RecordedAttempt.origin) }
      owner.steps.withLock { $0.append("ends \(row.seq)") }
    }
    owner.log.withLock { $0 = log }
    _ = log.begin(.example(), of: RecordedAttempt.origin)
    #expect(owner.steps.withLock { $0 } == ["begins 1", "ends 1", "begins 2", "ends 2"])
  }

  /// The raw types are only for the log: nothing can encode them, and their descriptions omit the content.
  @Test func rawTypesCannotBeEncoded() {
    let exchange = success(.example(path: "/hunter2", headers: [("A", "hunter2")], body: "hunter2"), body: "hunter2")
    #expect(!(exchange as Any is any Encodable))
    #expect(!(exchange.request as Any is any Encodable))
    #expect(!(exchange.response as Any is any Encodable))
    var dumped = ""
    dump(exchange, to: &dumped)
    for text in [
      "\(exchange)", String(reflecting: exchange), "\(exchange.request)", String(reflecting: exchange.response), dumped,
    ] {
      #expect(!text.contains("hunter2"))
    }
  }

  @Test func theCapacityIsSetWhileTheLogIsUsed() {
    let log = log(capacity: 500)
    for _ in 1...300 { _ = log.begin(.example(), of: RecordedAttempt.origin) }
    log.setCapacity(120)
    #expect(log.rows().events.first?.seq == 181 && log.rows().events.count == 120)
    #expect(log.rows().dropped == 180 && log.rows().capacity == 120)
    for asked in [Int.min, 0, 99] {
      log.setCapacity(asked)
      #expect(log.rows().capacity == 100)
    }
    log.setCapacity(.max)
    #expect(log.rows().capacity == 20_000)
    _ = log.begin(.example(), of: RecordedAttempt.origin)
    #expect(log.rows().events.map(\.seq.number) == Array(201...301))
  }
}

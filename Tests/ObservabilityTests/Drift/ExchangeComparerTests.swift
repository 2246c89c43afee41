import Dispatch
import JSON
import Locking
import Testing

@testable import Observability
@testable import Redaction
import Support

@Suite(.timeLimit(.minutes(1)))
struct ExchangeComparerTests {
  private let events = RecordedAttempt.EventList()
  private let registry = SecretRegistry(tagKey: [1])

  private func log(_ comparer: ExchangeComparer, capacity: Int = 100) -> NetworkLog {
    NetworkLog(capacity: capacity, bodyBytes: 1 << 20, registry: registry, comparer: comparer) { [events] in events.add($0) }
  }

  private static func drift(_ pointer: String, kind: NetworkDrift.Kind = .invalid) -> NetworkDrift {
    NetworkDrift(side: .response, pointer: pointer, expected: "string", got: "number", kind: kind)
  }

  private static func exchange(
    _ request: RawRequest = .example(), body: String = "{}", source: NetworkRow.Source? = nil
  ) -> RawExchange {
    RawExchange(
      request: request, response: RawResponse(status: 200, headers: [], body: Array(body.utf8)), state: .success, source: source)
  }

  /// Records an exchange and returns its row's ID.
  @discardableResult
  private func record(_ exchange: RawExchange, in log: NetworkLog) -> String {
    let id = log.begin(exchange.request, of: RecordedAttempt.origin)
    log.finish(id, with: exchange)
    return id
  }

  @Test func aDifferenceBecomesANewRevisionOfItsRow() async throws {
    let comparer = ExchangeComparer()
    comparer.start { _ in [Self.drift("/user/email")] }
    let log = log(comparer)
    let id = record(Self.exchange(), in: log)
    await comparer.finish()
    let row = try #require(log.detail(id: id)?.row)
    #expect(row.drift == [Self.drift("/user/email")] && row.driftCount == nil)
    #expect(events.rows.map(\.rev) == [1, 2, 3] && events.rows.last == row)
    let json = try JSONDocument(parsing: row.json).root
    #expect(
      json["drift"]?.sourceText
        == #"[{"expected":"string","got":"number","kind":"invalid","pointer":"/user/email","where":"response"}]"#)
    #expect(row.json == (try JSONCoding.encode(row)))
    #expect(comparer.counts.compared == 1 && comparer.counts.drifted == 1 && comparer.counts.dropped == 0)
  }

  @Test func aRowWithoutADifferenceIsNotChanged() async throws {
    let comparer = ExchangeComparer()
    comparer.start { _ in [] }
    let log = log(comparer)
    let id = record(Self.exchange(), in: log)
    await comparer.finish()
    #expect(log.detail(id: id)?.row.rev == 2 && log.detail(id: id)?.row.drift == nil)
    #expect(comparer.counts.compared == 1 && comparer.counts.drifted == 0)
  }

  @Test func aCallDoesNotWaitForItsComparison() async {
    let comparer = ExchangeComparer()
    let hold = DispatchSemaphore(value: 0)
    comparer.start { _ in
      hold.wait()
      return [Self.drift("/a")]
    }
    let log = log(comparer)
    // Each of these returns although no comparison can end.
    let ids = (0..<50).map { _ in record(Self.exchange(), in: log) }
    #expect(log.rows().events.count == 50 && log.rows().events.allSatisfy { $0.state == .success && $0.drift == nil })
    for _ in ids { hold.signal() }
    await comparer.finish()
    #expect(log.rows().events.allSatisfy { $0.drift != nil })
  }

  @Test func whatTheQueueCannotTakeIsCountedAndNotCompared() async {
    let comparer = ExchangeComparer(rowLimit: 3, byteLimit: 1000)
    let log = log(comparer)
    let ids = (0..<5).map { _ in record(Self.exchange(), in: log) }
    #expect(comparer.waiting == 3 && comparer.counts.dropped == 2)
    comparer.start { _ in [Self.drift("/a")] }
    await comparer.finish()
    #expect(ids.map { log.detail(id: $0)?.row.drift != nil } == [true, true, true, false, false])
    record(Self.exchange(body: String(repeating: "x", count: 1001)), in: log)
    #expect(comparer.counts.dropped == 3, "a body larger than the queue is not compared")
    record(Self.exchange(body: String(repeating: "x", count: 1000)), in: log)
    await comparer.finish()
    #expect(comparer.counts.dropped == 3 && comparer.counts.compared == 4, "the bytes of what was compared are free again")
  }

  @Test func withoutADescriptionNothingWaits() async {
    let comparer = ExchangeComparer()
    let log = log(comparer)
    record(Self.exchange(), in: log)
    #expect(comparer.waiting == 1)
    comparer.turnOff()
    record(Self.exchange(), in: log)
    #expect(comparer.waiting == 0)
    await comparer.finish()
    #expect(comparer.counts == ExchangeComparer.Counts())
  }

  @Test func onlyWhatTheBackendAnsweredIsCompared() async {
    let seen = Locked<[String]>([])
    let comparer = ExchangeComparer()
    comparer.start { exchange in
      seen.withLock { $0.append(exchange.request.path) }
      return []
    }
    let log = log(comparer)
    func add(_ path: String, source: NetworkRow.Source?) {
      record(Self.exchange(.example(path: path), source: source), in: log)
    }
    add("/network", source: nil)
    add("/cache", source: .cache)
    add("/fault", source: .fault)
    add("/replay", source: .replay)
    record(RawExchange(request: .example(path: "/lost"), state: .failure, error: "timeout"), in: log)
    var origin = RecordedAttempt.origin
    origin.source = .replay
    let id = log.begin(.example(path: "/composed"), of: origin)
    log.finish(id, with: Self.exchange(.example(path: "/composed")))
    await comparer.finish()
    #expect(seen.withLock { $0 } == ["/network", "/replay", "/composed"])
  }

  @Test func aRowListsEachDifferenceOnceAndCountsAll() async throws {
    let comparer = ExchangeComparer()
    comparer.start { _ in
      (0..<50).map { Self.drift("/cues/\($0)/stage") } + (0..<30).map { Self.drift("/name\($0)x") }
    }
    let log = log(comparer)
    let id = record(Self.exchange(), in: log)
    await comparer.finish()
    let row = try #require(log.detail(id: id)?.row)
    #expect(row.drift?.count == NetworkDrift.rowLimit && row.driftCount == 80)
    #expect(row.drift?.prefix(2).map(\.pointer) == ["/cues/0/stage", "/name0x"])
  }

  @Test func namesThatAreSecretsAreMasked() async throws {
    registry.register("s3cret/with~marks", kind: .token)
    registry.register("123456", kind: .code)
    let comparer = ExchangeComparer()
    let names = ["s3cret~1with~0marks", "dana@example.com", "123456", "eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2lnbmF0dXJl", "email"]
    comparer.start { _ in
      names.map { name in
        let unescaped = name.replacing("~1", with: "/").replacing("~0", with: "~")
        return NetworkDrift(
          side: .response, pointer: "/map/\(name)/0", expected: "a \(unescaped)", got: unescaped, kind: .invalid)
      }
    }
    let log = log(comparer)
    let id = record(Self.exchange(), in: log)
    await comparer.finish()
    let drift = try #require(log.detail(id: id)?.row.drift)
    let text = String(decoding: try #require(log.detail(id: id)).json, as: UTF8.self)
    for secret in names.dropLast() + ["s3cret/with~marks"] { #expect(!text.contains(secret), "\(text)") }
    #expect(drift.allSatisfy { $0.pointer.hasPrefix("/map/") && $0.pointer.hasSuffix("/0") })
    #expect(drift.last?.pointer == "/map/email/0", "other names stay readable")
    #expect(drift.first?.pointer.hasPrefix("/map/‹token:") == true)
  }

  @Test func namesOfABodyThatIsNotStoredAreShownOnlyIfTheyAreWords() async throws {
    let comparer = ExchangeComparer()
    comparer.start { _ in
      [
        "/user/nickname_2", "/map/Dana Example", "/map/9f8e7d6c5b", "/map/\(String(repeating: "a", count: 41))", "/list/12",
        "query:limit", "",
      ].map { Self.drift($0) }
    }
    let log = log(comparer)
    let id = record(Self.exchange(.example(logsBodies: false)), in: log)
    await comparer.finish()
    #expect(
      log.detail(id: id)?.row.drift?.map(\.pointer)
        == ["/user/nickname_2", "/map/?", "/map/?", "/map/?", "/list/12", "query:limit", ""])
  }

  @Test func namesThatTheDescriptionHasAreShown() async throws {
    let comparer = ExchangeComparer()
    comparer.start(declares: { ["filter[x]", "@type", "a/b"].contains($0) }) { _ in
      ["query:filter[x]", "query:filter[y]", "/map/@type/0", "/a~1b", "/@other"].map { Self.drift($0) }
    }
    let log = log(comparer)
    let id = record(Self.exchange(.example(logsBodies: false)), in: log)
    await comparer.finish()
    #expect(
      log.detail(id: id)?.row.drift?.map(\.pointer) == ["query:filter[x]", "?", "/map/@type/0", "/a~1b", "/?"])
  }

  @Test func aRowThatIsGoneIsNotBroughtBack() async {
    let comparer = ExchangeComparer()
    let log = log(comparer, capacity: 1)
    record(Self.exchange(), in: log)
    record(Self.exchange(), in: log)
    comparer.start { _ in [Self.drift("/a")] }
    await comparer.finish()
    #expect(log.rows().events.count == 1 && log.driftSummary.endpoints.first?.rows == 1)
    log.clear()
    #expect(log.driftSummary == DriftSummary())
  }
}

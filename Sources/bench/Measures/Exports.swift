import Console
import FoundationEssentials
import HTTPTypes
import JSON
import Logging
import Observability
import Redaction

/// Measures the scan of a full log for secrets and its export as an archive.
enum Exports {
  private static let rowCount = 10_000

  /// Fills a log with 10,000 rows, scans the export bundle, and writes the archive chunk by chunk without keeping it.
  static func measure() async throws -> [Figure] {
    let registry = SecretRegistry(tagKey: [1, 2, 3, 4])
    for number in 0..<8 {
      registry.register("person-\(number)@example.com", kind: .email)
      registry.register(String(repeating: "aZ09_", count: 20) + "\(number)", kind: .token)
      registry.register("48\(number)913", kind: .code)
    }
    let log = NetworkLog(capacity: rowCount, bodyBytes: 64 << 20, registry: registry) { _ in }
    for number in 0..<rowCount { record(number, in: log) }
    let before = ProcessFacts.now().residentKiB
    var peak = before
    let started = ContinuousClock.now
    let bundle = ExportBundle(
      selection: ExportSelection(of: log),
      surroundings: .init(
        version: "bench", createdAt: Timestamp(milliseconds: 1_790_000_000_000), backend: "https://backend.test",
        isEmbedded: false,
        session: "authenticated", dropped: 0, timeline: [], faults: Array("[]".utf8)),
      viewer: ConsolePages.viewer(of: try ConsolePages.files(folder: "Public", logger: Logger(label: "bench"))))
    let scan = ExportScan(registry: registry)
    let files = bundle.files
    var digests: [ExportScan.Digest] = []
    for file in files { digests.append(try scan.digest(file)) }
    let scanned = Quantiles([ContinuousClock.now - started])(0) / 1e6
    peak = max(peak, ProcessFacts.now().residentKiB)
    let archive = try ZipStream(
      files: files + [ExportBundle.digests(digests)], createdAt: Timestamp(milliseconds: 1_790_000_000_000))
    var size = 0
    var chunks = 0
    while let chunk = try await archive.next() {
      size += chunk.count
      chunks += 1
      if chunks % 16 == 0 { peak = max(peak, ProcessFacts.currentKiB()) }
    }
    let took = Quantiles([ContinuousClock.now - started])(0) / 1e6
    let extra = Double(peak - before) / 1024
    let plain = Double(digests.reduce(0) { $0 + $1.byteCount }) / 1e6
    return [
      Figure(
        work: "exporting \(rowCount) rows as zip (\(Figure.number(plain)) MB plain, \(Figure.number(Double(size) / 1e6)) MB)",
        goal: "≤ 3 s",
        measured: "\(Figure.number(took, places: 2)) s, of which \(Figure.number(scanned, places: 2)) s looked through",
        isMet: took <= 3),
      Figure(work: "memory while exporting", goal: "≤ 32 MB extra", measured: "\(Figure.number(extra)) MB", isMet: extra <= 32),
    ]
  }

  /// Records a typical call of the app: a dozen header fields and one to three kilobytes of JSON.
  static func record(_ number: Int, in log: NetworkLog) {
    let endpoint = EndpointTraits(name: "get_cues", isAuthentication: false, logsRequestBody: true, logsResponseBody: true)
    let cue = #"{"cue_id":"c-\#(number)","prompt":"el río número \#(number)","answer":"the river","stage":"new","position":4}"#
    let body =
      #"{"cues":[\#((0..<(8 + number % 16)).map { _ in cue }.joined(separator: ","))],"server_time":"2026-11-21T09:00:00.000Z"}"#
    let request = RawRequest(
      method: .post, origin: "https://backend.test", path: "/rpc/get_cues", query: "profile_id=p-\(number)", endpoint: endpoint,
      headers: [
        ("Accept", "application/json"), ("Content-Type", "application/json"), ("User-Agent", "understudy/1"),
        ("X-Request-ID", "11111111-1111-4111-8111-\(100_000_000_000 + number)"), ("X-Device-ID", "device-\(number % 7)"),
        ("Authorization", "Bearer " + String(repeating: "aZ09_", count: 20) + "\(number % 8)"),
      ], body: Array(#"{"profile_id":"p-\#(number)","email":"person-3@example.com"}"#.utf8))
    let id = log.begin(
      request,
      of: AttemptOrigin(
        callID: "call-\(number)", flowID: "flow-\(number / 10)", flow: "cues",
        startedAt: Date(timeIntervalSince1970: 1_790_000_000 + Double(number))))
    log.finish(
      id,
      with: RawExchange(
        request: request,
        response: RawResponse(
          status: number % 20 == 0 ? 503 : 200,
          headers: [
            ("Content-Type", "application/json"), ("Date", "Sat, 21 Nov 2026 09:00:00 GMT"), ("Server", "understudy"),
            ("Cache-Control", "no-store"), ("X-Request-ID", "11111111-1111-4111-8111-\(100_000_000_000 + number)"),
          ], body: Array(body.utf8)),
        timings: NetworkTimings(queue: 0.1, send: 0.2, wait: 12.5, receive: 0.7, total: 13.6),
        state: number % 20 == 0 ? .failure : .success, error: number % 20 == 0 ? "unavailable" : nil))
  }
}

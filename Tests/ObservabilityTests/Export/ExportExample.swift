import FoundationEssentials
import HTTPTypes

@testable import Observability
@testable import Redaction
import Support

/// A log with rows of every kind, for exports.
struct ExportExample {
  let registry = SecretRegistry(tagKey: [7, 7, 7])
  let log: NetworkLog

  static let token = "aZ09-SecretAccessToken_0123456789-abcdefghijkl"
  static let email = "dana.example+x@example.com"

  init(plain count: Int = 0) {
    registry.register(Self.token, kind: .token)
    registry.register(Self.email, kind: .email)
    log = NetworkLog(capacity: 20_000, bodyBytes: 64 << 20, registry: registry) { _ in }
    if count == 0 { addEveryKind() }
    for number in 0..<count {
      add(body: #"{"n":\#(number)}"#, answer: #"{"ok":true,"n":\#(number)}"#, at: Double(number))
    }
  }

  /// Adds a finished call and returns its ID.
  @discardableResult
  func add(
    _ method: HTTPRequest.Method = .post, path: String = "/rpc/get_cues", query: String? = nil, flow: String = "cues",
    headers: [(name: String, value: String)] = [], body: String = "", answer: String? = "{}",
    answerHeaders: [(name: String, value: String)] = [("Content-Type", "application/json")], status: Int = 200,
    timings: NetworkTimings = NetworkTimings(send: 0.1, wait: 2, receive: 0.3, total: 2.4), source: NetworkRow.Source = .network,
    fault: String? = nil, error: String? = nil, errorDetail: String? = nil, logsBodies: Bool = true, at seconds: Double = 0
  ) -> String {
    let request = RawRequest(
      method: method, origin: "https://backend.test", path: path, query: query,
      endpoint: EndpointTraits(
        name: path.split(separator: "/").last.map(String.init) ?? path, isAuthentication: false, logsRequestBody: logsBodies,
        logsResponseBody: logsBodies), headers: headers, body: Array(body.utf8))
    let id = log.begin(
      request,
      of: AttemptOrigin(
        callID: "call", flowID: "flow", flow: flow, startedAt: Date(timeIntervalSince1970: 1_790_000_000 + seconds)))
    let response = answer.map { RawResponse(status: status, headers: answerHeaders, body: Array($0.utf8)) }
    log.finish(
      id,
      with: RawExchange(
        request: request, response: response, timings: timings, state: response != nil && status < 400 ? .success : .failure,
        source: source, faultID: fault,
        fault: fault.map { _ in RowFault(name: "Down | \(Self.email)", action: "status", preset: "backend-down") },
        error: error, errorDetail: errorDetail))
    return id
  }

  private func addEveryKind() {
    add(
      .get, path: "/rpc/me", query: "a=1&email=\(Self.email)&b=%20x%2By",
      headers: [("Accept", "application/json"), ("Authorization", "Bearer \(Self.token)"), ("X-Twice", "1"), ("X-Twice", "2")],
      answer: #"{"email":"\#(Self.email)","name":"D'ana \"quoted\" \\ </script>"}"#,
      timings: NetworkTimings(
        queue: 0.5, dns: 1.25, connect: 2, tls: 7.5, send: 0.05, wait: 12.34, receive: 0.66, total: 24.3))
    add(
      headers: [("Content-Type", "application/json")], body: #"{"profile_id":"p'1","note":"$(touch x) `id` ! \\"}"#, answer: nil,
      timings: NetworkTimings(total: 30_000), error: "timeout", errorDetail: "no byte for 30 s", at: 1)
    add(
      body: #"{"token":"\#(Self.token)"}"#, answer: #"{"error":{"code":"unavailable"}}"#, status: 503, source: .fault,
      fault: "f-1", error: "unavailable", at: 2)
    add(body: #"{"code":"123456"}"#, answer: #"{"access_token":"x"}"#, logsBodies: false, at: 3)
    add(.get, path: "/old", answer: "", answerHeaders: [("Location", "/new?token=\(Self.token)")], status: 302, at: 4)
    add(
      .get, answer: #"{"emoji":"🌊","é":"ü"}"#,
      answerHeaders: [("Content-Type", "application/json"), ("Content-Encoding", "gzip")],
      timings: NetworkTimings(), source: .cache, at: 2.5)
    let request = RawRequest.example(logsBodies: false)
    _ = log.begin(
      request, of: AttemptOrigin(callID: "c", flowID: "f", flow: "wait", startedAt: Date(timeIntervalSince1970: 1_790_000_009)),
      state: .waiting)
  }

  /// The rows, oldest first.
  var rows: [NetworkRowDetail] { ExportSelection(of: log).rows }

  /// All bytes of a file.
  static func bytes(_ file: ExportFile) -> [UInt8] { (0..<file.pieceCount).flatMap { file.piece($0) } }
}

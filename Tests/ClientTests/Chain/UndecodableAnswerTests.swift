import Client
import Domain
import HTTPTypes
import Observability
import RPC
import Support
import Testing

/// A successful status whose body the app cannot use is a failure wherever anybody looks.
@Suite(.timeLimit(.minutes(1)))
struct UndecodableAnswerTests {
  @Test(arguments: [
    ("", "the body is empty, expected JSON"), ("<html>", "the body is not JSON"),
    (#"{"cues":[{"cue_id":"a"#, "the body is not JSON"),
    (#"{"server_time":"2026-11-21T12:00:00Z"}"#, "cues is missing, expected an array"),
    (#"{"cues":{},"server_time":"2026-11-21T12:00:00Z"}"#, "cues is an object, expected an array"),
  ])
  func theRowSaysWhatIsWrong(body: String, detail: String) async throws {
    let reports = LockedBox<[AttemptReport]>([])
    let harness = try ClientHarness(onAttempt: { reports.value.append($0) })
    try await harness.signIn()
    harness.backend.on(CueEndpoints.GetCues.path) { _ in TransportResponse(status: 200, body: Array(body.utf8)) }
    let api = harness.stack.api
    let result = await ClientHarness.result { () throws(NetworkError) in try await api.send(CueEndpoints.GetCues(profileID: "p"))
    }
    guard case .failure(.unexpectedPayload(let mismatch)) = result else { throw NetworkError.transport("\(result)") }
    #expect(mismatch.description == detail)
    let row = try #require(harness.log.rows().events.last)
    #expect(row.endpoint == "get_cues" && row.status == 200 && row.state == .failure)
    #expect(row.error == "unexpected_payload" && row.errorDetail == mismatch.description)
    var filter = NetworkFilter()
    filter.status = .error
    #expect(harness.log.rows(filter: filter).events.map(\.id) == [row.id])
    // Metrics and events count it once, as failed.
    let own = reports.value.filter { $0.endpoint == "get_cues" }
    #expect(own.map(\.error) == ["unexpected_payload"] && own.map(\.status) == [200])
    #expect(harness.backend.requests(CueEndpoints.GetCues.path).count == 1, "it is not retried")
  }

  @Test func theLogNamesTheFieldAndNoValue() async throws {
    let log = CapturedLog()
    let harness = try ClientHarness(logger: log.logger())
    try await harness.signIn()
    harness.backend.on(AccountEndpoints.Me.path) { _ in
      ScriptedBackend.text(200, #"{"user_id":["secret-value"],"account_id":["secret-value"]}"#)
    }
    let error = await harness.me().error
    let line = try #require(log.texts.first { $0.contains("cannot be decoded") })
    #expect(line.hasPrefix("warning") && line.contains("_id is an array, expected a string"))
    #expect(!"\(String(describing: error)) \(log.texts)".contains("secret-value"))
  }

  /// A replayed request is read as the app would read it.
  @Test func aReplayedRequestIsReadToo() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.on(AccountEndpoints.Me.path) { _ in TransportResponse(status: 200, body: Array("<html>".utf8)) }
    let request = try ComposedRequest(
      method: "GET", path: AccountEndpoints.Me.path, query: nil, body: nil, isAuthorized: true, isConfirmed: false)
    try await harness.stack.api.send(request) { _ in }
    let row = try #require(harness.log.rows().events.last)
    #expect(row.source == .composed && row.state == .failure && row.error == "unexpected_payload")
  }
}

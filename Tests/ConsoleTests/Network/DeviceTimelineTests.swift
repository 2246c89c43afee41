import Console
import Domain
import FoundationEssentials
import HTTPTypes
import Observability
import Testing

/// Transitions and rows in every order in which two threads can bring them.
@Suite struct DeviceTimelineTests {
  /// A log whose rows a timeline hears of, as a device has them.
  private final class Bench: Sendable {
    let timeline = DeviceTimeline(wall: { Date(timeIntervalSince1970: 0) })
    let log: NetworkLog

    init() {
      let timeline = timeline
      log = NetworkLog(capacity: 100, bodyBytes: 0, registry: SecretRegistry(tagKey: [1])) { timeline.note($0) }
    }

    func begin(_ endpoint: String, call: String = "c", parent: String? = nil) -> String {
      log.begin(
        request(endpoint),
        of: AttemptOrigin(
          callID: call, parentID: parent, flowID: "f", flow: "f", attempt: 1, startedAt: Date(timeIntervalSince1970: 0)))
    }

    func end(_ row: String, _ endpoint: String, status: Int, faultID: String? = nil, error: String? = nil) {
      log.finish(
        row,
        with: RawExchange(
          request: request(endpoint), response: RawResponse(status: status, headers: [], body: []), timings: NetworkTimings(),
          state: status < 400 ? .success : .failure, faultID: faultID, error: error))
    }

    func state(_ phase: SessionState.Phase, _ reason: String? = nil) {
      timeline.note(SessionState(number: 1, phase: phase, since: Date(timeIntervalSince1970: 0), reason: reason))
    }

    var last: TimelineEntry? { timeline.entries.last }

    private func request(_ endpoint: String) -> RawRequest {
      RawRequest(
        method: .post, origin: "https://b.test", path: "/rpc/\(endpoint)", query: nil,
        endpoint: EndpointTraits(name: endpoint, isAuthentication: false, logsRequestBody: false, logsResponseBody: false),
        headers: [], body: [])
    }
  }

  @Test(arguments: [true, false])
  func aRefreshNamesItsCauseWhicheverComesFirst(rowFirst: Bool) {
    let bench = Bench()
    bench.state(.authenticated)
    if rowFirst {
      _ = bench.begin("refresh_tokens", parent: "refused")
      bench.state(.refreshing)
    } else {
      bench.state(.refreshing)
      _ = bench.begin("refresh_tokens", parent: "refused")
    }
    #expect(bench.last?.to == "refreshing" && bench.last?.rowID == "refused")
  }

  @Test func aRefreshAheadOfTimeTakesNoEarlierCause() {
    let bench = Bench()
    bench.state(.authenticated)
    bench.state(.refreshing)
    _ = bench.begin("refresh_tokens", call: "1", parent: "refused")
    // A lost connection: the same call once more.
    let second = bench.begin("refresh_tokens", call: "1", parent: "refused")
    bench.state(.authenticated)
    #expect(bench.last?.rowID == second)
    _ = bench.begin("refresh_tokens", call: "2")
    bench.state(.refreshing)
    #expect(bench.last?.rowID == nil)
  }

  @Test func theSamePhaseIsNoTransition() {
    let bench = Bench()
    bench.state(.signedOut)
    bench.state(.authenticated)
    bench.state(.authenticated, "storage_full")
    #expect(bench.timeline.entries.count == 1)
  }

  @Test func aRefusalOfTheLoginIsNotBehindALogout() {
    let bench = Bench()
    let login = bench.begin("login_with_code")
    bench.end(login, "login_with_code", status: 200)
    bench.state(.authenticated)
    #expect(bench.last?.rowID == login)
    let refused = bench.begin("get_cues")
    bench.end(refused, "get_cues", status: 401)
    let wrong = bench.begin("login_with_code")
    bench.end(wrong, "login_with_code", status: 401)
    bench.state(.signedOut, "device_not_registered")
    #expect(bench.last?.rowID == refused)
    bench.state(.authenticated)
    bench.state(.signedOut, "user")
    #expect(bench.last?.rowID == nil)
  }

  @Test func aFaultThatActedIsAnEntryOnce() {
    let bench = Bench()
    let row = bench.begin("me")
    bench.end(row, "me", status: 503, faultID: "fault", error: "unavailable")
    bench.end(row, "me", status: 503, faultID: "fault", error: "unavailable")
    #expect(bench.timeline.entries.map(\.kind) == [.fault])
    #expect(bench.last?.name == "fault" && bench.last?.reason == "unavailable" && bench.last?.rowID == row)
  }
}

import Console
import Domain
import FoundationEssentials
import HTTPTypes
import Observability
import Redaction
import Testing

/// Transitions and rows in every order in which two threads can report them.
@Suite struct DeviceTimelineTests {
  /// A log and its timeline, connected as in a device.
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

    func end(
      _ row: String, _ endpoint: String, status: Int, faultID: String? = nil, fault: RowFault? = nil, error: String? = nil
    ) {
      log.finish(
        row,
        with: RawExchange(
          request: request(endpoint), response: RawResponse(status: status, headers: [], body: []), timings: NetworkTimings(),
          state: status < 400 ? .success : .failure, source: fault == nil ? nil : .fault, faultID: faultID, fault: fault,
          error: error
        ))
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
  func aRefreshHasItsCauseInEitherOrder(rowFirst: Bool) {
    let harness = Bench()
    harness.state(.authenticated)
    if rowFirst {
      _ = harness.begin("refresh_tokens", parent: "refused")
      harness.state(.refreshing)
    } else {
      harness.state(.refreshing)
      _ = harness.begin("refresh_tokens", parent: "refused")
    }
    #expect(harness.last?.to == "refreshing" && harness.last?.rowID == "refused")
  }

  @Test func anEarlyRefreshDoesNotTakeAnEarlierCause() {
    let harness = Bench()
    harness.state(.authenticated)
    harness.state(.refreshing)
    _ = harness.begin("refresh_tokens", call: "1", parent: "refused")
    // A lost connection: the same call once more.
    let second = harness.begin("refresh_tokens", call: "1", parent: "refused")
    harness.state(.authenticated)
    #expect(harness.last?.rowID == second)
    _ = harness.begin("refresh_tokens", call: "2")
    harness.state(.refreshing)
    #expect(harness.last?.rowID == nil)
  }

  @Test func theSamePhaseIsNotATransition() {
    let harness = Bench()
    harness.state(.signedOut)
    harness.state(.authenticated)
    harness.state(.authenticated, "storage_full")
    #expect(harness.timeline.entries.count == 1)
  }

  @Test func aFailedLoginIsNotTheCauseOfALogout() {
    let harness = Bench()
    let login = harness.begin("login_with_code")
    harness.end(login, "login_with_code", status: 200)
    harness.state(.authenticated)
    #expect(harness.last?.rowID == login)
    let refused = harness.begin("get_cues")
    harness.end(refused, "get_cues", status: 401)
    let wrong = harness.begin("login_with_code")
    harness.end(wrong, "login_with_code", status: 401)
    harness.state(.signedOut, "device_not_registered")
    #expect(harness.last?.rowID == refused)
    harness.state(.authenticated)
    harness.state(.signedOut, "user")
    #expect(harness.last?.rowID == nil)
  }

  @Test(arguments: [true, false])
  func sessionEndNamesItsRowAndTheRuleThatResponded(isFault: Bool) {
    let harness = Bench()
    harness.state(.authenticated)
    harness.state(.refreshing)
    let row = harness.begin("refresh_tokens")
    let fault = isFault ? RowFault(name: "Down", action: "revoke_refresh_token", preset: "refresh-revoked") : nil
    harness.end(row, "refresh_tokens", status: 401, faultID: isFault ? "f" : nil, fault: fault, error: "invalid_token")
    harness.state(.signedOut, "invalid_token")
    let end = harness.timeline.entries.last { $0.kind == .session }
    #expect(end?.to == "signed_out" && end?.rowID == row)
    #expect(end?.faultName == fault?.name && end?.preset == fault?.preset)
  }

  @Test func signOutNamesTheCallThatFollowsIt() {
    let harness = Bench()
    harness.state(.authenticated)
    harness.state(.signedOut, "user")
    let row = harness.begin("logout")
    #expect(harness.last?.reason == "user" && harness.last?.rowID == row)
    _ = harness.begin("logout")
    #expect(harness.last?.rowID == row, "the first one is its call")
  }

  @Test func aFaultThatActedMakesOneEntry() {
    let harness = Bench()
    let row = harness.begin("me")
    harness.end(row, "me", status: 503, faultID: "fault", error: "unavailable")
    harness.end(row, "me", status: 503, faultID: "fault", error: "unavailable")
    #expect(harness.timeline.entries.map(\.kind) == [.fault])
    #expect(harness.last?.name == "fault" && harness.last?.reason == "unavailable" && harness.last?.rowID == row)
  }
}

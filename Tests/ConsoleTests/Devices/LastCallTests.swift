import Client
import Observability
import HTTPTypes
import JSON
import RPC
import Support
import Testing

@testable import Console

@Suite(.timeLimit(.minutes(1))) struct LastCallTests {
  private static func report(status: Int? = nil, error: String? = nil, isSimulated: Bool = false) -> AttemptReport {
    AttemptReport(
      endpoint: "me", status: status, error: error, timings: NetworkTimings(), isSimulated: isSimulated)
  }

  @Test func anUnusableResponseOrNoneIsAFailure() {
    #expect(LastCall(Self.report(status: 200)) == .ok)
    #expect(LastCall(Self.report(status: 401, error: "unauthorized")) == .ok)
    #expect(LastCall(Self.report(status: 500, error: "server_error")) == .failed)
    #expect(LastCall(Self.report(status: 200, error: "unexpected_payload")) == .failed)
    for word in ["offline", "timeout", "connection_lost", "transport", "pin_mismatch", "tls_failed"] {
      #expect(LastCall(Self.report(error: word)) == .failed, "\(word)")
    }
    for word in ["cancelled", "session_ended", "storage_unavailable"] {
      #expect(LastCall(Self.report(error: word)) == nil, "\(word) says nothing about the backend")
    }
    #expect(LastCall(Self.report(status: 500, error: "server_error", isSimulated: true)) == nil)
    #expect(LastCall(Self.report(error: "offline", isSimulated: true)) == nil)
  }

  @Test func aChangeIsSignalledAndARepetitionIsNot() async {
    let watch = LastCallWatch()
    #expect(watch.last == .none)
    watch.note(Self.report(status: 200))
    watch.note(Self.report(error: "cancelled"))
    #expect(watch.last == .ok)
    var changes = watch.changes.makeAsyncIterator()
    _ = await changes.next()
    watch.note(Self.report(status: 200))
    watch.note(Self.report(status: 503, error: "server_error"))
    _ = await changes.next()
    #expect(watch.last == .failed)
  }

  @Test func theStateTellsTheLastCallAndTheClock() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    func backend() async -> JSONNode? { await harness.call(.get, "/api/state", as: caller).json?["backend"] }
    #expect(await harness.call(.get, "/api/account", as: caller).status == 200)
    #expect(await backend()?["last_call"]?.string == "ok")
    #expect(await backend()?["clock_ahead_seconds"]?.int64 == 0)
    // What a fault rule responds is not the backend's.
    let fault = #"{"match":{},"action":{"kind":"status","status":500}}"#
    #expect(await harness.call(.post, "/api/faults", fault, as: caller).status == 201)
    #expect(await harness.call(.get, "/api/account", as: caller).status == 502)
    #expect(await backend()?["last_call"]?.string == "ok")
    #expect(await harness.call(.delete, "/api/faults", as: caller).status == 204)
    harness.backend.on(AccountEndpoints.Me.path) { _ in AccountBackend.error(500, "internal") }
    harness.backend.on(AppEndpoints.AppConfig.path) { _ in AccountBackend.error(500, "internal") }
    #expect(await harness.call(.get, "/api/account", as: caller).status == 502)
    #expect(await backend()?["last_call"]?.string == "failed")
  }
}

import Client
import HTTPTypes
import JSON
import RPC
import Testing

/// Session transitions and the rows that caused them, as `GET /api/timeline` tells them.
@Suite(.timeLimit(.minutes(2))) struct TimelineRoutesTests {
  /// The session entries, of which the last has to lead to `state`.
  private func transitions(_ bench: ConsoleHarness, _ caller: ConsoleHarness.Caller, to state: String) async -> [JSONNode] {
    let entries = await bench.timeline(caller).filter { $0["kind"]?.string == "session" }
    #expect(entries.last?["to"]?.string == state)
    return entries
  }

  private func endpoint(_ bench: ConsoleHarness, _ caller: ConsoleHarness.Caller, _ entry: JSONNode?) async -> String? {
    guard let row = entry?["row_id"]?.string else { return nil }
    return await bench.call(.get, "/api/network/\(row)", as: caller).json?["endpoint"]?.string
  }

  @Test func aLoginAndALogoutAreTransitions() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
    var entries = await transitions(bench, caller, to: "authenticated")
    #expect(entries.last?["from"]?.string == "signed_out")
    #expect(await endpoint(bench, caller, entries.last) == "login_with_code")
    _ = await bench.call(.post, "/api/logout", as: caller)
    entries = await transitions(bench, caller, to: "signed_out")
    #expect(entries.last?["reason"]?.string == "user" && entries.last?["row_id"] == nil)
    let sequence = await bench.timeline(caller).compactMap { $0["seq"]?.int64 }
    #expect(sequence == Array(1...Int64(sequence.count)))
  }

  @Test func aRefreshNamesTheRefusalThatLedToItAndTheCallThatEndedIt() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
    bench.backend.on(AccountEndpoints.Me.path) { _ in AccountBackend.error(401, BackendErrorCode.accessTokenExpired) }
    bench.backend.on(AuthEndpoints.RefreshTokens.path) { _ in AccountBackend.error(401, BackendErrorCode.refreshTokenReused) }
    #expect(await bench.call(.get, "/api/profiles", as: caller).code == "session_ended")
    let entries = await transitions(bench, caller, to: "signed_out")
    try #require(entries.map { $0["to"]?.string } == ["authenticated", "refreshing", "signed_out"])
    #expect(await endpoint(bench, caller, entries[1]) == "me")
    #expect(await endpoint(bench, caller, entries[2]) == "refresh_tokens")
    #expect(entries[2]["reason"]?.string == "refresh_token_reused")
  }

  @Test func aPassingFailureOfARefreshIsATransitionToError() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
    bench.backend.on(AuthEndpoints.RefreshTokens.path) { _ in AccountBackend.error(503, BackendErrorCode.unavailable) }
    _ = await bench.call(.post, "/api/session/refresh", as: caller)
    let entries = await transitions(bench, caller, to: "error")
    #expect(await endpoint(bench, caller, entries.last) == "refresh_tokens")
    #expect(entries.first { $0["to"]?.string == "refreshing" }?["row_id"] == nil, "nobody was refused")
  }

  @Test func aSessionThatTheBackendEndsNamesTheRefusal() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
    bench.backend.on(AccountEndpoints.Me.path) { _ in AccountBackend.error(401, BackendErrorCode.deviceNotRegistered) }
    _ = await bench.call(.get, "/api/profiles", as: caller)
    let entries = await transitions(bench, caller, to: "signed_out")
    #expect(await endpoint(bench, caller, entries.last) == "me")
    #expect(entries.last?["reason"]?.string == "device_not_registered")
  }

  @Test func aDeletionNamesItsCall() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
    _ = await bench.call(.post, "/api/account/deletion", #"{"confirmation":"DELETE"}"#, as: caller)
    let entries = await transitions(bench, caller, to: "signed_out")
    #expect(await endpoint(bench, caller, entries.last) == "request_account_deletion")
    #expect(entries.last?["reason"]?.string == "account_deletion")
  }
}

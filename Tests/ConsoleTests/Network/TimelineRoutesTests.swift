import Client
import HTTPTypes
import JSON
import RPC
import Testing

/// Session transitions and the rows that caused them, as `GET /api/timeline` answers them.
@Suite(.timeLimit(.minutes(2))) struct TimelineRoutesTests {
  /// The session entries, of which the last has to lead to `state`.
  private func transitions(_ harness: ConsoleHarness, _ caller: ConsoleHarness.Caller, to state: String) async -> [JSONNode] {
    let entries = await harness.timeline(caller).filter { $0["kind"]?.string == "session" }
    #expect(entries.last?["to"]?.string == state)
    return entries
  }

  private func endpoint(_ harness: ConsoleHarness, _ caller: ConsoleHarness.Caller, _ entry: JSONNode?) async -> String? {
    guard let row = entry?["row_id"]?.string else { return nil }
    return await harness.call(.get, "/api/network/\(row)", as: caller).json?["endpoint"]?.string
  }

  @Test func aLoginAndALogoutAreTransitions() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    var entries = await transitions(harness, caller, to: "authenticated")
    #expect(entries.last?["from"]?.string == "signed_out")
    #expect(await endpoint(harness, caller, entries.last) == "login_with_code")
    _ = await harness.call(.post, "/api/logout", as: caller)
    entries = await transitions(harness, caller, to: "signed_out")
    #expect(entries.last?["reason"]?.string == "user")
    #expect(await endpoint(harness, caller, entries.last) == "logout")
    let sequence = await harness.timeline(caller).compactMap { $0["seq"]?.int64 }
    #expect(sequence == Array(1...Int64(sequence.count)))
  }

  @Test func aRefreshHasItsCauseAndItsResult() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    harness.backend.on(AccountEndpoints.Me.path) { _ in AccountBackend.error(401, BackendErrorCode.accessTokenExpired) }
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { _ in AccountBackend.error(401, BackendErrorCode.refreshTokenReused) }
    #expect(await harness.call(.get, "/api/profiles", as: caller).code == "session_ended")
    let entries = await transitions(harness, caller, to: "signed_out")
    try #require(entries.map { $0["to"]?.string } == ["authenticated", "refreshing", "signed_out"])
    #expect(await endpoint(harness, caller, entries[1]) == "me")
    #expect(await endpoint(harness, caller, entries[2]) == "refresh_tokens")
    #expect(entries[2]["reason"]?.string == "refresh_token_reused")
  }

  @Test func aTransientRefreshFailureIsATransitionToError() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { _ in AccountBackend.error(503, BackendErrorCode.unavailable) }
    _ = await harness.call(.post, "/api/session/refresh", as: caller)
    let entries = await transitions(harness, caller, to: "error")
    #expect(await endpoint(harness, caller, entries.last) == "refresh_tokens")
    #expect(entries.first { $0["to"]?.string == "refreshing" }?["row_id"] == nil, "nobody was refused")
  }

  @Test func aSessionEndedByTheBackendHasTheRefusalAsCause() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    harness.backend.on(AccountEndpoints.Me.path) { _ in AccountBackend.error(401, BackendErrorCode.deviceNotRegistered) }
    _ = await harness.call(.get, "/api/profiles", as: caller)
    let entries = await transitions(harness, caller, to: "signed_out")
    #expect(await endpoint(harness, caller, entries.last) == "me")
    #expect(entries.last?["reason"]?.string == "device_not_registered")
  }

  @Test func aDeletionHasItsCallAsCause() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    _ = await harness.call(.post, "/api/account/deletion", #"{"confirmation":"DELETE"}"#, as: caller)
    let entries = await transitions(harness, caller, to: "signed_out")
    #expect(await endpoint(harness, caller, entries.last) == "request_account_deletion")
    #expect(entries.last?["reason"]?.string == "account_deletion")
  }
}

import Domain
import FoundationEssentials
import HTTPTypes
import RPC
import Storage
import Support
import Testing

@testable import Client

/// Edge case 24: a user's data never reaches another user, and nothing of an ended session is kept.
///
/// The backend uses the same session id and the same tag for everybody, so that only the client can tell users apart.
@Suite(.timeLimit(.minutes(3)))
struct EdgeCase24OtherUsersDataTests {
  @Test func nextUserGetsAnAnswerOfTheirOwn() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.serveMe("alice")
    #expect(try await harness.me().get().body.userID == "alice")
    #expect(await harness.files().count == 1)
    await harness.stack.auth.logout(.user)
    #expect(await harness.files() == [])
    try await harness.signIn()
    harness.serveMe("bob")
    #expect(try await harness.me().get().body.userID == "bob")
    #expect(harness.backend.requests(AccountEndpoints.Me.path).allSatisfy { $0.headers[.ifNoneMatch] == nil })
    harness.cut()
    #expect(try await harness.me().get().body.userID == "bob")
  }

  /// A backend that sends no session id: the device's own id of the login separates users.
  @Test(arguments: [true, false])
  func withoutASessionIDNobodySeesTheDataOfAnother(logsOut: Bool) async throws {
    let harness = try CacheHarness()
    for path in [AuthEndpoints.LoginWithCode.path, AuthEndpoints.RefreshTokens.path] {
      harness.backend.on(path) { _ in
        let pair = harness.backend.issue()
        return TransportResponse(
          status: 200, body: Array(#"{"access_token":"\#(pair.accessToken)","refresh_token":"\#(pair.refreshToken)"}"#.utf8))
      }
    }
    try await harness.signIn()
    harness.serveMe("alice")
    _ = try await harness.me().get()
    let alice = await harness.files()
    #expect(alice.count == 1)
    // A refresh, or a restart, is the same login.
    #expect(await harness.stack.session.refresh() == .refreshed)
    #expect(await harness.files() == alice)
    let restarted = await harness.relaunched()
    await restarted.session.bootstrap()
    harness.cut()
    #expect(try await harness.me(of: restarted).get().body.userID == "alice")
    let second = await harness.relaunched()
    await second.session.bootstrap()
    if logsOut { await second.auth.logout(.user) }
    try await harness.signIn(second)
    #expect(await harness.me(of: second).error == .offline)
    await second.shutdown()
    #expect(await harness.files() == [])
    let third = await harness.relaunched()
    await third.session.bootstrap()
    harness.serveMe("bob")
    #expect(try await harness.me(of: third).get().body.userID == "bob")
    #expect(harness.backend.requests(AccountEndpoints.Me.path).last?.headers[.ifNoneMatch] == nil)
  }

  /// The process ends after the tokens of the next login were saved and before anything of the previous one was removed.
  @Test(arguments: ["session", nil]) func aLoginThatAKillInterruptedSeesNothingOfTheOneBefore(sessionID: String?) async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.serveMe("alice")
    _ = try await harness.me().get()
    #expect(await harness.files().count == 1)
    let pair = TokenPair(
      accessToken: "bob-access", refreshToken: "bob-refresh", expiresIn: 900, expiresAt: nil, refreshExpiresIn: nil,
      refreshExpiresAt: nil, sessionID: sessionID, profile: nil)
    let tokens = try SessionTokens(pair, sentAt: harness.time.now, sentWall: harness.time.wall)
    let store = SealedTokenStore(storage: harness.storage, key: harness.key, backendID: "backend", deviceID: "device")
    try store.save(StoredTokens(tokens, loginID: "the login of Bob"))
    let restarted = await harness.relaunched()
    for path in [AuthEndpoints.RefreshTokens.path, AccountEndpoints.Me.path] { harness.cut(path) }
    #expect(await restarted.session.bootstrap().phase == .error)
    #expect(await harness.me(of: restarted).error == .offline)
    await restarted.shutdown()
    #expect(await harness.files() == [])
  }

  @Test func nextUserWithoutTheBackendSeesNothing() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.serveMe("alice")
    _ = try await harness.me().get()
    await harness.stack.auth.logout(.user)
    try await harness.signIn()
    harness.cut()
    #expect(await harness.me().error == .offline)
  }

  @Test func loginWithoutALogoutDropsTheUserBeforeToo() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.serveMe("alice")
    _ = try await harness.me().get()
    try await harness.signIn()
    harness.cut()
    #expect(await harness.me().error == .offline)
    #expect(await harness.files() == [])
  }

  @Test(arguments: [false, true])
  func answerAfterTheLogoutIsNotKept(anotherSignsIn: Bool) async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    let gate = Gate()
    harness.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in
      await gate.pass()
      return ScriptedBackend.json(CacheHarness.me("alice"), headers: [.eTag: "\"1\""])
    }
    async let late = harness.me()
    await gate.waitForArrivals()
    await harness.stack.auth.logout(.user)
    if anotherSignsIn { try await harness.signIn() }
    gate.open()
    #expect(await late.error == .sessionEnded)
    #expect(await harness.files() == [])
    harness.cut()
    #expect(await harness.me().error == (anotherSignsIn ? .offline : .unauthorized))
  }

  @Test func confirmationForAnotherUserConfirmsNothing() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.serveMe("alice")
    _ = try await harness.me().get()
    // The call has looked up Alice's response and waits for a refresh when Bob signs in.
    harness.backend.expireAccessTokens()
    let gate = harness.backend.gateRefreshes()
    async let refresh = harness.stack.session.refresh()
    await gate.waitForArrivals()
    async let call = harness.me()
    await eventually { await harness.stack.session.waitingCount == 2 }
    await harness.stack.auth.logout(.user)
    try await harness.signIn()
    gate.open()
    #expect(await call.error == .sessionEnded)
    _ = await refresh
    #expect(harness.asked == 1)
  }

  @Test func answersOfASessionThatEndedBeforeTheRestartAreGone() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.serveMe("alice")
    _ = try await harness.me().get()
    #expect(await harness.files().count == 1)
    // Killed after the session ended but before its files were removed: the tokens are gone, the folder is not.
    try await harness.storage.write { try $0.run(script: "DELETE FROM client_token") }
    let stack = await harness.relaunched()
    _ = await stack.session.bootstrap()
    await stack.shutdown()
    #expect(await harness.files() == [])
  }

  @Test func otherBackendsAndDevicesHaveAnswersOfTheirOwn() async throws {
    let key = CacheKey(partition: "p", method: .get, origin: "https://a", path: "/b", query: nil, fields: [:])
    #expect(
      key.fileName != CacheKey(partition: "q", method: .get, origin: "https://a", path: "/b", query: nil, fields: [:]).fileName)
    #expect(
      key.fileName != CacheKey(partition: "p", method: .get, origin: "https://c", path: "/b", query: nil, fields: [:]).fileName)
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.serveMe("alice")
    _ = try await harness.me().get()
    var other = ClientHarness.configuration
    other.deviceID = "other"
    let stack = await harness.relaunched(configuration: other)
    try await harness.signIn(stack)
    harness.cut()
    #expect(await harness.me(of: stack).error == .offline)
  }

  @Test(arguments: 0..<8)
  func randomSchedulesOfCallsLogoutsAndLoginsLeakNothing(part: UInt64) async throws {
    for seed in 0..<UInt64(Rounds.scaled(10)) {
      let schedule = try UserSchedule(seed: part * 1000 + seed)
      try await schedule.run()
      #expect(schedule.leaks == [], "seed \(part * 1000 + seed)")
      // A client that never answers would leak nothing either.
      #expect(schedule.isAnsweredAtTheEnd, "seed \(part * 1000 + seed)")
    }
  }
}

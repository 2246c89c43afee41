import Domain
import GRDB
import HTTPTypes
import RPC
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
    let gate = Gate()
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { request throws(TransportError) in
      await gate.pass()
      return harness.backend.refresh(request)
    }
    async let refresh = harness.stack.session.refresh()
    await gate.waitForArrivals()
    async let call = harness.me()
    while await harness.stack.session.waitingCount < 2 { await Task.yield() }
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
    try await harness.database.write { try $0.execute(sql: "DELETE FROM client_token") }
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
    var answered = 0
    for seed in 0..<125 {
      let schedule = try UserSchedule(seed: part * 1000 + UInt64(seed))
      try await schedule.run()
      #expect(schedule.leaks == [], "seed \(part * 1000 + UInt64(seed))")
      answered += schedule.answered
    }
    // A schedule without any response would prove nothing.
    #expect(answered > 20)
  }
}

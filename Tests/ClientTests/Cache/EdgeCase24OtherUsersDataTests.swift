import Domain
import GRDB
import HTTPTypes
import RPC
import Support
import Testing

@testable import Client

/// Edge case 24 of the reference list: what one user's calls brought never reaches another, and nothing is kept of a session that is over.
///
/// The backend gives every session the same id and every answer the same tag, so that only the client tells users apart.
@Suite(.timeLimit(.minutes(3)))
struct EdgeCase24OtherUsersDataTests {
  @Test func nextUserGetsAnAnswerOfTheirOwn() async throws {
    let bench = try CacheHarness()
    try await bench.signIn()
    bench.serveMe("alice")
    #expect(try await bench.me().get().body.userID == "alice")
    #expect(await bench.files().count == 1)
    await bench.stack.auth.logout(.user)
    #expect(await bench.files() == [])
    try await bench.signIn()
    bench.serveMe("bob")
    #expect(try await bench.me().get().body.userID == "bob")
    #expect(bench.backend.requests(AccountEndpoints.Me.path).allSatisfy { $0.headers[.ifNoneMatch] == nil })
    bench.cut()
    #expect(try await bench.me().get().body.userID == "bob")
  }

  @Test func nextUserWithoutTheBackendSeesNothing() async throws {
    let bench = try CacheHarness()
    try await bench.signIn()
    bench.serveMe("alice")
    _ = try await bench.me().get()
    await bench.stack.auth.logout(.user)
    try await bench.signIn()
    bench.cut()
    #expect(await bench.me().error == .offline)
  }

  @Test func loginWithoutALogoutDropsTheUserBeforeToo() async throws {
    let bench = try CacheHarness()
    try await bench.signIn()
    bench.serveMe("alice")
    _ = try await bench.me().get()
    try await bench.signIn()
    bench.cut()
    #expect(await bench.me().error == .offline)
    #expect(await bench.files() == [])
  }

  @Test(arguments: [false, true])
  func answerAfterTheLogoutIsNotKept(anotherSignsIn: Bool) async throws {
    let bench = try CacheHarness()
    try await bench.signIn()
    let gate = Gate()
    bench.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in
      await gate.pass()
      return ScriptedBackend.json(CacheHarness.me("alice"), headers: [.eTag: "\"1\""])
    }
    async let late = bench.me()
    await gate.waitForArrivals()
    await bench.stack.auth.logout(.user)
    if anotherSignsIn { try await bench.signIn() }
    gate.open()
    #expect(await late.error == .sessionEnded)
    #expect(await bench.files() == [])
    bench.cut()
    #expect(await bench.me().error == (anotherSignsIn ? .offline : .unauthorized))
  }

  @Test func confirmationForAnotherUserConfirmsNothing() async throws {
    let bench = try CacheHarness()
    try await bench.signIn()
    bench.serveMe("alice")
    _ = try await bench.me().get()
    // The call has looked up Alice's answer and waits for a refresh when Bob takes her place.
    bench.backend.expireAccessTokens()
    let gate = Gate()
    bench.backend.on(AuthEndpoints.RefreshTokens.path) { request throws(TransportError) in
      await gate.pass()
      return bench.backend.refresh(request)
    }
    async let refresh = bench.stack.session.refresh()
    await gate.waitForArrivals()
    async let call = bench.me()
    while await bench.stack.session.waitingCount < 2 { await Task.yield() }
    await bench.stack.auth.logout(.user)
    try await bench.signIn()
    gate.open()
    #expect(await call.error == .sessionEnded)
    _ = await refresh
    #expect(bench.asked == 1)
  }

  @Test func answersOfASessionThatEndedBeforeTheRestartAreGone() async throws {
    let bench = try CacheHarness()
    try await bench.signIn()
    bench.serveMe("alice")
    _ = try await bench.me().get()
    #expect(await bench.files().count == 1)
    // Killed between the end of the session and that of its files: the tokens are gone, the folder is not.
    try await bench.database.write { try $0.execute(sql: "DELETE FROM client_token") }
    let stack = await bench.relaunched()
    _ = await stack.session.bootstrap()
    await stack.shutdown()
    #expect(await bench.files() == [])
  }

  @Test func otherBackendsAndDevicesHaveAnswersOfTheirOwn() async throws {
    let key = CacheKey(partition: "p", method: .get, origin: "https://a", path: "/b", query: nil, fields: [:])
    #expect(
      key.fileName != CacheKey(partition: "q", method: .get, origin: "https://a", path: "/b", query: nil, fields: [:]).fileName)
    #expect(
      key.fileName != CacheKey(partition: "p", method: .get, origin: "https://c", path: "/b", query: nil, fields: [:]).fileName)
    let bench = try CacheHarness()
    try await bench.signIn()
    bench.serveMe("alice")
    _ = try await bench.me().get()
    var other = ClientHarness.configuration
    other.deviceID = "other"
    let stack = await bench.relaunched(configuration: other)
    try await bench.signIn(stack)
    bench.cut()
    #expect(await bench.me(of: stack).error == .offline)
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
    // Nobody would leak anything if nobody got anything.
    #expect(answered > 20)
  }
}

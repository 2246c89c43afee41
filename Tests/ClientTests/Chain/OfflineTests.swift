import Client
import Domain
import HTTPTypes
import Observability
import RPC
import Support
import Locking
import Testing

/// What calls do while the backend is out of reach (seed 000 §6.1, seed 004 `waitsForConnectivity`).
@Suite(.timeLimit(.minutes(1)))
struct OfflineTests {
  /// A backend that can be taken out of reach; signed in.
  private func bench() async throws -> (ClientHarness, isDown: LockedBox<Bool>) {
    let bench = try ClientHarness(random: { 0 })
    let isDown = LockedBox(false)
    for path in [AccountEndpoints.Me.path, PlainPost.path, AuthEndpoints.RefreshTokens.path] {
      bench.backend.on(path) { request throws(TransportError) in
        if isDown.value { throw .offline(kind: .cannotConnect) }
        return bench.backend.answer(request)
      }
    }
    try await bench.signIn()
    return (bench, isDown)
  }

  private func background(_ bench: ClientHarness) -> Task<Result<MeBody, NetworkError>, Never> {
    Task { await Flow.$current.withValue(Flow(name: "sync", isBackground: true)) { await bench.me() } }
  }

  private func sent(_ bench: ClientHarness) -> Int { bench.backend.requests(AccountEndpoints.Me.path).count }

  @Test func aUsersCallFailsAtOnceOnceItIsClear() async throws {
    let (bench, isDown) = try await bench()
    isDown.value = true
    #expect(await bench.me() == .failure(.offline))
    #expect(sent(bench) == 3)
    #expect(bench.stack.connectivity.isOffline)
    // Nothing goes out and nobody sleeps.
    for _ in 0..<10 { #expect(await bench.me() == .failure(.offline)) }
    #expect(sent(bench) == 3)
    let row = try #require(bench.log.rows().events.last)
    #expect(row.state == .failure && row.error == "offline")
    #expect(try #require(bench.log.detail(id: row.id)).errorDetail == "nothing was sent")
  }

  @Test func itIsTriedAgainAndWorksOnceTheBackendIsBack() async throws {
    let (bench, isDown) = try await bench()
    isDown.value = true
    _ = await bench.me()
    isDown.value = false
    #expect(await bench.me() == .failure(.offline))
    bench.time.advance(by: .seconds(4))
    #expect((try? await bench.me().get()) != nil)
    #expect(!bench.stack.connectivity.isOffline)
    #expect((try? await bench.me().get()) != nil)
  }

  @Test func aSessionOutlivesTheOutage() async throws {
    let (bench, isDown) = try await bench()
    isDown.value = true
    _ = await bench.me()
    bench.backend.expireAccessTokens()
    #expect(await bench.session.refresh() == .failed(.offline))
    #expect(await bench.session.state.phase == .error)
    isDown.value = false
    bench.time.advance(by: .seconds(10))
    #expect((try? await bench.me().get()) != nil)
    #expect(await bench.session.state.phase == .authenticated)
  }

  @Test func aUserWhoAsksForARefreshIsNotToldOfAnOutageOfBefore() async throws {
    let (bench, isDown) = try await bench()
    isDown.value = true
    _ = await bench.me()
    #expect(await bench.stack.refresh() == .failed(.offline))
    isDown.value = false
    #expect(await bench.session.refresh() == .failed(.offline))
    #expect(await bench.stack.refresh() == .refreshed)
    #expect((try? await bench.me().get()) != nil)
  }

  @Test func aBackgroundCallWaitsAndGoesOutWhenAnotherGetsThrough() async throws {
    let (bench, isDown) = try await bench()
    bench.stack.connectivity.setForcedOffline(true)
    let call = background(bench)
    await bench.waitForPatient(1)
    let waiting = try #require(bench.log.rows().events.last)
    #expect(waiting.state == .waiting)
    #expect(sent(bench) == 0)
    // A user's call does not wait meanwhile.
    #expect(await bench.me() == .failure(.offline))
    isDown.value = false
    bench.stack.connectivity.setForcedOffline(false)
    #expect((try? await call.value.get()) != nil)
    let row = try #require(bench.log.detail(id: waiting.id)).row
    #expect(row.state == .success && row.status == 200 && row.attempt == 1)
    #expect(sent(bench) == 1)
  }

  @Test func aBackgroundCallSeesForItselfWhereNobodyElseDoes() async throws {
    let (bench, isDown) = try await bench()
    isDown.value = true
    let call = background(bench)
    // 1, 2, 4 s: each time it goes out itself, and nothing of it is a retry.
    for (attempts, wait) in [(1, 1), (2, 2), (3, 4)] {
      while sent(bench) < attempts { await Task.yield() }
      await bench.waitForPatient(1)
      #expect(sent(bench) == attempts)
      if attempts == 3 { isDown.value = false }
      bench.time.advance(by: .seconds(wait))
    }
    #expect((try? await call.value.get()) != nil)
    #expect(sent(bench) == 4)
    #expect(bench.log.rows().events.suffix(4).map(\.state) == [.failure, .failure, .failure, .success])
  }

  @Test func anUnkeyedPostWaitsToo() async throws {
    let (bench, isDown) = try await bench()
    isDown.value = true
    let api = bench.stack.api
    let call = Task {
      await Flow.$current.withValue(Flow(name: "sync", isBackground: true)) {
        await ClientHarness.result { () throws(NetworkError) in try await api.send(PlainPost()) }
      }
    }
    await bench.waitForPatient(1)
    isDown.value = false
    bench.time.advance(by: .seconds(1))
    #expect(await call.value == .success(NoBody()))
  }

  @Test func waitingEndsWithTheDeadline() async throws {
    let (bench, _) = try await bench()
    bench.stack.connectivity.setForcedOffline(true)
    let call = background(bench)
    await bench.waitForPatient(1)
    await bench.time.waitForSleepers()
    bench.time.advance(by: .seconds(60))
    #expect(await call.value == .failure(.offline))
    #expect(bench.log.rows().events.last?.state == .failure)
    #expect(sent(bench) == 0)
  }

  @Test func aCancelledWaiterLeavesAndTheOthersStay() async throws {
    let (bench, _) = try await bench()
    bench.stack.connectivity.setForcedOffline(true)
    let (first, second) = (background(bench), background(bench))
    await bench.waitForPatient(2)
    first.cancel()
    #expect(await first.value == .failure(.cancelled))
    #expect(bench.stack.connectivity.waitingCount == 1)
    #expect(bench.log.rows().events.contains { $0.state == .cancelled })
    bench.stack.connectivity.setForcedOffline(false)
    #expect((try? await second.value.get()) != nil)
  }

  @Test func whatOneUserLeftWaitingIsNotSentForAnother() async throws {
    let (bench, _) = try await bench()
    bench.stack.connectivity.setForcedOffline(true)
    let call = background(bench)
    await bench.waitForPatient(1)
    await bench.stack.auth.logout(.user)
    let adopted = try SessionTokens(bench.backend.issue(), sentAt: bench.time.now, sentWall: bench.time.wall)
    try await bench.session.adopt(adopted)
    bench.stack.connectivity.setForcedOffline(false)
    #expect(await call.value == .failure(.sessionEnded))
    #expect(sent(bench) == 0)
    #expect(bench.log.rows().events.last?.state == .failure)
  }

  @Test func withoutASessionABackgroundCallDoesNotWait() async throws {
    let bench = try ClientHarness()
    bench.stack.connectivity.setForcedOffline(true)
    #expect(await background(bench).value == .failure(.unauthorized))
    #expect(bench.log.rows().events.isEmpty)
  }

  @Test func manyThatWaitMakeFewAttempts() async throws {
    let (bench, isDown) = try await bench()
    isDown.value = true
    // The first makes it doubtful, so that the others wait.
    let first = background(bench)
    await bench.waitForPatient(1)
    let others = (0..<50).map { _ in background(bench) }
    await bench.waitForPatient(51)
    bench.time.advance(by: .seconds(1))
    while sent(bench) < 2 { await Task.yield() }
    await bench.waitForPatient(51)
    #expect(sent(bench) == 2)
    isDown.value = false
    bench.time.advance(by: .seconds(2))
    for call in [first] + others { #expect((try? await call.value.get()) != nil) }
    #expect(sent(bench) == 53)
  }

  @Test func anOutageSpendsNoMoreThanItsFirstRetries() async throws {
    let (bench, isDown) = try await bench()
    isDown.value = true
    for _ in 0..<300 { _ = await bench.me() }
    isDown.value = false
    bench.time.advance(by: .seconds(5))
    // The budget is nearly untouched: a safe call is still sent three times.
    let rest = LockedBox(2)
    bench.backend.on(AccountEndpoints.Me.path) { request throws(TransportError) in
      rest.value -= 1
      return rest.value >= 0 ? TransportResponse(status: 503) : bench.backend.answer(request)
    }
    #expect((try? await bench.me().get()) != nil)
  }
}

/// A value that a script and its test share.
final class LockedBox<Value: Sendable>: Sendable {
  private let mutex: Locked<Value>

  init(_ value: Value) { mutex = Locked(value) }

  var value: Value {
    get { mutex.withLock { $0 } }
    set { mutex.withLock { $0 = newValue } }
  }
}

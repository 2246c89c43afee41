import Domain
import HTTPTypes
import Observability
import RPC
import Support
import Locking
import Testing

@testable import Client

/// What calls do while the backend is unreachable (seed-rules N-77 "Offline is detected", N-78 "fail at once", C-11
/// "waitsForConnectivity").
@Suite(.timeLimit(.minutes(1)))
struct OfflineTests {
  /// A signed-in client and a switch that makes its backend unreachable.
  private func harness() async throws -> (ClientHarness, isDown: LockedBox<Bool>) {
    let harness = try ClientHarness(backoff: .none)
    let isDown = LockedBox(false)
    for path in [AccountEndpoints.Me.path, PlainPost.path, AuthEndpoints.RefreshTokens.path] {
      harness.backend.on(path) { request throws(TransportError) in
        if isDown.value { throw .offline(kind: .cannotConnect) }
        return harness.backend.answer(request)
      }
    }
    try await harness.signIn()
    return (harness, isDown)
  }

  private func background(_ harness: ClientHarness) -> Task<Result<MeBody, NetworkError>, Never> {
    Task { await Flow.$current.withValue(Flow(name: "sync", isBackground: true)) { await harness.me() } }
  }

  /// Makes the client take the backend for unreachable, as after failed attempts, without adding rows.
  private func cutOff(_ harness: ClientHarness) {
    for _ in 0..<Connectivity.threshold { harness.stack.connectivity.note(.unreachable) }
  }

  private func sent(_ harness: ClientHarness) -> Int { harness.backend.requests(AccountEndpoints.Me.path).count }

  @Test func aUsersCallFailsAtOnceOnceItIsClear() async throws {
    let (harness, isDown) = try await harness()
    isDown.value = true
    #expect(await harness.me() == .failure(.offline))
    #expect(sent(harness) == 3)
    #expect(harness.stack.connectivity.isOffline)
    // Nothing is sent and nobody sleeps.
    for _ in 0..<10 { #expect(await harness.me() == .failure(.offline)) }
    #expect(sent(harness) == 3)
    let row = try #require(harness.log.rows().events.last)
    #expect(row.state == .failure && row.error == "offline")
    #expect(try #require(harness.log.detail(id: row.id)).row.errorDetail == "nothing was sent")
  }

  @Test func itIsTriedAgainAndWorksOnceTheBackendIsBack() async throws {
    let (harness, isDown) = try await harness()
    isDown.value = true
    _ = await harness.me()
    isDown.value = false
    #expect(await harness.me() == .failure(.offline))
    harness.time.advance(by: .seconds(4))
    #expect((try? await harness.me().get()) != nil)
    #expect(!harness.stack.connectivity.isOffline)
    #expect((try? await harness.me().get()) != nil)
  }

  @Test func aSessionOutlivesTheOutage() async throws {
    let (harness, isDown) = try await harness()
    isDown.value = true
    _ = await harness.me()
    harness.backend.expireAccessTokens()
    #expect(await harness.session.refresh() == .failed(.offline))
    #expect(await harness.session.state.phase == .error)
    isDown.value = false
    harness.time.advance(by: .seconds(10))
    #expect((try? await harness.me().get()) != nil)
    #expect(await harness.session.state.phase == .authenticated)
  }

  @Test func aUserWhoAsksForARefreshIsNotToldOfAnOutageOfBefore() async throws {
    let (harness, isDown) = try await harness()
    isDown.value = true
    _ = await harness.me()
    #expect(await harness.stack.refresh() == .failed(.offline))
    isDown.value = false
    #expect(await harness.session.refresh() == .failed(.offline))
    #expect(await harness.stack.refresh() == .refreshed)
    #expect((try? await harness.me().get()) != nil)
  }

  @Test func aBackgroundCallWaitsAndGoesOutWhenAnotherGetsThrough() async throws {
    let (harness, isDown) = try await harness()
    cutOff(harness)
    let call = background(harness)
    await harness.waitForConnectivityWaiters(1)
    let waiting = try #require(harness.log.rows().events.last)
    #expect(waiting.state == .waiting)
    #expect(sent(harness) == 0)
    // A user's call does not wait.
    #expect(await harness.me() == .failure(.offline))
    isDown.value = false
    harness.stack.connectivity.note(.reached)
    #expect((try? await call.value.get()) != nil)
    let row = try #require(harness.log.detail(id: waiting.id)).row
    #expect(row.state == .success && row.status == 200 && row.attempt == 1)
    #expect(sent(harness) == 1)
  }

  @Test func aBackgroundCallSeesForItselfWhereNobodyElseDoes() async throws {
    let (harness, isDown) = try await harness()
    isDown.value = true
    let call = background(harness)
    // After 1, 2 and 4 s it is sent as a probe, which does not count as a retry.
    for (attempts, wait) in [(1, 1), (2, 2), (3, 4)] {
      await eventually { sent(harness) >= attempts }
      await harness.waitForConnectivityWaiters(1)
      #expect(sent(harness) == attempts)
      if attempts == 3 { isDown.value = false }
      harness.time.advance(by: .seconds(wait))
    }
    #expect((try? await call.value.get()) != nil)
    #expect(sent(harness) == 4)
    #expect(harness.log.rows().events.suffix(4).map(\.state) == [.failure, .failure, .failure, .success])
  }

  @Test func anUnkeyedPostWaitsToo() async throws {
    let (harness, isDown) = try await harness()
    isDown.value = true
    let api = harness.stack.api
    let call = Task {
      await Flow.$current.withValue(Flow(name: "sync", isBackground: true)) {
        await ClientHarness.result { () throws(NetworkError) in try await api.send(PlainPost()) }
      }
    }
    await harness.waitForConnectivityWaiters(1)
    isDown.value = false
    harness.time.advance(by: .seconds(1))
    #expect(await call.value == .success(NoBody()))
  }

  @Test func waitingEndsWithTheDeadline() async throws {
    let (harness, _) = try await harness()
    cutOff(harness)
    let call = background(harness)
    await harness.waitForConnectivityWaiters(1)
    await harness.time.waitForSleepers()
    harness.time.advance(by: .seconds(60))
    #expect(await call.value == .failure(.offline))
    #expect(harness.log.rows().events.last?.state == .failure)
    #expect(sent(harness) == 0)
  }

  @Test func aCancelledWaiterLeavesAndTheOthersStay() async throws {
    let (harness, _) = try await harness()
    cutOff(harness)
    let first = background(harness)
    let second = background(harness)
    await harness.waitForConnectivityWaiters(2)
    first.cancel()
    #expect(await first.value == .failure(.cancelled))
    #expect(harness.stack.connectivity.waitingCount == 1)
    #expect(harness.log.rows().events.contains { $0.state == .cancelled })
    harness.stack.connectivity.note(.reached)
    #expect((try? await second.value.get()) != nil)
  }

  @Test func whatOneUserLeftWaitingIsNotSentForAnother() async throws {
    let (harness, _) = try await harness()
    cutOff(harness)
    let call = background(harness)
    await harness.waitForConnectivityWaiters(1)
    await harness.stack.auth.logout(.user)
    let adopted = try SessionTokens(harness.backend.issue(), sentAt: harness.time.now, sentWall: harness.time.wall)
    try await harness.session.adopt(adopted)
    harness.stack.connectivity.note(.reached)
    #expect(await call.value == .failure(.sessionEnded))
    #expect(sent(harness) == 0)
    #expect(harness.log.rows().events.last?.state == .failure)
  }

  @Test func withoutASessionABackgroundCallDoesNotWait() async throws {
    let harness = try ClientHarness()
    cutOff(harness)
    #expect(await background(harness).value == .failure(.unauthorized))
    #expect(harness.log.rows().events.isEmpty)
  }

  @Test func manyThatWaitMakeFewAttempts() async throws {
    let (harness, isDown) = try await harness()
    isDown.value = true
    // The first one fails, so that the others wait.
    let first = background(harness)
    await harness.waitForConnectivityWaiters(1)
    let others = (0..<50).map { _ in background(harness) }
    await harness.waitForConnectivityWaiters(51)
    harness.time.advance(by: .seconds(1))
    await eventually { sent(harness) >= 2 }
    await harness.waitForConnectivityWaiters(51)
    #expect(sent(harness) == 2)
    isDown.value = false
    harness.time.advance(by: .seconds(2))
    for call in [first] + others { #expect((try? await call.value.get()) != nil) }
    #expect(sent(harness) == 53)
  }

  @Test func anOutageSpendsNoMoreThanItsFirstRetries() async throws {
    let (harness, isDown) = try await harness()
    isDown.value = true
    for _ in 0..<300 { _ = await harness.me() }
    isDown.value = false
    harness.time.advance(by: .seconds(5))
    // The retry budget is nearly full: a safe call is still sent three times.
    let rest = LockedBox(2)
    harness.backend.on(AccountEndpoints.Me.path) { request throws(TransportError) in
      rest.value -= 1
      return rest.value >= 0 ? TransportResponse(status: 503) : harness.backend.answer(request)
    }
    #expect((try? await harness.me().get()) != nil)
  }
}

/// A value shared by a script and its test.
final class LockedBox<Value: Sendable>: Sendable {
  private let mutex: Locked<Value>

  init(_ value: Value) { mutex = Locked(value) }

  var value: Value {
    get { mutex.withLock { $0 } }
    set { mutex.withLock { $0 = newValue } }
  }
}

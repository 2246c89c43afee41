import Client
import Domain
import FoundationEssentials
import HTTPTypes
import RPC
import Support
import Locking
import Testing

/// Retry and back-off over the whole chain (seed-rules C-12 to C-16 "(Retry)", N-80 to N-82 "retried"; edge cases 18 and 19).
@Suite(.timeLimit(.minutes(1)))
struct RetryTests {
  @Test(arguments: [408, 429, 500, 502, 503, 504])
  func safeCallsAreSentThreeTimes(status: Int) async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.script(AccountEndpoints.Me.path, Array(repeating: .success(TransportResponse(status: status)), count: 5))
    async let call = harness.me()
    for (attempt, wait) in [1, 2].enumerated() {
      await harness.time.waitForSleepers()
      harness.time.advance(by: .seconds(wait) - .milliseconds(1))
      #expect(harness.backend.requests(AccountEndpoints.Me.path).count == attempt + 1)
      harness.time.advance(by: .milliseconds(1))
    }
    let expected: NetworkError =
      switch status {
      case 408: .timeout
      case 429: .rateLimited(retryAfterSeconds: nil, retryAt: nil)
      default: .server(statusCode: status)
      }
    #expect(await call == .failure(expected))
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == 3)
  }

  @Test(
    arguments: [
      .offline(kind: .cannotFindHost), .offline(kind: .cannotConnect), .offline(kind: .notConnected),
      .offline(kind: .dnsLookupFailed),
      .timedOut(.idle), .connectionLost(mayHaveBeenProcessed: true),
    ] as [TransportError])
  func passingTransportFailuresAreRetried(error: TransportError) async throws {
    let harness = try ClientHarness(backoff: .none)
    try await harness.signIn()
    harness.backend.script(AccountEndpoints.Me.path, [.failure(error), .failure(error)])
    #expect((try? await harness.me().get()) != nil)
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == 3)
  }

  @Test(
    arguments: [
      (.tls("x"), .tlsFailed), (.pinMismatch(presented: ["p"]), .pinMismatch(presented: ["p"])), (.cancelled, .cancelled),
      (.responseTooLarge, .unexpectedPayload(.tooLarge)), (.malformedResponse, .unexpectedPayload(.notHTTP)),
      (.invalidURL, .transport("invalid_url")),
    ] as [(TransportError, NetworkError)])
  func otherTransportFailuresAreNot(error: TransportError, expected: NetworkError) async throws {
    let harness = try ClientHarness(backoff: .none)
    try await harness.signIn()
    harness.backend.script(AccountEndpoints.Me.path, [.failure(error)])
    #expect(await harness.me() == .failure(expected))
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == 1)
    #expect(harness.backend.refreshes == 0)
    #expect(await harness.session.state.phase == .authenticated)
  }

  @Test(arguments: [400, 403, 404, 409, 501])
  func otherStatusesAreNot(status: Int) async throws {
    let harness = try ClientHarness(backoff: .none)
    try await harness.signIn()
    harness.backend.script(AccountEndpoints.Me.path, [.success(TransportResponse(status: status))])
    #expect((try? await harness.me().get()) == nil)
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == 1)
  }

  @Test func postWithoutAKeyGoesOutOnce() async throws {
    let harness = try ClientHarness(backoff: .none)
    try await harness.signIn()
    harness.backend.script(PlainPost.path, [.success(TransportResponse(status: 503))])
    let api = harness.stack.api
    #expect(
      await ClientHarness.result { () throws(NetworkError) in try await api.send(PlainPost()) }
        == .failure(.server(statusCode: 503)))
    #expect(harness.backend.requests(PlainPost.path).count == 1)
    #expect(harness.backend.requests(PlainPost.path).allSatisfy { !$0.isReplayable })
  }

  @Test func neverSleepsPastTheDeadline() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in
      harness.time.advance(by: .seconds(30))
      return TransportResponse(status: 503)
    }
    async let call = harness.me()
    await harness.time.waitForSleepers()
    harness.time.advance(by: .seconds(1))
    #expect(await call == .failure(.server(statusCode: 503)))
    // 30 + 1 + 30 s exceed the call's 60 s, so there was no third attempt.
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == 2)
  }

  @Test func cancelledBackOffEndsAtOnce() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.script(AccountEndpoints.Me.path, [.success(TransportResponse(status: 503))])
    let call = Task { await harness.me() }
    await harness.time.waitForSleepers()
    call.cancel()
    #expect(await call.value == .failure(.cancelled))
  }

  @Test func waitingForARefreshCountsTowardsTheDeadline() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    let gate = harness.backend.gateRefreshes()
    harness.backend.expireAccessTokens()
    async let call = harness.me()
    await harness.waitForRefreshWaiters(1)
    await harness.time.waitForSleepers()
    harness.time.advance(by: .seconds(60))
    #expect(await call == .failure(.timeout))
    gate.open()
  }

  @Test(arguments: [429, 503]) func aLongWaitIsToldAtOnce(status: Int) async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.script(
      AccountEndpoints.Me.path, [.success(TransportResponse(status: status, headers: [.retryAfter: "20"]))])
    let error = try #require(await harness.me().error)
    #expect(error.retryAfterSeconds == 20)
    #expect(CallFailure(error) == (status == 429 ? .rateLimited(retryAfterSeconds: 20) : .unavailable(retryAfterSeconds: 20)))
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == 1)
  }

  @Test func theCallersWaitIsToldAtOnce() {
    let now = ContinuousClock().now
    for (seconds, delay) in [(nil, 1), (1, 1), (2, 2), (3, nil), (20, nil), (60, nil)] as [(Int?, Int?)] {
      #expect(
        RetryPlan.delay(
          afterAttempt: 1, retryAfterSeconds: seconds, backoff: .standard, random: 0.5, now: now, deadline: now + .seconds(60))
          == delay.map { .seconds($0) })
    }
  }

  @Test func pausesAreSpreadByATenth() {
    let now = ContinuousClock().now
    func delay(_ attempt: Int, _ random: Double, after seconds: Int? = nil) -> Duration? {
      RetryPlan.delay(
        afterAttempt: attempt, retryAfterSeconds: seconds, backoff: .standard, random: random, now: now,
        deadline: now + .seconds(1000))
    }
    #expect(delay(1, 0) == .milliseconds(900) && delay(1, 0.5) == .seconds(1) && delay(1, 1) == .milliseconds(1100))
    #expect(delay(2, 0) == .milliseconds(1800) && delay(2, 1) == .milliseconds(2200))
    #expect(delay(2, 0, after: 2) == .seconds(2) && delay(1, 0, after: 2) == .seconds(2))
    #expect(delay(3, 0) == nil)
    #expect((1...6).map { Backoff.standard.pause($0, random: 0.5) } == [1, 2, 4, 8, 10, 10].map { .seconds($0) })
    #expect(Backoff.standard.pause(5, random: 1) == .seconds(10))
  }
}

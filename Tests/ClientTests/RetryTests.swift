import Client
import Domain
import FoundationEssentials
import HTTPTypes
import RPC
import Support
import Synchronization
import Testing

/// Retry and back-off over the whole chain (seed 004, seed 000 §6.2; reference cases 18 and 19).
@Suite(.timeLimit(.minutes(1)))
struct RetryTests {
  /// Answers a path with one outcome after the other, then with success.
  private func script(
    _ bench: ClientBench, _ path: String, _ outcomes: [Result<TransportResponse, TransportError>]
  ) {
    let rest = Mutex(outcomes)
    bench.backend.on(path) { request throws(TransportError) in
      let next = rest.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      return try next?.get() ?? bench.backend.answer(request)
    }
  }

  @Test(arguments: [408, 429, 500, 502, 503, 504])
  func safeCallsAreSentThreeTimes(status: Int) async throws {
    let bench = try ClientBench()
    try await bench.signIn()
    script(bench, AccountEndpoints.Me.path, Array(repeating: .success(TransportResponse(status: status)), count: 5))
    async let call = bench.me()
    for (attempt, wait) in [1, 2].enumerated() {
      await bench.time.waitForSleepers()
      // Full jitter at its most: the back-off itself, and not a moment less.
      bench.time.advance(by: .seconds(wait) - .milliseconds(1))
      #expect(bench.backend.requests(AccountEndpoints.Me.path).count == attempt + 1)
      bench.time.advance(by: .milliseconds(1))
    }
    let expected: NetworkError =
      switch status {
      case 408: .timeout
      case 429: .rateLimited(retryAfterSeconds: nil, retryAt: nil)
      default: .server(statusCode: status)
      }
    #expect(await call == .failure(expected))
    #expect(bench.backend.requests(AccountEndpoints.Me.path).count == 3)
  }

  @Test(
    arguments: [
      .offline(kind: .cannotFindHost), .offline(kind: .cannotConnect), .offline(kind: .notConnected),
      .offline(kind: .dnsLookupFailed),
      .timedOut(.idle), .connectionLost(mayHaveBeenProcessed: true),
    ] as [TransportError])
  func passingTransportFailuresAreRetried(error: TransportError) async throws {
    let bench = try ClientBench(random: { 0 })
    try await bench.signIn()
    script(bench, AccountEndpoints.Me.path, [.failure(error), .failure(error)])
    #expect((try? await bench.me().get()) != nil)
    #expect(bench.backend.requests(AccountEndpoints.Me.path).count == 3)
  }

  @Test(
    arguments: [
      (.tls("x"), .tlsFailed), (.pinMismatch(presented: ["p"]), .pinMismatch(presented: ["p"])), (.cancelled, .cancelled),
      (.responseTooLarge, .unexpectedPayload), (.malformedResponse, .unexpectedPayload),
    ] as [(TransportError, NetworkError)])
  func otherTransportFailuresAreNot(error: TransportError, expected: NetworkError) async throws {
    let bench = try ClientBench(random: { 0 })
    try await bench.signIn()
    script(bench, AccountEndpoints.Me.path, [.failure(error)])
    #expect(await bench.me() == .failure(expected))
    #expect(bench.backend.requests(AccountEndpoints.Me.path).count == 1)
    #expect(bench.backend.refreshes == 0)
    #expect(await bench.session.state.phase == .authenticated)
  }

  @Test(arguments: [400, 403, 404, 409, 501])
  func otherStatusesAreNot(status: Int) async throws {
    let bench = try ClientBench(random: { 0 })
    try await bench.signIn()
    script(bench, AccountEndpoints.Me.path, [.success(TransportResponse(status: status))])
    #expect((try? await bench.me().get()) == nil)
    #expect(bench.backend.requests(AccountEndpoints.Me.path).count == 1)
  }

  @Test func postWithoutAKeyGoesOutOnce() async throws {
    let bench = try ClientBench(random: { 0 })
    try await bench.signIn()
    script(bench, PlainPost.path, [.success(TransportResponse(status: 503))])
    let api = bench.stack.api
    #expect(
      await ClientBench.result { () throws(NetworkError) in try await api.send(PlainPost()) }
        == .failure(.server(statusCode: 503)))
    #expect(bench.backend.requests(PlainPost.path).count == 1)
    #expect(bench.backend.requests(PlainPost.path).allSatisfy { !$0.isReplayable })
  }

  @Test func keyAndRequestIDStayTheSame() async throws {
    let bench = try ClientBench(random: { 0 })
    try await bench.signIn()
    let second = HTTPField.Name("X-Nonce")
    let idempotency = HTTPField.Name("Idempotency-Key")
    let requestID = HTTPField.Name("X-Request-ID")
    let signature = HTTPField.Name("X-Signature")
    let names = try #require([second, idempotency, requestID, signature] as? [HTTPField.Name])
    let count = Mutex(0)
    bench.backend.on(KeyedPost.path) { request throws(TransportError) in
      bench.time.advance(by: .seconds(1))
      switch count.withLock({
        $0 += 1; return $0
      }) {
      case 1: return TransportResponse(status: 503)
      case 2:
        bench.backend.expireAccessTokens()
        return ScriptedBackend.error(401, BackendErrorCode.accessTokenExpired)
      case 3: throw .timedOut(.idle)
      default: return bench.backend.answer(request)
      }
    }
    _ = try await bench.stack.api.send(KeyedPost())
    let requests = bench.backend.requests(KeyedPost.path)
    #expect(requests.count == 4)
    #expect(bench.backend.refreshes == 1)
    #expect(Set(requests.map { $0.headers[names[0]] }).count == 4)
    #expect(Set(requests.map { $0.headers[names[1]] }).count == 1)
    #expect(requests[0].headers[names[1]]?.count == 36)
    #expect(Set(requests.map { $0.headers[names[2]] }).count == 1)
    #expect(Set(requests.map { $0.headers[names[3]] }).count == 4)
    _ = try await bench.stack.api.send(KeyedPost())
    #expect(Set(bench.backend.requests(KeyedPost.path).map { $0.headers[names[1]] }).count == 2)
  }

  @Test(arguments: [("7", 7), ("Sat, 21 Nov 2026 12:00:09 GMT", 9)])
  func retryAfterIsTheLeastWait(value: String, seconds: Int) async throws {
    let bench = try ClientBench(random: { 0 })
    try await bench.signIn()
    script(bench, AccountEndpoints.Me.path, [.success(TransportResponse(status: 429, headers: [.retryAfter: value]))])
    async let call = bench.me()
    await bench.time.waitForSleepers()
    bench.time.advance(by: .seconds(seconds) - .milliseconds(1))
    #expect(bench.backend.requests(AccountEndpoints.Me.path).count == 1)
    bench.time.advance(by: .milliseconds(1))
    #expect((try? await call.get()) != nil)
  }

  @Test(arguments: ["61", "3600", "99999999999999999999"])
  func longRetryAfterIsTheCallersToKnow(value: String) async throws {
    let bench = try ClientBench()
    try await bench.signIn()
    script(bench, AccountEndpoints.Me.path, [.success(TransportResponse(status: 429, headers: [.retryAfter: value]))])
    let seconds = min(Int(value) ?? 86_400, 86_400)
    let retryAt = bench.time.wall.addingTimeInterval(Double(seconds))
    #expect(await bench.me() == .failure(.rateLimited(retryAfterSeconds: seconds, retryAt: retryAt)))
    #expect(bench.backend.requests(AccountEndpoints.Me.path).count == 1)
  }

  @Test func neverSleepsPastTheDeadline() async throws {
    let bench = try ClientBench()
    try await bench.signIn()
    bench.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in
      bench.time.advance(by: .seconds(30))
      return TransportResponse(status: 503)
    }
    async let call = bench.me()
    await bench.time.waitForSleepers()
    bench.time.advance(by: .seconds(1))
    #expect(await call == .failure(.server(statusCode: 503)))
    // 30 + 1 + 30 s are more than the 60 s of the call: there was no third attempt.
    #expect(bench.backend.requests(AccountEndpoints.Me.path).count == 2)
  }

  @Test func cancelledBackOffEndsAtOnce() async throws {
    let bench = try ClientBench()
    try await bench.signIn()
    script(bench, AccountEndpoints.Me.path, [.success(TransportResponse(status: 503))])
    let call = Task { await bench.me() }
    await bench.time.waitForSleepers()
    call.cancel()
    #expect(await call.value == .failure(.cancelled))
  }

  @Test func waitingForARefreshCountsTowardsTheDeadline() async throws {
    let bench = try ClientBench()
    try await bench.signIn()
    let gate = Gate()
    bench.backend.on(AuthEndpoints.RefreshTokens.path) { request throws(TransportError) in
      await gate.pass()
      return bench.backend.refresh(request)
    }
    bench.backend.expireAccessTokens()
    async let call = bench.me()
    await bench.waitForParked(1)
    await bench.time.waitForSleepers()
    bench.time.advance(by: .seconds(60))
    #expect(await call == .failure(.timeout))
    gate.open()
  }

  @Test func delayIsSpreadOverItsWholeLength() {
    let now = ContinuousClock().now
    func delay(_ attempt: Int, _ random: Double, after seconds: Int? = nil) -> Duration? {
      RetryPlan.delay(afterAttempt: attempt, retryAfterSeconds: seconds, random: random, now: now, deadline: now + .seconds(1000))
    }
    #expect(delay(1, 0) == .zero)
    #expect(delay(1, 0.5) == .milliseconds(500))
    #expect(delay(2, 1) == .seconds(2))
    #expect(delay(3, 0) == nil)
    #expect(delay(1, 0.5, after: 5) == .seconds(5))
    #expect(delay(1, 0, after: 60) == .seconds(60))
    #expect(delay(1, 0, after: 61) == nil)
    #expect((1...6).map { RetryPlan.backoff(afterAttempt: $0) } == [1, 2, 4, 8, 10, 10].map { .seconds($0) })
  }
}

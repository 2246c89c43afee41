import Domain
import FoundationEssentials
import HTTPTypes
import RPC
import Support
import Locking
import Testing

@testable import Client

/// Edge cases 17 to 20: what is retried, with what, after how long and how often.
@Suite(.timeLimit(.minutes(2)))
struct RepeatEdgeCaseTests {
  /// Naive: libcurl by itself, which resends any method if a reused connection ends without a response
  /// (`CurlTransportReplayTests.withoutTheGuardThePostIsSentTwice` shows it).
  @Test func edgeCase17APostThatIsLostOnAReusedConnectionIsSentOnce() async throws {
    let harness = try LiveHarness { connection in
      guard connection.number == 1 else { return connection.serve { _ in connection.respond(body: LiveHarness.me) } }
      guard connection.handshake(), connection.readRequest() != nil else { return }
      connection.respond(body: LiveHarness.me)
      _ = connection.readRequest()
    }
    try await harness.use { harness in
      try await harness.adoptTokens()
      #expect((try? await harness.me().get()) != nil)
      #expect(await harness.call(PlainPost()) == .failure(.connectionLost(mayHaveBeenProcessed: true)))
      #expect(harness.server.requests.map(\.requestLine) == ["GET /rpc/me HTTP/1.1", "POST /rpc/plain_post HTTP/1.1"])
    }
  }

  /// Naive: a key is sent, so a second call does no harm; a backend that does not know the field carries it out twice.
  @Test(arguments: [503, nil]) func edgeCase17AKeyedPostGoesOutOnceIfNobodyKnowsKeys(status: Int?) async throws {
    let harness = try ClientHarness(backoff: .none)
    try await harness.signIn()
    harness.backend.script(
      KeyedPost.path, [status.map { .success(TransportResponse(status: $0)) } ?? .failure(.timedOut(.idle))])
    #expect((try? await harness.stack.api.send(KeyedPost())) == nil)
    #expect(harness.backend.requests(KeyedPost.path).count == 1)
    harness.stack.api.features.change { $0.idempotencyKeys = true }
    harness.backend.script(KeyedPost.path, [.success(TransportResponse(status: 503))])
    #expect((try? await harness.stack.api.send(KeyedPost())) != nil)
    #expect(harness.backend.requests(KeyedPost.path).count == 3)
  }

  @Test func edgeCase17AKeyedPostIsSentAgainWithItsKey() async throws {
    let harness = try LiveHarness { connection in
      guard connection.number == 1 else { return connection.serve { _ in connection.respond(body: LiveHarness.me) } }
      guard connection.handshake(), connection.readRequest() != nil else { return }
    }
    try await harness.use { harness in
      try await harness.adoptTokens()
      harness.stack.api.features.change { $0.idempotencyKeys = true }
      #expect(await harness.call(KeyedPost()) == .success(NoBody()))
      let keys = harness.server.requests.map { $0.values("idempotency-key") }
      #expect(keys.count == 2 && keys[0] == keys[1] && keys[0].count == 1)
    }
  }

  /// Naive: the key is generated where the request is built, once for each attempt.
  @Test func edgeCase18KeyAndRequestIDStayTheSameOverEveryAttempt() async throws {
    let harness = try ClientHarness(backoff: .none)
    try await harness.signIn()
    let second = HTTPField.Name("X-Nonce")
    let idempotency = HTTPField.Name("Idempotency-Key")
    let requestID = HTTPField.Name("X-Request-ID")
    let signature = HTTPField.Name("X-Signature")
    harness.stack.api.features.change { $0.idempotencyKeys = true }
    let names = try #require([second, idempotency, requestID, signature] as? [HTTPField.Name])
    let count = Locked(0)
    harness.backend.on(KeyedPost.path) { request throws(TransportError) in
      harness.time.advance(by: .seconds(1))
      switch count.withLock({
        $0 += 1; return $0
      }) {
      case 1: return TransportResponse(status: 503)
      case 2:
        harness.backend.expireAccessTokens()
        return ScriptedBackend.error(401, BackendErrorCode.accessTokenExpired)
      case 3: throw .timedOut(.idle)
      default: return harness.backend.answer(request)
      }
    }
    _ = try await harness.stack.api.send(KeyedPost())
    let requests = harness.backend.requests(KeyedPost.path)
    #expect(requests.count == 4)
    #expect(harness.backend.refreshes == 1)
    #expect(Set(requests.map { $0.headers[names[0]] }).count == 4)
    #expect(Set(requests.map { $0.headers[names[1]] }).count == 1)
    #expect(requests[0].headers[names[1]]?.count == 36)
    #expect(Set(requests.map { $0.headers[names[2]] }).count == 1)
    #expect(Set(requests.map { $0.headers[names[3]] }).count == 4)
    _ = try await harness.stack.api.send(KeyedPost())
    #expect(Set(harness.backend.requests(KeyedPost.path).map { $0.headers[names[1]] }).count == 2)
  }

  /// Naive: `Int(value)!`, or 0 for an invalid value.
  @Test(
    arguments: [
      ("120", 120), ("0", nil), ("-1", nil), ("soon", nil), ("1e9", nil), ("", nil), ("1.5", 2), (" ", nil),
      ("0.2", 1), ("0.0", nil), (".5", nil), ("1.2.3", nil), ("1,5", 5), ("3, 20", 20), ("20, 3", 20), ("86400", 86_400),
      ("1795262460", 60), ("1795262400", nil),
      ("86401", 86_400), ("999999999", 86_400), ("99999999999999999999", 86_400),
      ("Sat, 21 Nov 2026 12:02:00 GMT", 120), ("Sat, 21 Nov 2026 12:02:00 UTC", 120),
      ("Sat, 21 Nov 2026 12:02:00 +0000", 120), ("2026-11-21T12:02:00Z", 120), ("1.", 1), ("0.493", 1),
      ("Saturday, 21-Nov-26 12:02:00 GMT", 120), ("Sat Nov 21 12:02:00 2026", 120),
      ("Sat, 21 Nov 2026 11:59:00 GMT", nil), ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400), ("Sun, 31 Feb 2027 00:00:00 GMT", nil),
    ] as [(String, Int?)])
  func edgeCase19EveryFormOfRetryAfterIsReadAndNoneTraps(value: String, expected: Int?) {
    #expect(RetryAfter.seconds(in: [.retryAfter: value], wall: 1_795_262_400) == expected)
  }

  @Test(arguments: [("2", 2), ("1.5", 2), ("Sat, 21 Nov 2026 12:00:02 GMT", 2)])
  func edgeCase19RetryAfterIsTheLeastWait(value: String, seconds: Int) async throws {
    let harness = try ClientHarness(backoff: .none)
    try await harness.signIn()
    harness.backend.script(AccountEndpoints.Me.path, [.success(TransportResponse(status: 429, headers: [.retryAfter: value]))])
    async let call = harness.me()
    await harness.time.waitForSleepers()
    harness.time.advance(by: .seconds(seconds) - .milliseconds(1))
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == 1)
    harness.time.advance(by: .milliseconds(1))
    #expect((try? await call.get()) != nil)
  }

  @Test(arguments: [3, 20, 61, 3600])
  func edgeCase19ALongRetryAfterIsTheCallersToKnow(seconds: Int) async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.script(
      AccountEndpoints.Me.path, [.success(TransportResponse(status: 429, headers: [.retryAfter: "\(seconds)"]))])
    let retryAt = harness.time.wall.addingTimeInterval(Double(seconds))
    #expect(await harness.me() == .failure(.rateLimited(retryAfterSeconds: seconds, retryAt: retryAt)))
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == 1)
  }

  /// Naive: three attempts for every call, which triples the load of an outage.
  @Test func edgeCase20AnOutageIsNotAmplified() async throws {
    let harness = try ClientHarness(backoff: .none)
    try await harness.signIn()
    harness.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in TransportResponse(status: 503) }
    let calls = 300
    await withTaskGroup { group in
      for _ in 0..<calls { group.addTask { _ = await harness.me() } }
    }
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == calls + RetryBudget.capacity / RetryBudget.cost)
    // After the outage, successful calls refill the budget, and calls are retried again.
    harness.backend.reset(AccountEndpoints.Me.path)
    for _ in 0..<10 { #expect((try? await harness.me().get()) != nil) }
    let before = harness.backend.requests(AccountEndpoints.Me.path).count
    harness.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in TransportResponse(status: 503) }
    _ = await harness.me()
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == before + 3)
    _ = await harness.me()
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == before + 4)
  }

  @Test func edgeCase20TwoClientsDoNotShareABudget() async throws {
    let first = try ClientHarness(backoff: .none)
    let second = try ClientHarness(backoff: .none)
    for harness in [first, second] {
      try await harness.signIn()
      harness.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in TransportResponse(status: 503) }
    }
    for _ in 0..<60 { _ = await first.me() }
    #expect(first.backend.requests(AccountEndpoints.Me.path).count == 160)
    _ = await second.me()
    #expect(second.backend.requests(AccountEndpoints.Me.path).count == 3)
  }
}

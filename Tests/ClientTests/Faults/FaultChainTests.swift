import Domain
import FoundationEssentials
import HTTPTypes
import Observability
import RPC
import Support
import Testing
import Text

@testable import Client
import Redaction

/// Fault rules under the real chain: how retry, refresh and error handling react to them.
@Suite(.timeLimit(.minutes(1))) struct FaultChainTests {
  private static let me = AccountEndpoints.Me.path

  /// A signed-in client with rules.
  private func harness(_ rules: [FaultRule], seconds: Int = 900) async throws -> ClientHarness {
    let harness = try ClientHarness(backoff: .none)
    try await harness.signIn()
    Self.arm(harness, rules, seconds: seconds)
    return harness
  }

  /// Arms rules whose ids are their kinds.
  static func arm(_ harness: ClientHarness, _ rules: [FaultRule], seconds: Int = 900) {
    harness.stack.faults.change { plan, moment in
      for rule in rules { _ = plan.arm(rule.lasting(seconds), id: rule.action.kind.rawValue, at: moment) }
    }
  }

  private func rule(_ action: FaultRule.Action, _ when: FaultRule.When = .init(), endpoint: String? = nil) -> FaultRule {
    FaultRule(name: "r", match: .init(endpoint: endpoint), when: when, action: action)
  }

  private func sent(_ harness: ClientHarness, _ path: String = me) -> Int { harness.backend.requests(path).count }

  private func rows(_ harness: ClientHarness, _ endpoint: String = "me") -> [NetworkRow] {
    harness.log.rows().events.filter { $0.endpoint == endpoint }
  }

  @Test func aStatusIsRetriedAsARealOneAndItsRowsSayWhoAnswered() async throws {
    let harness = try await harness([rule(.init(.status), .init(count: 2))])
    #expect((try? await harness.me().get()) != nil)
    #expect(sent(harness) == 1, "two attempts were not sent")
    let rows = rows(harness)
    #expect(rows.map(\.status) == [503, 503, 200] && rows.map(\.attempt) == [1, 2, 3])
    #expect(rows.map(\.source) == [.fault, .fault, .network] && rows.map(\.faultID) == ["status", "status", nil])
    #expect(rows.map(\.fault?.action) == ["status", "status", nil] && rows[0].fault?.name == "r")
    #expect(rows.map(\.error) == ["unavailable", "unavailable", nil])
    let detail = try #require(harness.log.detail(id: rows[0].id))
    #expect(
      detail.response?.headers.contains { $0.name.lowercased() == "content-type" && $0.value == "application/json" } == true)
  }

  @Test func aRateLimitIsWaitedOutAndNotAMomentLess() async throws {
    let harness = try await harness([rule(.init(.rateLimit, retryAfterSeconds: 2))], seconds: 2)
    async let call = harness.me()
    await harness.time.waitForSleepers()
    #expect(harness.time.untilNext == .seconds(2) && harness.time.sleeperCount == 1)
    #expect(sent(harness) == 0 && rows(harness).count == 1)
    harness.time.advance(by: .seconds(2))
    #expect((try? await call.get()) != nil)
    #expect(sent(harness) == 1)
    let limited = try await self.harness([rule(.init(.rateLimit, retryAfterSeconds: 90))])
    let end = limited.time.wall.addingTimeInterval(90)
    #expect(await limited.me() == .failure(.rateLimited(retryAfterSeconds: 90, retryAt: end)))
    #expect(sent(limited) == 0)
  }

  @Test(arguments: [1, 5])
  func anExpiredTokenIsRefreshedOnceByFiveCallsAtOnce(refusals: Int) async throws {
    // All five are sent before the first gets a 401.
    let harness = try await harness([
      rule(.init(.latency, latencyMilliseconds: 10)), rule(.init(.expireAccessToken), .init(count: refusals)),
    ])
    let gate = harness.backend.gateRefreshes()
    let calls = (0..<5).map { _ in Task { await harness.me() } }
    await harness.time.waitForSleepers(5)
    harness.stack.faults.change { plan, _ in _ = plan.remove(id: "latency") }
    harness.time.advance(by: .milliseconds(10))
    await harness.waitForRefreshWaiters(refusals)
    await eventually { !rows(harness).contains { $0.state == .pending } }
    gate.open()
    for call in calls { #expect((try? await call.value.get()) != nil) }
    #expect(harness.backend.refreshes == 1)
    let refused = rows(harness).filter { $0.source == .fault }
    #expect(refused.count == refusals && refused.allSatisfy { $0.status == 401 && $0.error == "ErrAccessTokenExpired" })
    #expect(await harness.session.state.phase == .authenticated)
  }

  @Test func aTokenThatStaysExpiredEndsTheSession() async throws {
    let harness = try await harness([rule(.init(.expireAccessToken), .init(count: 2))])
    #expect(await harness.me() == .failure(.sessionEnded))
    #expect(await harness.session.state.reason == LogoutReason.accessTokenRejected.rawValue)
    #expect(sent(harness) == 0 && harness.backend.refreshes == 1)
  }

  @Test func aRevokedRefreshTokenEndsTheSessionWithoutAsking() async throws {
    let harness = try await harness([rule(.init(.expireAccessToken)), rule(.init(.revokeRefreshToken))])
    #expect(await harness.me() == .failure(.sessionEnded))
    #expect(await harness.session.state.reason == LogoutReason.invalidToken.rawValue)
    #expect(harness.backend.refreshes == 0)
    #expect(rows(harness, "refresh_tokens").map(\.faultID) == ["revoke_refresh_token"])
  }

  @Test func anUnregisteredDeviceIsSignedOut() async throws {
    let harness = try await harness([rule(.init(.unregisterDevice))])
    #expect(await harness.me() == .failure(.sessionEnded))
    #expect(await harness.session.state.reason == LogoutReason.deviceNotRegistered.rawValue)
    #expect(sent(harness) == 0)
  }

  @Test func aLostAnswerIsNotAskedForAgainUnlessTheCallIsKeyed() async throws {
    let harness = try await harness([rule(.init(.reset), .init(count: 1))])
    let api = harness.stack.api
    let plain = await ClientHarness.result { () throws(NetworkError) in try await api.send(PlainPost()) }
    #expect(plain == .failure(.connectionLost(mayHaveBeenProcessed: true)))
    #expect(sent(harness, PlainPost.path) == 1, "it was sent exactly once")
    let row = try #require(rows(harness, "plain_post").first)
    #expect(row.source == .fault && row.faultID == "reset" && row.error == "connection_lost" && row.status == nil)
    let keyed = try await self.harness([rule(.init(.reset), .init(count: 1))])
    let keyedAPI = keyed.stack.api
    keyedAPI.features.change { $0.idempotencyKeys = true }
    #expect((try? await ClientHarness.result { () throws(NetworkError) in try await keyedAPI.send(KeyedPost()) }.get()) != nil)
    let keys = keyed.backend.requests(KeyedPost.path).map { $0.headers[.idempotencyKey] }
    #expect(keys.count == 2 && keys[0] == keys[1] && keys[0] != nil)
  }

  @Test func aRefreshWhoseAnswerIsLostIsAskedAgainAtOnce() async throws {
    let harness = try await harness([rule(.init(.reset), .init(count: 1), endpoint: "refresh_tokens")])
    _ = await harness.session.refresh()
    #expect(harness.backend.refreshes == 2)
    #expect(rows(harness, "refresh_tokens").map(\.source) == [.fault, .network])
  }

  @Test func garbageIsAnAnswerThatCannotBeRead() async throws {
    let harness = try await harness([rule(.init(.malformedBody))])
    #expect(await harness.me() == .failure(.unexpectedPayload(.notJSON)))
    #expect(sent(harness) == 1)
    let row = try #require(rows(harness).last)
    #expect(row.source == .fault && row.status == 200 && row.faultID == "malformed_body")
    #expect(row.state == .failure && row.error == "unexpected_payload" && row.errorDetail == "the body is not JSON")
  }

  @Test func garbageIsMetWhereTheBackendWouldConfirmWhatIsKeptAndIsNotKept() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.on(Self.me) { request throws(TransportError) in
      let fields: HTTPFields = [.eTag: #""1""#, .cacheControl: "private, no-cache"]
      if request.headers[.ifNoneMatch] != nil { return TransportResponse(status: 304, headers: fields) }
      return ScriptedBackend.json(ScriptedBackend.me, headers: fields)
    }
    for _ in 0..<2 { #expect(await harness.me() == .success(ScriptedBackend.me)) }
    #expect(harness.backend.requests(Self.me).last?.headers[.ifNoneMatch] != nil, "the stored response is revalidated")
    Self.arm(harness, [rule(.init(.malformedBody), .init(count: 1))])
    #expect(await harness.me() == .failure(.unexpectedPayload(.notJSON)))
    #expect(await harness.me() == .success(ScriptedBackend.me))
  }

  @Test func noNetworkIsNoticedAndForgottenWithItsRule() async throws {
    let harness = try await harness([rule(.init(.offline))])
    for _ in 0..<3 { #expect(await harness.me() == .failure(.offline)) }
    #expect(sent(harness) == 0 && harness.stack.connectivity.isOffline)
    #expect(rows(harness).allSatisfy { $0.source == .fault && $0.faultID == "offline" && $0.state == .failure })
    harness.stack.faults.change { plan, _ in plan.removeAll() }
    #expect(!harness.stack.connectivity.isOffline)
    #expect((try? await harness.me().get()) != nil, "without a wait")
  }

  @Test func aBackgroundCallThatWaitsForTheNetworkIsLetGoWithTheRule() async throws {
    let harness = try await harness([rule(.init(.offline))])
    // A child task, so that the suite's time limit cancels it if nobody releases it.
    async let call = Flow.$current.withValue(Flow(name: "sync", isBackground: true)) { await harness.me() }
    await harness.waitForConnectivityWaiters(1)
    harness.stack.faults.change { plan, _ in _ = plan.remove(id: "offline") }
    #expect((try? await call.get()) != nil)
  }

  @Test func silenceLastsUntilTheCallsOwnEnd() async throws {
    let harness = try await harness([rule(.init(.timeout))])
    let call = Task { await harness.me() }
    await harness.time.waitForSleepers()
    harness.time.advance(by: .seconds(30) - .milliseconds(1))
    #expect(rows(harness).map(\.state) == [.pending])
    harness.time.advance(by: .milliseconds(1))
    await eventually { rows(harness).count >= 2 }
    await harness.time.waitForSleepers()
    harness.time.advance(by: .seconds(30))
    #expect(await call.value == .failure(.timeout))
    #expect(sent(harness) == 0 && rows(harness).map(\.error) == ["timeout", "timeout"])
  }

  @Test func silenceCanBeCancelledAndCutShort() async throws {
    let harness = try await harness([rule(.init(.timeout))])
    let call = Task { await harness.me() }
    await harness.time.waitForSleepers()
    call.cancel()
    #expect(await call.value == .failure(.cancelled))
    let short = try await self.harness([rule(.init(.timeout, latencyMilliseconds: 500), .init(count: 1))])
    async let second = short.me()
    await short.time.waitForSleepers()
    short.time.advance(by: .milliseconds(500))
    #expect((try? await second.get()) != nil, "a second attempt succeeded")
    #expect(rows(short).map(\.error) == ["timeout", nil])
  }

  @Test func latencyDelaysWhatTheBackendAnswers() async throws {
    let harness = try await harness([
      rule(.init(.latency, latencyMilliseconds: 1200)), rule(.init(.status, latencyMilliseconds: 300), .init(count: 1)),
    ])
    async let call = harness.me()
    for wait in [1500, 1200] {
      await harness.time.waitForSleepers()
      harness.time.advance(by: .milliseconds(wait) - .microseconds(1))
      #expect(sent(harness) == 0)
      harness.time.advance(by: .microseconds(1))
    }
    #expect((try? await call.get()) != nil)
    let rows = rows(harness)
    #expect(rows.map(\.durationMilliseconds) == [1500, 1200])
    #expect(rows.map(\.source) == [.fault, .network] && rows.map(\.faultID) == ["status", "latency"])
  }

  @Test func latencyBeyondTheCallsTimeIsATimeout() async throws {
    let harness = try await harness([rule(.init(.latency, latencyMilliseconds: 100_000), .init(count: 1))])
    async let call = harness.me()
    await harness.time.waitForSleepers()
    harness.time.advance(by: .seconds(30))
    #expect((try? await call.get()) != nil)
    #expect(rows(harness).map(\.error) == ["timeout", nil] && sent(harness) == 1)
  }

  @Test func aWrongClockIsCorrectedByTheBackendsDate() async throws {
    let harness = try await harness([rule(.init(.clockSkew, skewSeconds: 600))])
    let time = harness.time
    harness.backend.on(Self.me) { request throws(TransportError) in
      let nonce = Int64(request.headers[HTTPField.Name("X-Nonce") ?? .accept] ?? "") ?? 0
      let own = Int64(time.wall.timeIntervalSince1970)
      let isFresh = abs(nonce - own) <= 300
      return isFresh
        ? harness.backend.answer(request)
        : ScriptedBackend.error(401, BackendErrorCode.invalidSignature, headers: [.date: HTTPDate.format(own)])
    }
    #expect((try? await harness.me().get()) != nil)
    #expect(sent(harness) == 2 && rows(harness).map(\.status) == [401, 200])
    #expect(rows(harness).allSatisfy { $0.faultID == "clock_skew" && $0.source == .network })
    #expect((try? await harness.me().get()) != nil)
    #expect(sent(harness) == 3, "the correction stays")
    // Setting the clock right makes it wrong for a client that had corrected it.
    harness.stack.faults.change { plan, _ in plan.removeAll() }
    #expect((try? await harness.me().get()) != nil)
    #expect(sent(harness) == 5)
  }

  @Test func aRefusedSignatureEndsTheCallAndNotTheSession() async throws {
    let harness = try await harness([rule(.init(.status, status: 401, code: "invalid_signature"))])
    #expect(await harness.me() == .failure(.signatureRejected))
    #expect(rows(harness).count == 2, "corrected once and retried")
    #expect(await harness.session.state.phase == .authenticated && harness.backend.refreshes == 0)
  }

  @Test func aFullDiskLosesALogin() async throws {
    let harness = try ClientHarness()
    Self.arm(harness, [rule(.init(.storageFull), .init(count: 1))])
    await #expect(throws: AuthError.storageFull) { try await harness.signIn() }
    #expect(try harness.store.load() == nil)
    try await harness.signIn()
    #expect(harness.stack.faults.plan.entries[0].progress.hits == 1)
  }
}

import Domain
import FoundationEssentials
import JSON
import RPC
import Testing

@testable import Client

struct SessionMachineTests {
  let start = ContinuousClock().now

  func tokens(_ number: Int, lifetime: Int = 900) throws -> SessionTokens {
    let pair = TokenPair(
      accessToken: "a\(number)", refreshToken: "r\(number)", expiresIn: lifetime,
      expiresAt: nil,
      refreshExpiresIn: 1000, refreshExpiresAt: nil, sessionID: "s", profile: nil)
    return try SessionTokens(pair, sentAt: start, sentWall: Date(timeIntervalSince1970: 0))
  }

  func pendingRefresh(_ decision: SessionMachine.Decision) throws -> SessionMachine.PendingRefresh {
    guard case .start(let pendingRefresh) = decision else { throw NetworkError.transport("\(decision)") }
    return pendingRefresh
  }

  @Test func signedOutGivesNoToken() {
    var machine = SessionMachine()
    #expect(machine.request(epoch: nil, now: start) == .signedOut)
    #expect(machine.force() == .signedOut)
    #expect(machine.phase == .signedOut)
  }

  @Test func aCredentialIsSteadyOnlyWhileNothingGoesOn() throws {
    var machine = SessionMachine()
    #expect(machine.cacheableCredential(now: start) == nil)
    machine.begin(try tokens(1))
    let stamp = SessionStamp(epoch: machine.epoch, version: machine.version)
    let cached = try #require(machine.cacheableCredential(now: start))
    var credential = SessionCredential(stamp: stamp, accessToken: "a1")
    credential.refreshToken = "r1"
    #expect(cached.credential == credential)
    // It is refreshed a tenth of the lifetime before its expiry, and then no longer cacheable.
    #expect(cached.until == start + .seconds(810))
    #expect(machine.cacheableCredential(now: start + .seconds(810)) == nil)
    let pendingRefresh = try pendingRefresh(machine.refused(stamp, isKnownBad: true, now: start))
    #expect(machine.cacheableCredential(now: start) == nil)
    machine.fail(pendingRefresh, error: .offline, now: start)
    #expect(machine.cacheableCredential(now: start) == nil)
    machine.end()
    #expect(machine.cacheableCredential(now: start) == nil)
  }

  @Test func aSteadyCredentialIsThatOfItsSessionAndTime() throws {
    let cached = CachedCredential()
    let credential = SessionCredential(stamp: SessionStamp(epoch: 3, version: 5), accessToken: "a")
    #expect(cached.credential(epoch: nil, now: start) == nil)
    cached.set((credential, start + .seconds(1)))
    #expect(cached.credential(epoch: nil, now: start) == credential)
    #expect(cached.credential(epoch: 3, now: start) == credential)
    #expect(cached.credential(epoch: 2, now: start) == nil)
    #expect(cached.credential(epoch: nil, now: start + .seconds(1)) == nil)
    #expect(cached.isOf(epoch: 3))
    cached.set(nil)
    #expect(!cached.isOf(epoch: 3))
    #expect(cached.credential(epoch: 3, now: start) == nil)
  }

  @Test func onlyOneRefreshAtATime() throws {
    var machine = SessionMachine()
    machine.begin(try tokens(1))
    let stamp = SessionStamp(epoch: machine.epoch, version: machine.version)
    _ = try pendingRefresh(machine.refused(stamp, isKnownBad: true, now: start))
    #expect(machine.phase == .refreshing)
    #expect(machine.refused(stamp, isKnownBad: true, now: start) == .join)
    #expect(machine.request(epoch: nil, now: start) == .join)
    #expect(machine.force() == .join)
  }

  @Test func refreshOfAnEndedSessionIsDisowned() throws {
    var machine = SessionMachine()
    machine.begin(try tokens(1))
    let first = try pendingRefresh(machine.force())
    machine.end()
    #expect(!machine.accepts(first))
    machine.commit(first, tokens: try tokens(2))
    #expect(machine.tokens == nil)
    machine.begin(try tokens(3))
    let second = try pendingRefresh(machine.force())
    // A refresh belongs to a session and token: the first one's outcome is not the second's.
    machine.commit(first, tokens: try tokens(2))
    machine.fail(first, error: .offline, now: start)
    #expect(machine.pendingRefresh == second)
    #expect(machine.tokens?.accessToken == "a3")
    machine.commit(second, tokens: try tokens(4))
    #expect(machine.tokens?.accessToken == "a4")
  }

  @Test func staleStampsAreToldApart() throws {
    var machine = SessionMachine()
    machine.begin(try tokens(1))
    let old = SessionStamp(epoch: machine.epoch, version: machine.version)
    machine.commit(try pendingRefresh(machine.refused(old, isKnownBad: true, now: start)), tokens: try tokens(2))
    guard case .use(let credential) = machine.refused(old, isKnownBad: true, now: start) else {
      Issue.record("no replay"); return
    }
    #expect(credential.accessToken == "a2")
    // The old token's rejection does not affect the new one.
    #expect(machine.request(epoch: old.epoch, now: start) == .use(credential))
    machine.begin(try tokens(3))
    #expect(machine.refused(old, isKnownBad: true, now: start) == .ended)
    #expect(machine.request(epoch: old.epoch, now: start) == .ended)
  }

  @Test(arguments: [(900, 810), (100, 90), (7200, 7080), (10, 9)])
  func refreshesAheadByTheMarginOrATenth(lifetime: Int, due: Int) throws {
    var machine = SessionMachine()
    machine.begin(try tokens(1, lifetime: lifetime))
    guard case .use = machine.request(epoch: nil, now: start + .seconds(due) - .milliseconds(1)) else {
      Issue.record("too early"); return
    }
    _ = try pendingRefresh(machine.request(epoch: nil, now: start + .seconds(due)))
  }

  @Test func tokenWithoutALifetimeIsUsedUntilRefused() throws {
    for lifetime in [0, -5, Int.min] {
      var machine = SessionMachine()
      machine.begin(try tokens(1, lifetime: lifetime))
      guard case .use = machine.request(epoch: nil, now: start + .seconds(1_000_000)) else { Issue.record("refreshed"); return }
    }
    var machine = SessionMachine()
    machine.begin(try tokens(1, lifetime: .max))
    guard case .use = machine.request(epoch: nil, now: start) else { Issue.record("refreshed"); return }
  }

  @Test func failureAheadOfExpiryKeepsTheTokenInUse() throws {
    var machine = SessionMachine()
    machine.begin(try tokens(1))
    let early = start + .seconds(820)
    machine.fail(try pendingRefresh(machine.request(epoch: nil, now: early)), error: .offline, now: early)
    #expect(machine.phase == .error)
    guard case .use(let credential) = machine.request(epoch: nil, now: early) else { Issue.record("unused"); return }
    #expect(machine.fallback(epoch: nil, now: early) == credential)
    // After its expiry it is unusable.
    #expect(machine.fallback(epoch: nil, now: start + .seconds(900)) == nil)
    machine.fail(
      try pendingRefresh(machine.request(epoch: nil, now: start + .seconds(899))), error: .timeout, now: start + .seconds(899))
    _ = try pendingRefresh(machine.request(epoch: nil, now: start + .seconds(900)))
  }

  @Test func knownBadTokenIsNotSentAgain() throws {
    var machine = SessionMachine()
    machine.begin(try tokens(1))
    let stamp = SessionStamp(epoch: machine.epoch, version: machine.version)
    machine.fail(try pendingRefresh(machine.refused(stamp, isKnownBad: true, now: start)), error: .offline, now: start)
    #expect(machine.fallback(epoch: nil, now: start) == nil)
    // A call that was under way gets the same error; the next one needs a refresh.
    #expect(machine.refused(stamp, isKnownBad: true, now: start) == .failed(.offline))
    _ = try pendingRefresh(machine.request(epoch: nil, now: start))
  }

  @Test func aStormSendsNoTokenThatIsKnownBad() throws {
    var machine = SessionMachine()
    machine.begin(try tokens(0))
    for number in 1...SessionMachine.windowLimit {
      let stamp = SessionStamp(epoch: machine.epoch, version: machine.version)
      machine.commit(try pendingRefresh(machine.refused(stamp, isKnownBad: true, now: start)), tokens: try tokens(number))
    }
    let stamp = SessionStamp(epoch: machine.epoch, version: machine.version)
    #expect(machine.refused(stamp, isKnownBad: true, now: start) == .failed(.unauthorized))
    #expect(machine.request(epoch: nil, now: start) == .failed(.unauthorized))
    _ = try pendingRefresh(machine.request(epoch: nil, now: start + SessionMachine.window))
  }

  @Test func aCallThatWorksEndsThePhaseOfAFailedRefresh() throws {
    var machine = SessionMachine()
    machine.begin(try tokens(1))
    machine.fail(try pendingRefresh(machine.force()), error: .server(statusCode: 503), now: start)
    guard case .use(let credential) = machine.request(epoch: nil, now: start) else { Issue.record("unused"); return }
    #expect(machine.phase == .error && credential.isDoubtful)
    let other = SessionStamp(epoch: machine.epoch, version: machine.version + 1)
    let changesForAnother = machine.noteAccepted(other)
    #expect(!changesForAnother && machine.phase == .error)
    let changes = [machine.noteAccepted(credential.stamp), machine.noteAccepted(credential.stamp)]
    #expect(changes == [true, false] && machine.phase == .authenticated)
    // The refresh is still tried again; its failure says nothing about the token, and a refusal does.
    let second = machine.retry(now: start + .seconds(1))
    machine.fail(try #require(second), error: .offline, now: start + .seconds(1))
    #expect(machine.phase == .authenticated)
    machine.fail(
      try pendingRefresh(machine.refused(try stamp(machine), isKnownBad: true, now: start + .seconds(2))), error: .offline,
      now: start + .seconds(2))
    #expect(machine.phase == .error)
  }

  @Test func aRefreshThatIsTriedAgainKeepsNoCallWaiting() throws {
    var machine = SessionMachine()
    machine.begin(try tokens(1))
    machine.fail(try pendingRefresh(machine.force()), error: .timeout, now: start)
    let spare = machine.retry(now: start + .seconds(1))
    guard spare != nil, case .use(let credential) = machine.request(epoch: nil, now: start + .seconds(1)) else {
      Issue.record("a call waits"); return
    }
    #expect(machine.phase == .refreshing)
    let isChanged = machine.noteAccepted(credential.stamp)
    #expect(isChanged && machine.phase == .authenticated)
    // A call whose token does not work waits for it.
    #expect(machine.refused(credential.stamp, isKnownBad: true, now: start + .seconds(1)) == .join)
    #expect(machine.request(epoch: nil, now: start + .seconds(1)) == .join)
  }

  @Test func aWaitIsToldByWhatIsLeftOfIt() throws {
    var machine = SessionMachine()
    machine.begin(try tokens(1))
    let stamp = try stamp(machine)
    let limited = NetworkError.server(statusCode: 503, retryAfterSeconds: 20)
    machine.fail(try pendingRefresh(machine.refused(stamp, isKnownBad: true, now: start)), error: limited, now: start)
    let later = start + .milliseconds(17_500)
    #expect(machine.request(epoch: nil, now: later) == .failed(.server(statusCode: 503, retryAfterSeconds: 3)))
    #expect(machine.refused(stamp, isKnownBad: true, now: later) == .failed(.server(statusCode: 503, retryAfterSeconds: 3)))
  }

  @Test func anExpiredTokenIsNotSentOnceTheLimitIsReached() throws {
    var machine = SessionMachine()
    machine.begin(try tokens(1))
    let now = start + .seconds(1000)
    for _ in 0..<SessionMachine.windowLimit {
      machine.fail(try pendingRefresh(machine.request(epoch: nil, now: now)), error: .server(statusCode: 503), now: now)
    }
    #expect(machine.request(epoch: nil, now: now) == .failed(.server(statusCode: 503)))
  }

  /// The stamp of a call that begins now.
  private func stamp(_ machine: SessionMachine) throws -> SessionStamp {
    var machine = machine
    guard case .use(let credential) = machine.request(epoch: nil, now: start) else { throw NetworkError.transport("no token") }
    return credential.stamp
  }

  @Test func thePausesGrowAndHeedTheBackend() throws {
    var machine = SessionMachine()
    machine.begin(try tokens(1))
    let stamp = SessionStamp(epoch: machine.epoch, version: machine.version)
    var now = start
    machine.fail(try pendingRefresh(machine.refused(stamp, isKnownBad: true, now: now)), error: .offline, now: now)
    for wait in [1, 2, 4, 8, 16, 32, 60, 60] {
      #expect(machine.retryAt == now + .seconds(wait))
      let early = machine.retry(now: now + .seconds(wait) - .milliseconds(1))
      now += .seconds(wait)
      let next = machine.retry(now: now)
      #expect(early == nil)
      machine.fail(try #require(next), error: .offline, now: now)
    }
    let limited = NetworkError.rateLimited(retryAfterSeconds: 100_000, retryAt: nil)
    machine.fail(try pendingRefresh(machine.force()), error: limited, now: now)
    #expect(
      machine.refused(stamp, isKnownBad: true, now: now + .seconds(299))
        == .failed(.rateLimited(retryAfterSeconds: 1, retryAt: nil)))
    _ = try pendingRefresh(machine.refused(stamp, isKnownBad: true, now: now + .seconds(300)))
  }

  @Test func unusableTokensAreRefused() {
    for token in ["", "a b", "a\r\nX: y", "a\u{0}", "ä", String(repeating: "a", count: 9000)] {
      let pair = TokenPair(
        accessToken: token, refreshToken: "r", expiresIn: 1, expiresAt: nil,
        refreshExpiresIn: 1,
        refreshExpiresAt: nil, sessionID: "s", profile: nil)
      let mismatch = PayloadMismatch(path: "access_token", expected: "1 to 8192 visible characters", found: "not usable")
      #expect(throws: NetworkError.unexpectedPayload(mismatch)) {
        try SessionTokens(pair, sentAt: start, sentWall: Date(timeIntervalSince1970: 0))
      }
    }
  }

  @Test func keptTokensNeverLiveLongerThanTheyDid() throws {
    let kept = StoredTokens(try tokens(1))
    let born = Date(timeIntervalSince1970: 0)
    // The wall clock advanced normally, was set far back, or far ahead.
    #expect(SessionTokens(kept, now: start, wall: born + 100).accessExpiry == start + .seconds(800))
    #expect(SessionTokens(kept, now: start, wall: born - 1e9).accessExpiry == start + .seconds(900))
    #expect(SessionTokens(kept, now: start, wall: born + 1e9).accessExpiry == start)
  }

  @Test(arguments: [NetworkError.unexpectedPayload(.notJSON), .timeout, .connectionLost(mayHaveBeenProcessed: true)])
  func aRefreshWhoseAnswerIsLostIsTriedAgainAtOnceByACall(error: NetworkError) throws {
    var machine = SessionMachine()
    machine.begin(try tokens(1))
    machine.fail(try pendingRefresh(machine.force()), error: error, now: start)
    let retryAt = try #require(machine.retryAt)
    #expect(retryAt == start + .seconds(1))
    let token = machine.request(epoch: nil, now: start + .milliseconds(500))
    guard case .use = token else { throw NetworkError.transport("\(token)") }
    #expect(machine.retry(now: start + .milliseconds(500)) == nil)
    // A call does the same as the timer, which then finds nothing to do.
    var other = machine
    _ = try pendingRefresh(other.request(epoch: nil, now: retryAt))
    #expect(other.retry(now: retryAt) == nil && other.retryAt == nil)
    // After the grace period a call uses the token again, and does not spend the refresh token ahead of need.
    let later = machine.request(epoch: nil, now: start + .seconds(60))
    guard case .use = later else { throw NetworkError.transport("\(later)") }
  }

  @Test func aRetryOfAnotherSessionIsNoRetry() throws {
    var machine = SessionMachine()
    machine.begin(try tokens(1))
    machine.fail(try pendingRefresh(machine.force()), error: .timeout, now: start)
    machine.begin(try tokens(2))
    #expect(machine.retryAt == nil && machine.retry(now: start + .seconds(2)) == nil)
  }
}

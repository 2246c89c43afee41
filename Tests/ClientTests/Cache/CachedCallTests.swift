import Domain
import HTTPTypes
import Observability
import RPC
import Support
import Testing

@testable import Client
import Redaction

/// The cache within the whole chain: lookup, revalidation and offline use (seed-rules I-27 "Look in memory", I-33 "cached answer
/// is returned first"; RFC 9111 §4).
@Suite(.timeLimit(.minutes(1)))
struct CachedCallTests {
  @Test func storedAnswerIsConfirmedByTheBackend() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.serveMe()
    let first = try await harness.me().get()
    let second = try await harness.me().get()
    let requests = harness.backend.requests(AccountEndpoints.Me.path)
    #expect(requests.map { $0.headers[.ifNoneMatch] } == [nil, "\"1\""])
    #expect(second.body == first.body)
    #expect(second.source == .network)
    let row = try #require(harness.rows("me").last)
    #expect(row.status == 304)
    #expect(row.state == .success)
    #expect(row.source == .network)
    #expect(row.error == nil)
  }

  @Test func changedAnswerTakesTheStoredOnesPlace() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.serveMe("u1", tag: "\"1\"")
    _ = try await harness.me().get()
    harness.serveMe("u2", tag: "\"2\"")
    #expect(try await harness.me().get().body.userID == "u2")
    #expect(try await harness.me().get().body.userID == "u2")
    #expect(harness.backend.requests(AccountEndpoints.Me.path).map { $0.headers[.ifNoneMatch] } == [nil, "\"1\"", "\"2\""])
  }

  @Test func withoutTheBackendTheStoredAnswerStandsInAndSaysSo() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.serveMe()
    _ = try await harness.me().get()
    harness.cut()
    harness.time.advance(by: .seconds(60))
    let receipt = try await harness.me().get()
    #expect(receipt.body.userID == "u1")
    #expect(receipt.source == .cache)
    let row = try #require(harness.rows("me").last)
    #expect(row.source == .cache)
    #expect(row.status == 200)
    #expect(row.state == .success)
    let failed = harness.rows("me").filter { $0.error == "offline" }
    #expect(!failed.isEmpty)
    #expect(failed.allSatisfy { $0.callID == row.callID && $0.attempt < row.attempt && $0.source == .network })
    let detail = try #require(harness.log.detail(id: row.id))
    let age = detail.response?.headers.first { $0.name.lowercased() == "age" }.flatMap { Int($0.value) }
    #expect((60...70).contains(age ?? 0))
    // Personal data in a stored response is masked as in a fresh one.
    #expect(detail.response?.body?.contains("someone@example.org") == false)
  }

  @Test(arguments: [
    TransportError.tls("untrusted"), .pinMismatch(presented: []), .timedOut(.idle), .connectionLost(mayHaveBeenProcessed: true),
    .malformedResponse,
  ])
  func otherFailuresAreNotCoveredUp(failure: TransportError) async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.serveMe()
    _ = try await harness.me().get()
    harness.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in throw failure }
    #expect(await harness.me().error == NetworkError(failure))
  }

  @Test func mustRevalidateIsNotShownStaleEvenWithoutTheBackend() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.serveMe(headers: [.cacheControl: "max-age=10, must-revalidate"])
    _ = try await harness.me().get()
    harness.cut()
    harness.time.advance(by: .seconds(9))
    #expect(try await harness.me().get().source == .freshCache)
    harness.time.advance(by: .seconds(2))
    #expect(await harness.me().error == .offline)
  }

  @Test func freshAnswerIsUsedWithoutAsking() async throws {
    let harness = try CacheHarness()
    let path = AppEndpoints.AppConfig.path
    harness.serve(path, ScriptedBackend.config(), tag: "\"c\"", headers: [.cacheControl: "max-age=300"])
    _ = try await harness.get(AppEndpoints.AppConfig()).get()
    harness.time.advance(by: .seconds(299))
    #expect(try await harness.get(AppEndpoints.AppConfig()).get().source == .freshCache)
    #expect(harness.backend.requests(path).count == 1)
    #expect(harness.rows("app_config").map(\.source) == [.network, .cache])
    harness.time.advance(by: .seconds(1))
    #expect(try await harness.get(AppEndpoints.AppConfig()).get().source == .network)
    #expect(harness.backend.requests(path).map { $0.headers[.ifNoneMatch] } == [nil, "\"c\""])
    // After revalidation it is fresh again.
    harness.time.advance(by: .seconds(299))
    #expect(try await harness.get(AppEndpoints.AppConfig()).get().source == .freshCache)
    #expect(harness.backend.requests(path).count == 2)
  }

  @Test func noStoreIsNotStored() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.serveMe(headers: [.cacheControl: "no-store"])
    _ = try await harness.me().get()
    harness.cut()
    #expect(await harness.me().error == .offline)
    #expect(await harness.files() == [])
  }

  @Test func answerThatTurnedNoStoreIsForgotten() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.serveMe()
    _ = try await harness.me().get()
    #expect(await harness.files().count == 1)
    harness.serveMe(headers: [.cacheControl: "no-store"])
    #expect(try await harness.me().get().body.userID == "u1")
    #expect(await harness.files() == [])
    harness.cut()
    #expect(await harness.me().error == .offline)
  }

  @Test func whatIsNotAsPromisedIsNotKept() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in
      TransportResponse(status: 200, headers: [.eTag: "\"1\""], body: Array("<html>".utf8))
    }
    #expect(await harness.me().error == .unexpectedPayload(.notJSON))
    #expect(await harness.files() == [])
    harness.serveMe()
    _ = try await harness.me().get()
    #expect(harness.backend.requests(AccountEndpoints.Me.path).allSatisfy { $0.headers[.ifNoneMatch] == nil })
  }

  /// An earlier version may have stored what this one cannot read.
  @Test(arguments: ["max-age=300", "no-cache"])
  func aStoredAnswerThatCannotBeDecodedIsDroppedAndAskedForAgain(control: String) async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.serveMe(headers: [.cacheControl: control])
    _ = try await harness.me().get()
    try await harness.replaceStoredMe(with: #"{"user_id":[]}"#)
    #expect(try await harness.me().get().body.userID == "u1")
    // A fresh one is not even confirmed; the other is asked for again after the confirmation.
    let conditions = harness.backend.requests(AccountEndpoints.Me.path).map { $0.headers[.ifNoneMatch] != nil }
    #expect(conditions == (control == "no-cache" ? [false, true, false] : [false, false]))
    #expect(try await harness.me().get().body.userID == "u1")
  }

  @Test func confirmationOfAnotherAnswerIsAskedAgain() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.serveMe("u1", tag: "\"1\"")
    _ = try await harness.me().get()
    harness.backend.on(AccountEndpoints.Me.path) { request throws(TransportError) in
      request.headers[.ifNoneMatch] == nil
        ? ScriptedBackend.json(CacheHarness.me("u2"), headers: [.eTag: "\"2\""])
        : TransportResponse(status: 304, headers: [.eTag: "\"2\""])
    }
    #expect(try await harness.me().get().body.userID == "u2")
    #expect(harness.asked == 3)
  }

  @Test func uninvitedConfirmationIsNoAnswer() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in TransportResponse(status: 304) }
    #expect(await harness.me().error == .unexpectedPayload(.unexpected(status: 304)))
    #expect(harness.rows("me").last?.state == .failure)
  }

  @Test func goneAnswerIsForgotten() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.serveMe()
    _ = try await harness.me().get()
    harness.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in ScriptedBackend.error(404, "not_found") }
    #expect(await harness.me().error == .notFound(code: "not_found"))
    harness.cut()
    #expect(await harness.me().error == .offline)
    #expect(await harness.files() == [])
  }

  @Test func replayAfterARefreshStillAsksForConfirmation() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    let answer = harness.backend
    answer.on(AccountEndpoints.Me.path) { request throws(TransportError) in
      let inner = answer.answer(request)
      guard inner.status == 200 else { return inner }
      let headers: HTTPFields = [.eTag: "\"1\"", .cacheControl: "no-cache"]
      return request.headers[.ifNoneMatch] == "\"1\""
        ? TransportResponse(status: 304, headers: headers) : TransportResponse(status: 200, headers: headers, body: inner.body)
    }
    _ = try await harness.me().get()
    answer.expireAccessTokens()
    #expect(try await harness.me().get().body.userID == "u1")
    #expect(answer.refreshes == 1)
    #expect(answer.requests(AccountEndpoints.Me.path).map { $0.headers[.ifNoneMatch] } == [nil, "\"1\"", "\"1\""])
    #expect(harness.rows("me").map(\.status) == [200, 401, 304])
  }

  @Test func answersOutliveTheProcessWithTheirSession() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.serveMe()
    _ = try await harness.me().get()
    let stack = await harness.relaunched()
    _ = await stack.session.bootstrap()
    #expect(try await harness.me(of: stack).get().source == .network)
    #expect(harness.backend.requests(AccountEndpoints.Me.path).last?.headers[.ifNoneMatch] == "\"1\"")
    harness.cut()
    #expect(try await harness.me(of: stack).get().source == .cache)
  }

  /// What was fetched with the old token is asked for again, however fresh it is (seed-rules I-35 "clears the related cache").
  @Test func aRefreshMakesTheUsersAnswersBeAskedForAgain() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.serveMe("u1", tag: "\"1\"", headers: [.cacheControl: "max-age=300"])
    _ = try await harness.me().get()
    harness.time.advance(by: .seconds(1))
    #expect(try await harness.me().get().source == .freshCache)
    #expect(await harness.stack.session.refresh() == .refreshed)
    harness.serveMe("u2", tag: "\"2\"", headers: [.cacheControl: "max-age=300"])
    #expect(try await harness.me().get().body.userID == "u2")
    #expect(harness.backend.requests(AccountEndpoints.Me.path).map { $0.headers[.ifNoneMatch] } == [nil, "\"1\""])
    // That answer is fresh again, and the old one is still there to be confirmed or to stand in.
    harness.time.advance(by: .seconds(1))
    #expect(try await harness.me().get().source == .freshCache)
    #expect(await harness.stack.session.refresh() == .refreshed)
    harness.cut()
    #expect(try await harness.me().get().source == .cache)
  }

  /// After a restart, the refresh of the launch does the same to what is on disk.
  @Test func theRefreshOfALaunchMakesStoredAnswersBeAskedForAgain() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.serveMe(headers: [.cacheControl: "max-age=300"])
    _ = try await harness.me().get()
    let stack = await harness.relaunched()
    #expect(await stack.session.bootstrap().phase == .authenticated)
    #expect(try await harness.me(of: stack).get().source == .network)
    #expect(harness.asked == 2)
  }

  @Test func aRefreshThatNamesAnotherSessionRemovesTheUsersAnswers() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.serveMe()
    _ = try await harness.me().get()
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { _ throws(TransportError) in
      let pair = harness.backend.issue()
      return ScriptedBackend.json(
        TokenPair(
          accessToken: pair.accessToken, refreshToken: pair.refreshToken, expiresIn: 900, expiresAt: pair.expiresAt,
          refreshExpiresIn: 9000, refreshExpiresAt: pair.refreshExpiresAt, sessionID: "another", profile: nil))
    }
    #expect(await harness.stack.session.refresh() == .refreshed)
    #expect(await harness.files() == [])
    _ = try await harness.me().get()
    #expect(harness.backend.requests(AccountEndpoints.Me.path).last?.headers[.ifNoneMatch] == nil)
  }

  @Test func nobodySignedInMeansUnauthorizedNotCached() async throws {
    let harness = try CacheHarness()
    #expect(await harness.me().error == .unauthorized)
    #expect(harness.asked == 0)
  }
}

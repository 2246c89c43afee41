import Domain
import HTTPTypes
import Observability
import RPC
import Support
import Testing

@testable import Client

/// The cache within the whole chain: asking, confirming, standing in (seed 003 §7, RFC 9111 §4).
@Suite(.timeLimit(.minutes(1)))
struct CachedCallTests {
  @Test func storedAnswerIsConfirmedByTheBackend() async throws {
    let bench = try CacheHarness()
    try await bench.signIn()
    bench.serveMe()
    let first = try await bench.me().get()
    let second = try await bench.me().get()
    let requests = bench.backend.requests(AccountEndpoints.Me.path)
    #expect(requests.map { $0.headers[.ifNoneMatch] } == [nil, "\"1\""])
    #expect(second.body == first.body)
    #expect(second.source == .network)
    let row = try #require(bench.rows("me").last)
    #expect(row.status == 304)
    #expect(row.state == .success)
    #expect(row.source == .network)
    #expect(row.error == nil)
  }

  @Test func changedAnswerTakesTheStoredOnesPlace() async throws {
    let bench = try CacheHarness()
    try await bench.signIn()
    bench.serveMe("u1", tag: "\"1\"")
    _ = try await bench.me().get()
    bench.serveMe("u2", tag: "\"2\"")
    #expect(try await bench.me().get().body.userID == "u2")
    #expect(try await bench.me().get().body.userID == "u2")
    #expect(bench.backend.requests(AccountEndpoints.Me.path).map { $0.headers[.ifNoneMatch] } == [nil, "\"1\"", "\"2\""])
  }

  @Test func withoutTheBackendTheStoredAnswerStandsInAndSaysSo() async throws {
    let bench = try CacheHarness()
    try await bench.signIn()
    bench.serveMe()
    _ = try await bench.me().get()
    bench.cut()
    bench.time.advance(by: .seconds(60))
    let receipt = try await bench.me().get()
    #expect(receipt.body.userID == "u1")
    #expect(receipt.source == .cache)
    let row = try #require(bench.rows("me").last)
    #expect(row.source == .cache)
    #expect(row.status == 200)
    #expect(row.state == .success)
    let failed = bench.rows("me").filter { $0.error == "offline" }
    #expect(!failed.isEmpty)
    #expect(failed.allSatisfy { $0.callID == row.callID && $0.attempt < row.attempt && $0.source == .network })
    let detail = try #require(bench.log.detail(id: row.id))
    let age = detail.response?.headers.first { $0.name.lowercased() == "age" }.flatMap { Int($0.value) }
    #expect((60...70).contains(age ?? 0))
    // The person in the kept answer is masked like in a fresh one.
    #expect(detail.response?.body?.contains("someone@example.org") == false)
  }

  @Test(arguments: [
    TransportError.tls("untrusted"), .pinMismatch(presented: []), .timedOut(.idle), .connectionLost(mayHaveBeenProcessed: true),
    .malformedResponse,
  ])
  func otherFailuresAreNotCoveredUp(failure: TransportError) async throws {
    let bench = try CacheHarness()
    try await bench.signIn()
    bench.serveMe()
    _ = try await bench.me().get()
    bench.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in throw failure }
    #expect(await bench.me().error == NetworkError(failure))
  }

  @Test func mustRevalidateIsNotShownStaleEvenWithoutTheBackend() async throws {
    let bench = try CacheHarness()
    try await bench.signIn()
    bench.serveMe(headers: [.cacheControl: "max-age=10, must-revalidate"])
    _ = try await bench.me().get()
    bench.cut()
    bench.time.advance(by: .seconds(9))
    #expect(try await bench.me().get().source == .cache)
    bench.time.advance(by: .seconds(2))
    #expect(await bench.me().error == .offline)
  }

  @Test func freshAnswerIsUsedWithoutAsking() async throws {
    let bench = try CacheHarness()
    let path = AppEndpoints.AppConfig.path
    bench.serve(path, Self.config, tag: "\"c\"", headers: [.cacheControl: "max-age=300"])
    _ = try await bench.get(AppEndpoints.AppConfig()).get()
    bench.time.advance(by: .seconds(299))
    #expect(try await bench.get(AppEndpoints.AppConfig()).get().source == .cache)
    #expect(bench.backend.requests(path).count == 1)
    #expect(bench.rows("app_config").map(\.source) == [.network, .cache])
    bench.time.advance(by: .seconds(1))
    #expect(try await bench.get(AppEndpoints.AppConfig()).get().source == .network)
    #expect(bench.backend.requests(path).map { $0.headers[.ifNoneMatch] } == [nil, "\"c\""])
    // Confirmed, it is fresh again.
    bench.time.advance(by: .seconds(299))
    #expect(try await bench.get(AppEndpoints.AppConfig()).get().source == .cache)
    #expect(bench.backend.requests(path).count == 2)
  }

  @Test func noStoreIsNotStored() async throws {
    let bench = try CacheHarness()
    try await bench.signIn()
    bench.serveMe(headers: [.cacheControl: "no-store"])
    _ = try await bench.me().get()
    bench.cut()
    #expect(await bench.me().error == .offline)
    #expect(await bench.files() == [])
  }

  @Test func answerThatTurnedNoStoreIsForgotten() async throws {
    let bench = try CacheHarness()
    try await bench.signIn()
    bench.serveMe()
    _ = try await bench.me().get()
    #expect(await bench.files().count == 1)
    bench.serveMe(headers: [.cacheControl: "no-store"])
    #expect(try await bench.me().get().body.userID == "u1")
    #expect(await bench.files() == [])
    bench.cut()
    #expect(await bench.me().error == .offline)
  }

  @Test func whatIsNotAsPromisedIsNotKept() async throws {
    let bench = try CacheHarness()
    try await bench.signIn()
    bench.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in
      TransportResponse(status: 200, headers: [.eTag: "\"1\""], body: Array("<html>".utf8))
    }
    #expect(await bench.me().error == .unexpectedPayload)
    #expect(await bench.files() == [])
    bench.serveMe()
    _ = try await bench.me().get()
    #expect(bench.backend.requests(AccountEndpoints.Me.path).allSatisfy { $0.headers[.ifNoneMatch] == nil })
  }

  @Test func confirmationOfAnotherAnswerIsAskedAgain() async throws {
    let bench = try CacheHarness()
    try await bench.signIn()
    bench.serveMe("u1", tag: "\"1\"")
    _ = try await bench.me().get()
    bench.backend.on(AccountEndpoints.Me.path) { request throws(TransportError) in
      request.headers[.ifNoneMatch] == nil
        ? ScriptedBackend.json(CacheHarness.me("u2"), headers: [.eTag: "\"2\""])
        : TransportResponse(status: 304, headers: [.eTag: "\"2\""])
    }
    #expect(try await bench.me().get().body.userID == "u2")
    #expect(bench.asked == 3)
  }

  @Test func uninvitedConfirmationIsNoAnswer() async throws {
    let bench = try CacheHarness()
    try await bench.signIn()
    bench.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in TransportResponse(status: 304) }
    #expect(await bench.me().error == .unexpectedPayload)
    #expect(bench.rows("me").last?.state == .failure)
  }

  @Test func goneAnswerIsForgotten() async throws {
    let bench = try CacheHarness()
    try await bench.signIn()
    bench.serveMe()
    _ = try await bench.me().get()
    bench.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in ScriptedBackend.error(404, "not_found") }
    #expect(await bench.me().error == .notFound(code: "not_found"))
    bench.cut()
    #expect(await bench.me().error == .offline)
    #expect(await bench.files() == [])
  }

  @Test func replayAfterARefreshStillAsksForConfirmation() async throws {
    let bench = try CacheHarness()
    try await bench.signIn()
    let answer = bench.backend
    answer.on(AccountEndpoints.Me.path) { request throws(TransportError) in
      let inner = answer.answer(request)
      guard inner.status == 200 else { return inner }
      let headers: HTTPFields = [.eTag: "\"1\"", .cacheControl: "no-cache"]
      return request.headers[.ifNoneMatch] == "\"1\""
        ? TransportResponse(status: 304, headers: headers) : TransportResponse(status: 200, headers: headers, body: inner.body)
    }
    _ = try await bench.me().get()
    answer.expireAccessTokens()
    #expect(try await bench.me().get().body.userID == "u1")
    #expect(answer.refreshes == 1)
    #expect(answer.requests(AccountEndpoints.Me.path).map { $0.headers[.ifNoneMatch] } == [nil, "\"1\"", "\"1\""])
    #expect(bench.rows("me").map(\.status) == [200, 401, 304])
  }

  @Test func answersOutliveTheProcessWithTheirSession() async throws {
    let bench = try CacheHarness()
    try await bench.signIn()
    bench.serveMe()
    _ = try await bench.me().get()
    let stack = await bench.relaunched()
    _ = await stack.session.bootstrap()
    #expect(try await bench.me(of: stack).get().source == .network)
    #expect(bench.backend.requests(AccountEndpoints.Me.path).last?.headers[.ifNoneMatch] == "\"1\"")
    bench.cut()
    #expect(try await bench.me(of: stack).get().source == .cache)
  }

  @Test func aRefreshKeepsTheUsersAnswersUnlessItNamesAnotherSession() async throws {
    let bench = try CacheHarness()
    try await bench.signIn()
    bench.serveMe()
    _ = try await bench.me().get()
    #expect(await bench.stack.session.refresh() == .refreshed)
    _ = try await bench.me().get()
    #expect(bench.backend.requests(AccountEndpoints.Me.path).last?.headers[.ifNoneMatch] == "\"1\"")
    bench.backend.on(AuthEndpoints.RefreshTokens.path) { _ throws(TransportError) in
      let pair = bench.backend.issue()
      return ScriptedBackend.json(
        TokenPair(
          accessToken: pair.accessToken, refreshToken: pair.refreshToken, expiresIn: 900, expiresAt: pair.expiresAt,
          refreshExpiresIn: 9000, refreshExpiresAt: pair.refreshExpiresAt, sessionID: "another", profile: nil))
    }
    #expect(await bench.stack.session.refresh() == .refreshed)
    #expect(await bench.files() == [])
    _ = try await bench.me().get()
    #expect(bench.backend.requests(AccountEndpoints.Me.path).last?.headers[.ifNoneMatch] == nil)
  }

  @Test func nobodySignedInMeansUnauthorizedNotCached() async throws {
    let bench = try CacheHarness()
    #expect(await bench.me().error == .unauthorized)
    #expect(bench.asked == 0)
  }

  static let config = AppConfigBody(
    defaultLanguageCode: "en", supportedLanguages: [],
    features: .init(
      loginCode: true, analyticsOptOut: true, developerTools: true, accountDeletion: true, logoutEndpoint: false,
      idempotencyKeys: true), auth: .init(cooldownSeconds: 5, codeLength: 6, trustedLinkHosts: []),
    networkLog: .init(capacity: 100), session: .init(refreshMarginSeconds: 60))
}

import Client
import Domain
import HTTPTypes
import RPC
import Support
import Testing

/// Edge cases 14 and 15: what a backend says about a session, and what is no statement about it (seed-rules N-22 "refresh fails",
/// C-17 to C-22 "(401)").
@Suite(.timeLimit(.minutes(2)))
struct VerdictEdgeCaseTests {
  /// Naive: any failed refresh logs out.
  @Test(arguments: Verdict.none)
  func edgeCase14WhatIsNoVerdictKeepsTheSession(answer: Result<TransportResponse, TransportError>) async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.expireAccessTokens()
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { _ throws(TransportError) in try answer.get() }
    let first = await harness.me()
    #expect((try? first.get()) == nil)
    #expect(await harness.session.state.phase == .error)
    #expect(try harness.store.load()?.refreshToken == "refresh-1")
    // The next call gets the same.
    #expect(await harness.me() == first)
    // Then it works again.
    harness.backend.reset(AuthEndpoints.RefreshTokens.path)
    harness.time.advance(by: .seconds(61))
    #expect((try? await harness.me().get()) != nil)
    #expect(await harness.session.state.phase == .authenticated)
  }

  /// Naive: the refusal of a token that was replaced in the meantime ends the session with its good one.
  @Test func edgeCase15ARefusalOfAReplacedTokenEndsNothing() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    let old = try await harness.session.credential(
      epoch: nil, deadline: harness.time.now + .seconds(60), cause: RefreshCause()
    ).stamp
    #expect(await harness.session.refresh() == .refreshed)
    #expect(await harness.session.end(old, reason: .unauthorized) == false)
    #expect(await harness.session.state.phase == .authenticated)
    #expect(await harness.session.end(old, reason: .deviceNotRegistered))
    #expect(await harness.session.state.phase == .signedOut)
  }

  /// Naive: a replay whose token was replaced while it was under way fails, although its session has a good token.
  @Test func edgeCase15AReplayWithAReplacedTokenIsSentAgain() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    let replays = Gate()
    harness.backend.on(AccountEndpoints.Me.path) { request throws(TransportError) in
      switch request.headers[.authorization] {
      case "Bearer access-1": return TransportResponse(status: 401)
      case "Bearer access-2":
        await replays.pass()
        return TransportResponse(status: 401)
      default: return harness.backend.answer(request)
      }
    }
    async let call = harness.me()
    await replays.waitForArrivals(1)
    #expect(await harness.session.refresh() == .refreshed)
    replays.open()
    #expect((try? await call.get()) != nil)
    #expect(await harness.session.state.phase == .authenticated)
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == 3)
  }

  @Test(arguments: Verdict.none)
  func edgeCase14WhatIsNoVerdictKeepsTheSessionOverALaunch(answer: Result<TransportResponse, TransportError>) async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { _ throws(TransportError) in try answer.get() }
    #expect(await harness.relaunched().session.bootstrap().phase == .error)
    #expect(try harness.store.load()?.refreshToken == "refresh-1")
  }

  /// Naive: only the codes of the reference backend end a session, and with another one it never ends.
  @Test(arguments: Verdict.refusals)
  func edgeCase14ARefusedRefreshEndsTheSession(answer: TransportResponse, reason: LogoutReason) async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.expireAccessTokens()
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { _ in answer }
    #expect(await harness.me() == .failure(.sessionEnded))
    let state = await harness.session.state
    #expect(state.phase == .signedOut && state.reason == reason.rawValue)
    #expect(try harness.store.load() == nil)
    #expect(harness.backend.refreshes == 1)
  }

  @Test(arguments: Verdict.refusals)
  func edgeCase14ARefusedRefreshEndsTheSessionAtTheLaunchToo(answer: TransportResponse, reason: LogoutReason) async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { _ in answer }
    let state = await harness.relaunched().session.bootstrap()
    #expect(state.phase == .signedOut && state.reason == reason.rawValue)
    #expect(try harness.store.load() == nil)
  }

  private static let withoutAKnownCode =
    Verdict.inEachShape(401, "something_new") + [
      TransportResponse(status: 401), TransportResponse(status: 401, body: [0xff, 0xfe, UInt8(ascii: "{")]),
      TransportResponse(status: 401, body: Array("<html>".utf8)), ScriptedBackend.text(401, #"{"message":"Unauthorized"}"#),
      ScriptedBackend.text(401, #"{"error":null}"#),
    ]

  /// Naive: `return try await request(endpoint)` after each refresh, as in seed-rules I-11 "recursively".
  @Test(
    arguments: [
      (ScriptedBackend.error(401, BackendErrorCode.accessTokenExpired), .accessTokenRejected),
      (ScriptedBackend.error(401, BackendErrorCode.invalidToken), .invalidToken),
      (ScriptedBackend.error(401, BackendErrorCode.refreshTokenReused), .refreshTokenReused),
      (ScriptedBackend.error(401, BackendErrorCode.refreshTokenExpired), .refreshTokenExpired),
      (ScriptedBackend.text(401, #"{"error":"invalid_token","error_description":"expired"}"#), .invalidToken),
    ] + withoutAKnownCode.map { ($0, .unauthorized) } as [(TransportResponse, LogoutReason)])
  func edgeCase15ARefusalAfterARefreshEndsTheSessionWhateverItsCode(answer: TransportResponse, reason: LogoutReason) async throws
  {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.on(AccountEndpoints.Me.path) { request throws(TransportError) in
      request.headers[.authorization] == "Bearer access-1"
        ? ScriptedBackend.error(401, BackendErrorCode.accessTokenExpired) : answer
    }
    #expect(await harness.me() == .failure(.sessionEnded))
    #expect(await harness.session.state.reason == reason.rawValue)
    #expect(try harness.store.load() == nil)
    #expect(harness.backend.refreshes == 1)
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == 2)
  }

  /// Naive: a 401 without a known code is an error of the call, and the session stays unusable.
  @Test(
    arguments: withoutAKnownCode + [
      ScriptedBackend.error(401, BackendErrorCode.refreshTokenReused),
      // By their code, whatever the status.
      ScriptedBackend.error(403, BackendErrorCode.accessTokenExpired),
      ScriptedBackend.text(400, #"{"error":"invalid_token","error_description":"expired"}"#),
    ])
  func edgeCase15ARefusalWithoutAKnownCodeIsSolvedByOneRefresh(answer: TransportResponse) async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.on(AccountEndpoints.Me.path) { request throws(TransportError) in
      request.headers[.authorization] == "Bearer access-1" ? answer : harness.backend.answer(request)
    }
    #expect((try? await harness.me().get()) != nil)
    #expect(await harness.session.state.phase == .authenticated)
    #expect(harness.backend.refreshes == 1)
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == 2)
  }

  /// What is no statement about the token ends nothing, with a new token or an old one.
  @Test(arguments: [
    (BackendErrorCode.invalidSignature, NetworkError.signatureRejected),
    (BackendErrorCode.loginLinkInvalid, .rejected(status: 401, code: BackendErrorCode.loginLinkInvalid)),
    (BackendErrorCode.loginCodeInvalid, .rejected(status: 401, code: BackendErrorCode.loginCodeInvalid)),
  ])
  func edgeCase15ARefusalOfSomethingElseKeepsTheSession(code: String, error: NetworkError) async throws {
    for isReplay in [false, true] {
      let harness = try ClientHarness()
      try await harness.signIn()
      if isReplay { harness.backend.expireAccessTokens() }
      harness.backend.on(AccountEndpoints.Me.path) { request throws(TransportError) in
        isReplay && request.headers[.authorization] == "Bearer access-1"
          ? harness.backend.answer(request) : ScriptedBackend.error(401, code)
      }
      #expect(await harness.me() == .failure(error))
      #expect(await harness.session.state.phase == .authenticated)
      #expect(harness.backend.refreshes == (isReplay ? 1 : 0))
    }
  }
}

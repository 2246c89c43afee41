import Domain
import FoundationEssentials
import HTTPTypes
import RPC
import Support
import Testing

@testable import Client

/// The signature of calls (seed-rules C-3 to C-8 "Signing"); the expected values come from another implementation of HMAC-SHA-256.
struct RequestSignerTests {
  let time = DrivenTime()

  private func signed(_ id: String, _ secret: String, _ method: HTTPRequest.Method, _ path: String, _ body: [UInt8]?)
    -> HTTPFields
  {
    var headers = HTTPFields()
    RequestSigner(apiID: id, apiSecret: secret, clock: ServerClock(time: time.time))?.sign(
      &headers, method: method, path: path, body: body)
    return headers
  }

  @Test func callWithoutABody() {
    let headers = signed("app", "signing-secret", .get, "/rpc/me", nil)
    #expect(headers[.apiID] == "app")
    #expect(headers[.nonce] == "1795262400")
    #expect(headers[.signature] == "a4d653a8a243367ed58fbc195efb866bc34016e0a4a43f5b3f93a1630dac7525")
  }

  @Test func callWithABody() {
    let body = Array(#"{"code":"123456","identifier":"someone@example.org"}"#.utf8)
    let headers = signed("app", "signing-secret", .post, "/rpc/login_with_code", body)
    #expect(headers[.signature] == "6a94d89d180b2fa92bd9af87e825fddd0fac41ef24ff41260ebd4d40a76115bf")
  }

  @Test func pathAndBytesAreSignedAsTheyStand() {
    time.stepWall(by: 1 - 1_795_262_400)
    let headers = signed("app-7", "k\u{E9}y", .post, "/rpc/a%20b", [0, 255, 10, 128])
    #expect(headers[.nonce] == "1")
    #expect(headers[.signature] == "1004fb9e71212324725a02815b6c2be55b3c3cb6903b14839db097128e723f8f")
  }

  /// The nonce is the time: a backend with a narrow window refuses any other.
  @Test func equalCallsOfOneSecondAreSignedAlike() throws {
    let signer = try #require(RequestSigner(apiID: "app", apiSecret: "signing-secret", clock: ServerClock(time: time.time)))
    var signed: Set<HTTPFields> = []
    for _ in 0..<1000 {
      var headers = HTTPFields()
      signer.sign(&headers, method: .get, path: "/rpc/me", body: nil)
      signed.insert(headers)
    }
    #expect(signed.count == 1 && signed.first?[.nonce] == "1795262400")
  }

  @Test(arguments: [(nil, "s"), ("a", nil), ("", "s"), ("a", "")] as [(String?, String?)])
  func nothingIsSignedWithoutBothParts(id: String?, secret: String?) {
    #expect(RequestSigner(apiID: id, apiSecret: secret, clock: ServerClock(time: time.time)) == nil)
  }

  @Test func clocksFarOffDoNotTrap() {
    for seconds in [-1e300, 1e300, .infinity, -.infinity] {
      let time = DrivenTime(wall: Date(timeIntervalSince1970: seconds))
      let clock = ServerClock(time: time.time)
      _ = clock.seconds(skew: 0)
      #expect(clock.correct(byDate: "Sat, 21 Nov 2026 12:00:00 GMT"))
      #expect(clock.seconds(skew: 0) == 1_795_262_400)
    }
  }
}

/// How calls handle a clock that differs from the backend's, or that jumps.
@Suite(.timeLimit(.minutes(1)))
struct ClockSkewTests {
  /// Rejects signatures whose nonce is not within 300 s of the backend's clock.
  private func demandSignatures(_ harness: ClientHarness, _ path: String, serverAhead: Int64, date: Bool = true) {
    harness.backend.on(path) { request throws(TransportError) in
      let server = Int64(harness.time.wall.timeIntervalSince1970) + serverAhead
      let nonce = request.headers[.nonce].flatMap { Int64($0) } ?? 0
      guard abs(nonce - server) <= 300 else {
        let text = serverAhead > 0 ? "Sat, 21 Nov 2026 13:00:00 GMT" : "Sat, 21 Nov 2026 11:00:00 GMT"
        return ScriptedBackend.error(401, BackendErrorCode.invalidSignature, headers: date ? [.date: text] : [:])
      }
      return harness.backend.answer(request)
    }
  }

  @Test(arguments: [3600, -3600])
  func clockIsCorrectedOnceFromDate(ahead: Int64) async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    demandSignatures(harness, AccountEndpoints.Me.path, serverAhead: ahead)
    #expect((try? await harness.me().get()) != nil)
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == 2)
    // The correction applies to later calls.
    #expect((try? await harness.me().get()) != nil)
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == 3)
    #expect(harness.backend.refreshes == 0)
  }

  @Test func loginIsCorrectedToo() async throws {
    let harness = try ClientHarness()
    demandSignatures(harness, AuthEndpoints.LoginWithCode.path, serverAhead: 3600)
    try await harness.signIn()
    #expect(await harness.session.state.phase == .authenticated)
  }

  @Test func refreshIsCorrectedToo() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    demandSignatures(harness, AuthEndpoints.RefreshTokens.path, serverAhead: 3600)
    #expect(await harness.session.refresh() == .refreshed)
    #expect(harness.backend.refreshes == 2)
  }

  @Test(arguments: [true, false])
  func signatureThatStaysRefusedIsAPlainError(hasDate: Bool) async throws {
    let harness = try ClientHarness(backoff: .none)
    try await harness.signIn()
    harness.backend.on(AccountEndpoints.Me.path) { _ in
      ScriptedBackend.error(
        401, BackendErrorCode.invalidSignature, headers: hasDate ? [.date: "Sat, 21 Nov 2026 12:00:00 GMT"] : [.date: "now"])
    }
    #expect(await harness.me() == .failure(.signatureRejected))
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == (hasDate ? 2 : 1))
    #expect(harness.backend.refreshes == 0)
    #expect(await harness.session.state.phase == .authenticated)
  }

  @Test func tokenIsRefreshedAheadOfItsExpiry() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.time.advance(by: .seconds(809))
    _ = await harness.me()
    #expect(harness.backend.refreshes == 0)
    harness.time.advance(by: .seconds(1))
    _ = await harness.me()
    #expect(harness.backend.refreshes == 1)
    #expect(
      harness.backend.requests(AccountEndpoints.Me.path).map { $0.headers[.authorization] } == [
        "Bearer access-1", "Bearer access-2",
      ])
  }

  @Test func lifetimeCountsFromWhenTheRequestWentOut() async throws {
    let harness = try ClientHarness()
    harness.backend.on(AuthEndpoints.LoginWithCode.path) { request throws(TransportError) in
      harness.time.advance(by: .seconds(20))
      return harness.backend.answer(request)
    }
    let sent = harness.time.wall
    try await harness.signIn()
    #expect(await harness.session.state.accessExpiresAt == sent.addingTimeInterval(900))
  }
}

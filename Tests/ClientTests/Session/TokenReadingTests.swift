import Domain
import FoundationEssentials
import JSON
import Observability
import RPC
import Support
import Testing

@testable import Client

/// Tokens in the forms that backends send them in (seed-rules I-7 "A token answer", I-8 "expires at the date").
@Suite(.timeLimit(.minutes(1)))
struct TokenReadingTests {
  private static let sent = Date(timeIntervalSince1970: 1_700_000_000)

  private static func tokens(_ members: String, correction: Int64 = 0) throws -> (
    tokens: SessionTokens, sentAt: ContinuousClock.Instant
  ) {
    let pair = try JSONCoding.decodeTolerantly(
      TokenPair.self, from: JSONDocument(parsing: Array("{\(members)}".utf8)), notes: JSONReadNotes())
    let sentAt = ContinuousClock.now
    return (try SessionTokens(pair, sentAt: sentAt, sentWall: sent, clockCorrection: correction), sentAt)
  }

  @Test(
    arguments: [
      (#""access_token":"a","refresh_token":"r""#, nil),
      (#""accessToken":"a","refreshToken":"r""#, nil),
      (#""access_token":"a","refresh_token":"r","expires_in":900"#, 900),
      (#""access_token":"a","refresh_token":"r","expires_in":"900""#, 900),
      (#""access_token":"a","refresh_token":"r","expires_in":0"#, nil),
      (#""access_token":"a","refresh_token":"r","expires_in":null,"expires_at":null,"session_id":null,"profile":null"#, nil),
      (#""access_token":"a","refresh_token":"r","expires_at":"never","expires_in":900"#, 900),
      (#""access_token":"a","refresh_token":"r","expires_in":{},"profile":7,"token_type":["Bearer"]"#, nil),
      // 2023-11-14T22:13:20Z is when the request was sent.
      (#""accessToken":"a","refreshToken":"r","expiresAt":"2023-11-14T22:23:20.000+0000""#, 600),
      (#""access_token":"a","refresh_token":"r","expires_at":"2023-11-14T22:23:20Z""#, 600),
      (#""access_token":"a","refresh_token":"r","expires_at":1700000600"#, 600),
      (#""access_token":"a","refresh_token":"r","expires_at":1700000600000"#, 600),
      (#""access_token":"a","refresh_token":"r","expires_at":"1700000600""#, 600),
      (#""access_token":"a","refresh_token":"r","expires_at":1700000600.5"#, 600.5),
      (#""access_token":"a","refresh_token":"r","expires_in":900,"expires_at":1700000600"#, 900),
      (#""access_token":"a","refresh_token":"r","expires_in":300,"expires_at":1700000600"#, 300),
      (#""access_token":"a","refresh_token":"r","expires_in":900,"expires_at":1600000000"#, 900),
      (#""access_token":"a","refresh_token":"r","expires_in":9223372036854775807,"expires_at":253402300799999"#, 315_360_000),
    ] as [(String, Double?)])
  func theLifetimeCountsElseTheEnd(members: String, lifetime: Double?) throws {
    let (tokens, sentAt) = try Self.tokens(members)
    #expect(tokens.accessToken == "a" && tokens.refreshToken == "r")
    let duration = lifetime.map { Duration.milliseconds(Int64($0 * 1000)) }
    #expect(tokens.accessLifetime == duration)
    #expect(tokens.accessExpiry == duration.map { sentAt + $0 })
    #expect(tokens.accessExpiresAt == lifetime.map { Self.sent + $0 })
    #expect(tokens.issuedAt == lifetime.map { _ in Self.sent })
  }

  @Test(
    arguments: [
      (#""refresh_expires_in":60"#, 60), (#""refreshExpiresAt":1700000050,"refresh_expires_in":60"#, 60),
      (#""session_id":"s""#, nil),
    ] as [(String, Double?)])
  func theRefreshTokenEndsTheSameWay(members: String, lifetime: Double?) throws {
    let tokens = try Self.tokens(#""access_token":"a","refresh_token":"r",\#(members)"#).tokens
    #expect(tokens.refreshExpiresAt == lifetime.map { Self.sent + $0 })
  }

  @Test(arguments: [(0, 600.0), (-60, 660.0), (590, 10.0), (3600, 0.0)] as [(Int64, Double)])
  func aDateIsComparedWithTheBackendsClock(correction: Int64, lifetime: Double) throws {
    let tokens = try Self.tokens(#""access_token":"a","refresh_token":"r","expires_at":1700000600"#, correction: correction)
      .tokens
    #expect(tokens.accessLifetime == .seconds(lifetime) && tokens.accessExpiresAt == Self.sent + lifetime)
  }

  @Test(arguments: [
    #""refresh_token":"r""#, #""access_token":"a""#, #""access_token":"","refresh_token":"r""#,
    #""access_token":null,"refresh_token":"r""#,
  ])
  func bothTokensAreNeeded(members: String) { #expect(throws: (any Error).self) { try Self.tokens(members) } }

  @Test(arguments: ["", #""refresh_token":null,"#, #""refresh_token":"","#]) func aRefreshKeepsTheTokenThatItWasSent(
    member: String
  ) throws {
    let pair = try JSONCoding.decodeTolerantly(
      TokenPair.self, from: JSONDocument(parsing: Array("{\(member)\"access_token\":\"a\"}".utf8)), notes: JSONReadNotes())
    #expect(try SessionTokens(pair, sentAt: .now, sentWall: Self.sent, keeping: "r1").refreshToken == "r1")
    #expect(throws: NetworkError.self) { try SessionTokens(pair, sentAt: .now, sentWall: Self.sent) }
  }

  /// The backend's clock is an hour behind, and its answer says so.
  @Test func aDateIsComparedWithThatOfItsAnswer() throws {
    let pair = try JSONCoding.decodeTolerantly(
      TokenPair.self,
      from: JSONDocument(parsing: Array(#"{"access_token":"a","refresh_token":"r","expires_at":1699997000}"#.utf8)),
      notes: JSONReadNotes())
    let answered = Timestamp(milliseconds: 1_699_996_400_000)
    #expect(
      try SessionTokens(pair, sentAt: .now, sentWall: Self.sent, clockCorrection: 7, answeredAt: answered).accessLifetime
        == .seconds(600))
  }

  @Test(
    arguments: [(#""expires_in":900"#, 900), (#""expires_at":1600000000"#, 0), (#""session_id":"s""#, nil)] as [(String, Int?)])
  func aRestartKeepsWhatWasKnown(members: String, lifetime: Int?) throws {
    let tokens = try Self.tokens(#""access_token":"a","refresh_token":"r",\#(members)"#).tokens
    let stored = try JSONDecoder().decode(StoredTokens.self, from: JSONEncoder().encode(StoredTokens(tokens)))
    #expect(stored.accessLifetimeSeconds == lifetime && stored.sessionID == tokens.sessionID)
    let now = ContinuousClock.now
    let restored = SessionTokens(stored, now: now, wall: Self.sent + 100)
    #expect(restored.accessExpiry == lifetime.map { now + .seconds(max($0 - 100, 0)) })
  }

  // MARK: In a session

  private static func serveTokens(_ harness: ClientHarness, _ text: String) {
    for path in [AuthEndpoints.LoginWithCode.path, AuthEndpoints.RefreshTokens.path] {
      harness.backend.on(path) { _ in
        let pair = harness.backend.issue()
        let members = text.replacing("ACCESS", with: pair.accessToken).replacing("REFRESH", with: pair.refreshToken)
        return TransportResponse(status: 200, body: Array(members.utf8))
      }
    }
  }

  @Test(arguments: [
    #"{"access_token":"ACCESS","refresh_token":"REFRESH"}"#, #"{"accessToken":"ACCESS","refreshToken":"REFRESH"}"#,
    #"{"data":{"accessToken":"ACCESS","refreshToken":"REFRESH"}}"#,
  ])
  func twoTokensAreEnoughUntilA401(answer: String) async throws {
    let harness = try ClientHarness()
    Self.serveTokens(harness, answer)
    try await harness.signIn()
    harness.time.advance(by: .seconds(86_400))
    #expect((try? await harness.me().get()) != nil)
    #expect(harness.backend.refreshes == 0)
    harness.backend.expireAccessTokens()
    #expect((try? await harness.me().get()) != nil)
    #expect(harness.backend.refreshes == 1)
    let state = await harness.relaunched().session.bootstrap()
    #expect(state.phase == .authenticated && state.accessExpiresAt == nil)
  }

  @Test func anExpiredTokenIsRefreshedBeforeTheNextCall() async throws {
    let harness = try ClientHarness()
    let seconds = Int(harness.time.wall.timeIntervalSince1970)
    Self.serveTokens(harness, #"{"accessToken":"ACCESS","refreshToken":"REFRESH","expiresAt":\#(seconds - 1)}"#)
    try await harness.signIn()
    Self.serveTokens(harness, #"{"accessToken":"ACCESS","refreshToken":"REFRESH","expiresAt":\#(seconds + 900)}"#)
    for _ in 0..<3 { #expect((try? await harness.me().get()) != nil) }
    #expect(harness.backend.refreshes == 1)
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == 3)
  }

  @Test func anIdentifierThatIsANumberIsASecret() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.on(AccountEndpoints.Me.path) { _ in
      TransportResponse(status: 200, body: Array(#"{"user_id":"u","phone":447700900123}"#.utf8))
    }
    _ = await harness.me()
    harness.backend.on(AccountEndpoints.Me.path) { _ in
      TransportResponse(status: 200, body: Array(#"{"user_id":"u","display_name":"x447700900123x"}"#.utf8))
    }
    _ = await harness.me()
    for row in harness.log.rows().events {
      let text = String(decoding: try JSONCoding.encode(#require(harness.log.detail(id: row.id))), as: UTF8.self)
      #expect(!text.contains("447700900123"), "\(text)")
    }
  }

  /// Redaction knows the tokens by the names that they have here, and everything that was registered wherever else it turns up.
  @Test(arguments: [
    #"{"accessToken":"ACCESS","refreshToken":"REFRESH"}"#, #"{"tokens":{"accessToken":"ACCESS","refresh_token":"REFRESH"}}"#,
    #"{"result":{"access_token":"ACCESS","refreshToken":"REFRESH"}}"#,
  ])
  func noTokenOfAnyDialectReachesARow(answer: String) async throws {
    let harness = try ClientHarness()
    Self.serveTokens(harness, answer)
    try await harness.signIn()
    _ = await harness.session.refresh()
    harness.backend.on(AccountEndpoints.Me.path) { _ in
      TransportResponse(status: 200, body: Array(#"{"user_id":"u","display_name":"access-1 refresh-1 access-2 refresh-2"}"#.utf8))
    }
    _ = await harness.me()
    let rows = harness.log.rows().events
    #expect(rows.count == 3)
    for row in rows {
      let text = String(decoding: try JSONCoding.encode(#require(harness.log.detail(id: row.id))), as: UTF8.self)
      for secret in ["access-1", "refresh-1", "access-2", "refresh-2"] { #expect(!text.contains(secret), "\(text)") }
    }
  }
}

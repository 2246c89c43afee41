import GRDB
import HTTPTypes
import JSON
import RPC
import Support
import Testing

@testable import Backend

@Suite(.timeLimit(.minutes(1))) struct IdempotencyTests {
  private static let key = "0b6f7a52-6a4e-4c19-9e0c-4c41f2c4a001"

  private func shuffle(_ probe: BackendProbe, _ tokens: TokenPair, key: String?, extra: String = "") async throws
    -> BackendProbe.Reply
  {
    try await probe.post(
      "/rpc/shuffle_cues", "{\"profile_id\":\"\(tokens.profile?.profileID ?? "")\"\(extra)}", token: tokens.accessToken, key: key)
  }

  @Test func theSameKeyAndBodyHaveOneEffectAndOneAnswer() async throws {
    let probe = try await BackendProbe()
    let tokens = try await probe.signIn()
    let first = try await shuffle(probe, tokens, key: Self.key)
    probe.time.advance(by: .seconds(60))
    let again = try await shuffle(probe, tokens, key: Self.key.uppercased())
    #expect(first.status == 200 && again.status == 200 && again.body == first.body)
    let other = try await shuffle(probe, tokens, key: Self.key, extra: ",\"x\":1")
    #expect(other.status == 409 && other.code == "idempotency_mismatch")
    #expect(try await shuffle(probe, tokens, key: nil).body != first.body)
  }

  @Test func theStatusIsStoredToo() async throws {
    let probe = try await BackendProbe()
    let tokens = try await probe.signIn()
    let body = "{\"account_id\":\"\(try await probe.account(tokens).accountID)\",\"language_code\":\"ja\"}"
    let path = AccountEndpoints.GetOrCreateProfile.path
    let first = try await probe.post(path, body, token: tokens.accessToken, key: Self.key)
    let again = try await probe.post(path, body, token: tokens.accessToken, key: Self.key)
    #expect(first.status == 201 && again.status == 201 && again.body == first.body)
    #expect(try await probe.post(path, body, token: tokens.accessToken).status == 200)
  }

  @Test func anErrorIsStoredByteForByte() async throws {
    let probe = try await BackendProbe()
    let tokens = try await probe.signIn()
    let body = "{\"account_id\":\"\(try await probe.account(tokens).accountID)\",\"language_code\":\"ja\"}"
    let path = AccountEndpoints.SetActiveProfile.path
    let first = try await probe.post(path, body, token: tokens.accessToken, key: Self.key)
    #expect(first.status == 404)
    _ = try await probe.post(AccountEndpoints.GetOrCreateProfile.path, body, token: tokens.accessToken, key: Self.key)
    let again = try await probe.post(path, body, token: tokens.accessToken, key: Self.key)
    #expect(again.status == 404 && again.body == first.body, "although the call would now succeed")
    #expect(try await probe.post(path, body, token: tokens.accessToken).status == 200)
  }

  @Test func aKeyIsValidForOneAccountOneCallAndOneDay() async throws {
    let probe = try await BackendProbe()
    let tokens = try await probe.signIn()
    let other = try await probe.signIn("other@example.com", device: "two")
    let first = try await shuffle(probe, tokens, key: Self.key)
    let theirs = try await probe.post(
      "/rpc/shuffle_cues", "{\"profile_id\":\"\(try #require(other.profile).profileID)\"}", device: "two",
      token: other.accessToken, key: Self.key)
    #expect(theirs.status == 200)
    let call = try await probe.post("/app/api/call/start", "{\"callee\":\"x\"}", token: tokens.accessToken, key: Self.key)
    #expect(call.status == 200)
    try await probe.backend.clock.advance(seconds: 86_399)
    let late = try await probe.refresh(tokens.refreshToken).tokens
    #expect(try await shuffle(probe, late, key: Self.key).body == first.body)
    try await probe.backend.clock.advance(seconds: 1)
    #expect(try await shuffle(probe, late, key: Self.key).body != first.body)
  }

  @Test func aKeySurvivesARestart() async throws {
    let folder = try TemporaryFolder()
    let time = DrivenTime()
    let file = folder.file("backend.sqlite")
    let probe = try await BackendProbe(time: time, database: file)
    let tokens = try await probe.signIn()
    let first = try await shuffle(probe, tokens, key: Self.key)
    #expect(try await shuffle(BackendProbe(time: time, database: file), tokens, key: Self.key).body == first.body)
  }

  @Test func oneOfManyConcurrentDuplicatesHasAnEffect() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("backend.sqlite")
    let probe = try await BackendProbe(database: path)
    let tokens = try await probe.signIn()
    let bodies = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for _ in 0..<50 {
        group.addTask {
          try await probe.post("/app/api/call/start", "{\"callee\":\"x\"}", token: tokens.accessToken, key: Self.key).body
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(bodies.count == 1)
    let rows = try await DatabaseQueue(path: path).read { db in
      try Int.fetchOne(db, sql: "SELECT count(*) FROM idempotency_record")
    }
    #expect(rows == 1)
  }

  @Test(arguments: ["", "x", "0b6f7a526a4e4c199e0c4c41f2c4a001", "{0b6f7a52-6a4e-4c19-9e0c-4c41f2c4a001}", "💥", "' OR 1=1 --"])
  func aKeyIsAUUID(key: String) async throws {
    let probe = try await BackendProbe()
    let tokens = try await probe.signIn()
    let reply = try await shuffle(probe, tokens, key: key)
    #expect(reply.status == 400 && reply.code == "invalid_request")
    #expect(try await probe.post("/rpc/shuffle_cues", "{}", key: key).code == "invalid_token", "the session comes first")
  }

  @Test func aBadBodyDoesNotUseTheKey() async throws {
    let probe = try await BackendProbe()
    let tokens = try await probe.signIn()
    #expect(try await probe.post("/rpc/shuffle_cues", "{}", token: tokens.accessToken, key: Self.key).status == 400)
    #expect(try await shuffle(probe, tokens, key: Self.key).status == 200)
  }

  @Test func aRepeatedLogoutSucceedsOnlyWithItsKey() async throws {
    let probe = try await BackendProbe()
    let tokens = try await probe.signIn()
    for _ in 0..<2 {
      #expect(try await probe.post("/app/api/logout", "{}", token: tokens.accessToken, key: Self.key).status == 204)
    }
    let others: [(String?, String?, String)] = [
      (nil, BackendProbe.device, "{}"), ("0b6f7a52-6a4e-4c19-9e0c-4c41f2c4a002", BackendProbe.device, "{}"),
      (Self.key, "two", "{}"),
    ]
    for (key, device, body) in others {
      let reply = try await probe.post("/app/api/logout", body, device: device, token: tokens.accessToken, key: key)
      #expect(reply.status == 401)
    }
    #expect(try await shuffle(probe, tokens, key: Self.key).code == "invalid_token")
  }

  @Test func loginAndRefreshIgnoreIdempotencyKeys() async throws {
    let probe = try await BackendProbe()
    let parent = try await probe.signIn().refreshToken
    let body = Array("{\"refresh_token\":\"\(parent)\"}".utf8)
    let fields = [("Idempotency-Key", "not a uuid")]
    let first = try await probe.call(.post, "/rpc/refresh_tokens", body: body, fields: fields).tokens
    probe.time.advance(by: .seconds(11))
    let again = try await probe.call(.post, "/rpc/refresh_tokens", body: body, fields: fields)
    #expect(again.code == "refresh_token_reused" && !first.accessToken.isEmpty)
  }
}

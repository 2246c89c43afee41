import GRDB
import HTTPTypes
import JSON
import RPC
import Support
import Testing

@testable import Backend

@Suite(.timeLimit(.minutes(1))) struct RefreshTests {
  @Test(arguments: ["/rpc/refresh_tokens", "/app/api/refresh-token"]) func aRefreshRotatesBothTokens(path: String) async throws {
    let probe = try await BackendProbe()
    let first = try await probe.signIn()
    probe.time.advance(by: .seconds(60))
    let reply = try await probe.refresh(first.refreshToken, path: path)
    #expect(reply.status == 200)
    let second = try reply.tokens
    #expect(second.sessionID == first.sessionID)
    #expect(second.accessToken != first.accessToken && second.refreshToken != first.refreshToken)
    #expect(second.expiresIn == 900)
    #expect(second.refreshExpiresAt?.milliseconds == (try #require(first.refreshExpiresAt).milliseconds + 60_000))
    #expect(second.profile == first.profile)
    // Both access tokens are valid until they expire.
    for token in [first.accessToken, second.accessToken] { #expect(try await probe.me(token).status == 200) }
    probe.time.advance(by: .seconds(840))
    #expect(try await probe.me(first.accessToken).code == "ErrAccessTokenExpired")
    #expect(try await probe.me(second.accessToken).status == 200)
  }

  @Test func aLostAnswerIsRepeated() async throws {
    let probe = try await BackendProbe()
    let parent = try await probe.signIn().refreshToken
    let successor = try await probe.refresh(parent).tokens
    probe.time.advance(by: .seconds(10))
    let again = try await probe.refresh(parent).tokens
    #expect(again.refreshToken == successor.refreshToken && again.accessToken == successor.accessToken)
    #expect(again.expiresAt == successor.expiresAt && again.expiresIn == successor.expiresIn.map { $0 - 10 })
    #expect(try await probe.refresh(successor.refreshToken).status == 200)
  }

  @Test func afterTheGracePeriodASpentTokenEndsTheSession() async throws {
    let probe = try await BackendProbe()
    let parent = try await probe.signIn().refreshToken
    let successor = try await probe.refresh(parent).tokens
    probe.time.advance(by: .milliseconds(10_001))
    let reply = try await probe.refresh(parent)
    #expect(reply.status == 401 && reply.code == "refresh_token_reused")
    #expect(try await probe.refresh(successor.refreshToken).code == "refresh_token_reused")
    #expect(try await probe.me(successor.accessToken).code == "invalid_token")
  }

  @Test func aSpentTokenWithAUsedSuccessorEndsTheSession() async throws {
    let probe = try await BackendProbe()
    let parent = try await probe.signIn().refreshToken
    let successor = try await probe.refresh(parent).tokens
    let newest = try await probe.refresh(successor.refreshToken).tokens
    #expect(try await probe.refresh(parent).code == "refresh_token_reused")
    #expect(try await probe.refresh(newest.refreshToken).code == "refresh_token_reused")
  }

  /// An attack that revived sessions in other systems: each token of an ended session, just after the end and around the grace period.
  @Test func anEndedSessionStaysEnded() async throws {
    let probe = try await BackendProbe()
    let grandparent = try await probe.signIn().refreshToken
    let parent = try await probe.refresh(grandparent).tokens.refreshToken
    let newest = try await probe.refresh(parent).tokens
    #expect(try await probe.refresh(grandparent).code == "refresh_token_reused")
    for step in [Duration.zero, .milliseconds(287), .milliseconds(8713), .seconds(2)] {
      probe.time.advance(by: step)
      for token in [newest.refreshToken, parent, grandparent] {
        let reply = try await probe.refresh(token)
        #expect(reply.status == 401 && reply.code == "refresh_token_reused")
      }
      #expect(try await probe.me(newest.accessToken).code == "invalid_token")
    }
  }

  @Test func reuseEndsOnlyOneSession() async throws {
    let probe = try await BackendProbe()
    let one = try await probe.signIn(device: "one")
    let two = try await probe.signIn(device: "two")
    _ = try await probe.refresh(one.refreshToken, device: "one")
    probe.time.advance(by: .seconds(11))
    #expect(try await probe.refresh(one.refreshToken, device: "one").code == "refresh_token_reused")
    #expect(try await probe.me(two.accessToken, device: "two").status == 200)
    #expect(try await probe.refresh(two.refreshToken, device: "two").status == 200)
  }

  @Test func aHundredConcurrentRefreshesHaveOneSuccessor() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("backend.sqlite")
    let probe = try await BackendProbe(database: path)
    let parent = try await probe.signIn().refreshToken
    let successors = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<100 { group.addTask { try await probe.refresh(parent).tokens.refreshToken } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(successors.count == 1)
    let rows = try await DatabaseQueue(path: path).read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM token_pair") }
    #expect(rows == 2)
    #expect(try await probe.refresh(try #require(successors.first)).status == 200)
  }

  @Test func anotherDeviceIsRefusedAndChangesNothing() async throws {
    let probe = try await BackendProbe()
    let token = try await probe.signIn().refreshToken
    for device in ["device-two", nil] { #expect(try await probe.refresh(token, device: device).code == "ErrDeviceNotRegistered") }
    #expect(try await probe.refresh(token).status == 200)
    // A spent token from another device never counts as a lost answer.
    #expect(try await probe.refresh(token, device: "device-two").code == "refresh_token_reused")
  }

  @Test func anIdleTokenExpiresAndAnActiveOneAtTheAbsoluteLimit() async throws {
    let probe = try await BackendProbe()
    let idle = try await probe.signIn().refreshToken
    probe.time.advance(by: .seconds(14 * 86_400))
    #expect(try await probe.refresh(idle).code == "ErrRefreshTokenExpired")

    var tokens = try await probe.signIn()
    for _ in 0..<8 {
      probe.time.advance(by: .seconds(10 * 86_400))
      tokens = try await probe.refresh(tokens.refreshToken).tokens
    }
    probe.time.advance(by: .seconds(10 * 86_400 - 60))
    tokens = try await probe.refresh(tokens.refreshToken).tokens
    #expect(tokens.refreshExpiresIn == 60 && tokens.expiresIn == 60)
    probe.time.advance(by: .seconds(60))
    #expect(try await probe.refresh(tokens.refreshToken).code == "ErrRefreshTokenExpired")
    #expect(try await probe.me(tokens.accessToken).code == "ErrAccessTokenExpired")
  }

  @Test func unknownTokensAndAccessTokens() async throws {
    let probe = try await BackendProbe()
    let tokens = try await probe.signIn()
    for token in ["", "x", tokens.accessToken, tokens.refreshToken + "A"] {
      let reply = try await probe.refresh(token)
      #expect(reply.status == 401 && reply.code == "invalid_token")
    }
    #expect(try await probe.me(tokens.refreshToken).code == "invalid_token")
  }

  @Test func afterLogoutNoTokenIsValid() async throws {
    let probe = try await BackendProbe()
    let tokens = try await probe.signIn()
    let reply = try await probe.post("/app/api/logout", "{}", token: tokens.accessToken)
    #expect(reply.status == 204 && reply.body.isEmpty)
    #expect(try await probe.me(tokens.accessToken).code == "invalid_token")
    #expect(try await probe.refresh(tokens.refreshToken).code == "invalid_token")
    #expect(try await probe.call(.post, "/app/api/logout", token: tokens.accessToken).code == "invalid_token")
  }
}

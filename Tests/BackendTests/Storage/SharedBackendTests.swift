import Foundation
import HTTPTypes
import JSON
import RPC
import Storage
import Support
import Testing
import Vault

@testable import Backend

/// Backends over one database act as one: what a client did at one, the others know.
@Suite(.timeLimit(.minutes(2))) struct SharedBackendTests {
  private static let idempotencyKey = "0b6f7a52-6a4e-4c19-9e0c-4c41f2c4a001"

  /// Calls `body` with two backends on connections of their own, whose machines have the same time.
  private func withTwo(
    limits: LimitsMode = .off, apiID: String? = nil, apiSecret: String? = nil,
    _ body: (BackendProbe, BackendProbe) async throws -> Void
  ) async throws {
    let time = DrivenTime()
    let key = SealingKey.random()
    try await StorageEngineKind.withPostgreSQL { first, second in
      func probe(_ storage: PostgreSQLStorage) async throws -> BackendProbe {
        try await BackendProbe(
          time: time, limits: limits, apiID: apiID, apiSecret: apiSecret,
          shared: (storage.inSchema(ReferenceBackend.schema), key))
      }
      try await body(try await probe(first), try await probe(second))
    }
  }

  @Test func theyAreTheSameData() async throws {
    try await withTwo { one, other in #expect(one.backend.dataID == other.backend.dataID) }
  }

  @Test func aMessageOfOneSignsInAtTheOther() async throws {
    try await withTwo { one, other in
      let message = try await one.ask()
      #expect(await other.backend.inbox.messages(to: [BackendProbe.ana]) == [message])
      let tokens = try await other.redeem(link: message.token).tokens
      #expect(try await one.me(tokens.accessToken).status == 200)
      #expect(try await one.redeem(link: message.token).code == "login_link_invalid")
      let next = try await one.ask(link: false)
      #expect(try await other.redeem(code: try #require(next.code)).status == 200)
    }
  }

  @Test func aCallThatWaitsForAMessageGetsThatOfTheOther() async throws {
    try await withTwo { one, other in
      async let arrived = other.backend.inbox.messages(to: nil, wait: .seconds(30))
      let message = try await one.ask()
      #expect(await arrived == [message])
    }
  }

  @Test func attemptsAtACodeCountTogether() async throws {
    try await withTwo { one, other in
      let message = try await one.ask(link: false)
      for _ in 0..<3 { #expect(try await one.redeem(code: message.wrongCode).status == 401) }
      for _ in 0..<2 { #expect(try await other.redeem(code: message.wrongCode).status == 401) }
      for probe in [one, other] {
        #expect(try await probe.redeem(code: try #require(message.code)).code == "login_code_invalid")
      }
    }
  }

  @Test func aSessionIsRefreshedAtTheOther() async throws {
    try await withTwo { one, other in
      let first = try await one.signIn()
      let second = try await other.refresh(first.refreshToken).tokens
      #expect(second.sessionID == first.sessionID && second.refreshToken != first.refreshToken)
      for probe in [one, other] { #expect(try await probe.me(second.accessToken).status == 200) }
      // A lost answer is repeated by either within ten seconds.
      #expect(try await one.refresh(first.refreshToken).tokens.refreshToken == second.refreshToken)
      let third = try await one.refresh(second.refreshToken).tokens
      #expect(third.sessionID == first.sessionID)
    }
  }

  @Test(arguments: [true, false]) func aSpentTokenEndsTheSessionAtBoth(isUsedAtTheFirst: Bool) async throws {
    try await withTwo { one, other in
      let first = try await one.signIn()
      let second = try await other.refresh(first.refreshToken).tokens
      one.time.advance(by: .seconds(11))
      let reply = try await (isUsedAtTheFirst ? one : other).refresh(first.refreshToken)
      #expect(reply.status == 401 && reply.code == "refresh_token_reused")
      for probe in [one, other] {
        #expect(try await probe.refresh(second.refreshToken).code == "refresh_token_reused")
        #expect(try await probe.me(second.accessToken).code == "invalid_token")
      }
    }
  }

  @Test func racingRefreshesHaveOneSuccessor() async throws {
    try await withTwo { one, other in
      let parent = try await one.signIn().refreshToken
      let successors = try await withThrowingTaskGroup(of: String.self) { group in
        for number in 0..<20 {
          group.addTask { try await (number.isMultiple(of: 2) ? one : other).refresh(parent).tokens.refreshToken }
        }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(successors.count == 1)
      let pairs = try await one.backend.services.storage.read { try $0.number("SELECT count(*) AS pairs FROM token_pair") }
      #expect(pairs == 2)
      #expect(try await other.refresh(try #require(successors.first)).status == 200)
    }
  }

  @Test func aRepeatedCallHasOneEffect() async throws {
    try await withTwo { one, other in
      let tokens = try await one.signIn()
      let body = "{\"profile_id\":\"\(try #require(tokens.profile).profileID)\"}"
      func shuffle(_ probe: BackendProbe) async throws -> [UInt8] {
        let reply = try await probe.post("/rpc/shuffle_cues", body, token: tokens.accessToken, key: Self.idempotencyKey)
        #expect(reply.status == 200)
        return reply.body
      }
      let first = try await shuffle(one)
      let tag = try await one.cues(tokens).fields[.eTag]
      let repeated = try await shuffle(other)
      #expect(repeated == first)
      #expect(try await other.cues(tokens).fields[.eTag] == tag, "nothing was shuffled again")
      let different = try await other.post(
        "/rpc/shuffle_cues", body + " ", token: tokens.accessToken, key: Self.idempotencyKey)
      #expect(different.status == 409 && different.code == "idempotency_mismatch")
    }
  }

  @Test func racingRepetitionsHaveOneEffect() async throws {
    try await withTwo { one, other in
      let tokens = try await one.signIn()
      let bodies = try await withThrowingTaskGroup(of: [UInt8].self) { group in
        for number in 0..<20 {
          group.addTask {
            try await (number.isMultiple(of: 2) ? one : other).post(
              "/app/api/call/start", "{\"callee\":\"x\"}", token: tokens.accessToken, key: Self.idempotencyKey
            ).body
          }
        }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(bodies.count == 1)
    }
  }

  @Test func aLogoutAndADeletionApplyAtBoth() async throws {
    try await withTwo { one, other in
      let tokens = try await one.signIn()
      #expect(try await other.post("/app/api/logout", "{}", token: tokens.accessToken).status == 204)
      #expect(try await one.me(tokens.accessToken).code == "invalid_token")
      let next = try await other.signIn()
      #expect(try await one.post("/rpc/request_account_deletion", "{}", token: next.accessToken).status == 202)
      try await other.backend.clock.advance(seconds: 14 * 86_400)
      for probe in [one, other] { #expect(try await probe.refresh(next.refreshToken).code == "invalid_token") }
    }
  }

  @Test func messagesAreLimitedTogether() async throws {
    try await withTwo(limits: .prod) { one, other in
      _ = try await one.ask()
      let refused = try await other.post("/rpc/request_login_code", "{\"identifier\":\"\(BackendProbe.ana)\"}")
      #expect(refused.status == 429 && refused.fields[.retryAfter] == "60")
      let counters = try await other.backend.limitsState()
      #expect(counters.entries.map(\.sent) == [1])
    }
  }

  @Test func clockLimitsAndResetAreThoseOfAll() async throws {
    try await withTwo(limits: .prod) { one, other in
      let tokens = try await one.signIn()
      try await one.backend.clock.advance(seconds: 900)
      #expect(try await other.me(tokens.accessToken).code == "ErrAccessTokenExpired")
      #expect(other.backend.clock.offset == .seconds(900))
      try await other.backend.clock.reset()
      #expect(try await one.me(tokens.accessToken).status == 200)

      try await one.backend.setLimits(.off)
      // The second message within a minute.
      _ = try await other.ask(link: false)
      #expect(try await other.backend.limitsState().mode == .off)
      try await other.backend.resetLimits()
      #expect(try await one.backend.limitsState().mode == .prod)

      try await other.backend.reset()
      #expect(try await one.me(tokens.accessToken).code == "invalid_token")
      #expect(await one.backend.inbox.messages(to: nil).isEmpty)
    }
  }

  @Test func aBackendWithAnotherKeyIsRefusedAndChangesNothing() async throws {
    try await withTwo { one, other in
      let message = try await one.ask(link: false)
      let error = await #expect(throws: BackendStartError.self) {
        try await BackendProbe(shared: (other.backend.services.storage, .random()))
      }
      #expect(error == .foreignKey)
      #expect(try await one.redeem(code: try #require(message.code)).status == 200)
    }
  }

  @Test func theyHaveOneCertificateUntilItIsOld() async throws {
    try await withTwo { one, other in
      func pin(_ probe: BackendProbe) async throws -> String {
        try await ServerIdentity.shared(probe.backend.services.storage, key: probe.backend.sealing).pin
      }
      async let (first, second) = (pin(one), pin(other))
      let pins = try await [first, second]
      #expect(Set(pins).count == 1)
      let later = try await pin(one)
      #expect(later == pins[0])
      let stored = try await one.backend.services.storage.read { try StoredValue.identity.bytes($0) }
      let isReadable = String(decoding: try #require(stored), as: UTF8.self).contains("PRIVATE KEY")
      #expect(!isReadable)
    }
  }
}

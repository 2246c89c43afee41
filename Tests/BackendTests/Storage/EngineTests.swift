import HTTPTypes
import JSON
import RPC
import Server
import Storage
import Support
import Testing
import Vault

@testable import Backend

/// Every store of the backend does the same on both engines.
@Suite(.timeLimit(.minutes(2))) struct EngineTests {
  /// Calls `body` with a backend in an empty database.
  private func withBackend(
    _ kind: StorageEngineKind, limits: LimitsMode = .off, _ body: (BackendProbe, any StorageEngine) async throws -> Void
  ) async throws {
    try await kind.withEngine { engine in
      try await body(try await BackendProbe(limits: limits, shared: (engine, .random())), engine)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func linksAndCodes(kind: StorageEngineKind) async throws {
    try await withBackend(kind) { probe, _ in
      let message = try await probe.ask(state: "s p a c e")
      let link = try message.token
      for state in ["other", "\\u0000"] {
        let body = "{\"token\":\"\(link)\",\"state\":\"\(state)\"}"
        #expect(try await probe.post("/rpc/login_with_magic_token", body).code == "login_link_invalid")
      }
      let right = "{\"token\":\"\(link)\",\"state\":\"s p a c e\"}"
      #expect(try await probe.post("/rpc/login_with_magic_token", right).status == 200)
      #expect(try await probe.post("/rpc/login_with_magic_token", right).code == "login_link_invalid")
      let next = try await probe.ask(link: false)
      for _ in 0..<5 { #expect(try await probe.redeem(code: next.wrongCode).status == 401) }
      #expect(try await probe.redeem(code: try #require(next.code)).code == "login_code_invalid")
      let last = try await probe.ask()
      #expect(try await probe.redeem(code: try #require(last.code)).status == 200)
      #expect(try await probe.redeem(link: last.token).code == "login_link_invalid")
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func sessions(kind: StorageEngineKind) async throws {
    try await withBackend(kind) { probe, _ in
      let first = try await probe.signIn()
      let second = try await probe.refresh(first.refreshToken).tokens
      #expect(try await probe.refresh(first.refreshToken).tokens.refreshToken == second.refreshToken)
      #expect(try await probe.refresh(second.refreshToken, device: "two").code == "ErrDeviceNotRegistered")
      let third = try await probe.refresh(second.refreshToken).tokens
      #expect(try await probe.refresh(first.refreshToken).code == "refresh_token_reused")
      #expect(try await probe.me(third.accessToken).code == "invalid_token")
      let next = try await probe.signIn()
      let key = "0b6f7a52-6a4e-4c19-9e0c-4c41f2c4a001"
      for _ in 0..<2 { #expect(try await probe.post("/app/api/logout", "{}", token: next.accessToken, key: key).status == 204) }
      #expect(try await probe.refresh(next.refreshToken).code == "invalid_token")
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func profilesAreInTheOrderOfTheirCreation(kind: StorageEngineKind) async throws {
    try await withBackend(kind) { probe, _ in
      func languages(_ identifier: String) async throws -> [String] {
        try await probe.account(try await probe.signIn(identifier)).profiles?.map(\.languageCode) ?? []
      }
      let many = try await languages(SeedUser.manyProfiles.rawValue)
      let rightToLeft = try await languages(SeedUser.rightToLeft.rawValue)
      #expect(many == BackendAppRoutes.languages.map(\.code))
      #expect(rightToLeft == ["en", "ar", "he"])
      let tokens = try await probe.signIn()
      let id = try await probe.account(tokens).accountID
      for language in ["pl", "de"] {
        probe.time.advance(by: .seconds(1))
        let body = "{\"account_id\":\"\(id)\",\"language_code\":\"\(language)\"}"
        #expect(try await probe.post(AccountEndpoints.GetOrCreateProfile.path, body, token: tokens.accessToken).status == 201)
        #expect(try await probe.post(AccountEndpoints.SetActiveProfile.path, body, token: tokens.accessToken).status == 200)
      }
      let account = try await probe.account(tokens)
      #expect(account.profiles?.map(\.languageCode) == ["en", "pl", "de"])
      #expect(account.activeProfileID == account.profiles?.last?.profileID)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func cues(kind: StorageEngineKind) async throws {
    try await withBackend(kind) { probe, _ in
      let tokens = try await probe.signIn()
      let list = try JSONCoding.decode(CueListBody.self, from: try await probe.cues(tokens).body).cues
      #expect(list.map(\.position) == Array(list.indices) && list.count == Deck.english.count)
      probe.time.advance(by: .seconds(1))
      let cue = list[0]
      let base = list[0].updatedAt.instant.text
      let move = "{\"cue_id\":\"\(cue.cueID)\",\"stage\":\"mastered\",\"base_updated_at\":\"\(base)\"}"
      let moved = try await probe.post(CueEndpoints.UpdateCueStage.path, move, token: tokens.accessToken)
      #expect(moved.status == 200)
      let key = "0b6f7a52-6a4e-4c19-9e0c-4c41f2c4a001"
      for _ in 0..<2 {
        let conflict = try await probe.post(CueEndpoints.UpdateCueStage.path, move, token: tokens.accessToken, key: key)
        #expect(conflict.status == 409 && conflict.code == "conflict", "the refusal is stored too")
      }
      let changed = try await probe.cues(tokens, since: Timestamp(probe.time.wall).text)
      #expect(try JSONCoding.decode(CueListBody.self, from: changed.body).cues.map(\.cueID) == [cue.cueID])
      let shuffle = "{\"profile_id\":\"\(cue.profileID)\"}"
      #expect(try await probe.post(CueEndpoints.ShuffleCues.path, shuffle, token: tokens.accessToken).status == 200)
      let after = try JSONCoding.decode(CueListBody.self, from: try await probe.cues(tokens).body).cues
      #expect(after.map(\.cueID) != list.map(\.cueID) && Set(after.map(\.cueID)) == Set(list.map(\.cueID)))
      #expect(after.map(\.position) == Array(after.indices))
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func limits(kind: StorageEngineKind) async throws {
    try await withBackend(kind, limits: .prod) { probe, engine in
      let now = Timestamp(probe.time.wall)
      let outcomes = try await engine.write { transaction in
        try (0..<SendLimit.sendsPerDevice + 1).map { number in
          try SendLimit.record(
            transaction, identifier: "\(number)@example.com", from: .init(deviceID: "one", address: "192.0.2.1"), now: now,
            mode: .prod)
        }
      }
      #expect(outcomes.dropLast() == Array(repeating: .sent(cooldown: 60_000), count: SendLimit.sendsPerDevice)[...])
      #expect(outcomes.last == .refused(wait: SendLimit.deviceWindow))
      let again = try await engine.write { transaction in
        try SendLimit.record(
          transaction, identifier: "0@example.com", from: .init(deviceID: "two", address: "192.0.2.2"), now: now, mode: .prod)
      }
      #expect(again == .refused(wait: 60_000))
      let state = try await probe.backend.limitsState()
      #expect(state.entries.count == SendLimit.sendsPerDevice && state.entries.first?.identifier == "29@example.com")
      let bounds = await probe.backend.bounds()
      #expect(bounds.first { $0.name == "embedded_rate_limit_keys" }?.used == SendLimit.sendsPerDevice)
      try await probe.backend.resetLimits()
      let empty = try await probe.backend.limitsState()
      #expect(empty.entries.isEmpty)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aDeletedAccountLeavesNothing(kind: StorageEngineKind) async throws {
    try await withBackend(kind) { probe, engine in
      let tokens = try await probe.signIn()
      #expect(try await probe.post("/rpc/request_account_deletion", "{}", token: tokens.accessToken).status == 202)
      try await probe.backend.clock.advance(seconds: 14 * 86_400 - 30)
      _ = try await probe.ask()
      try await probe.backend.clock.advance(seconds: 30)
      let left = try await engine.read { transaction in
        try DatabaseSchema.tablesToReset.map { try transaction.number("SELECT count(*) AS found FROM \($0)") ?? -1 }
      }
      #expect(left == DatabaseSchema.tablesToReset.map { _ in 0 })
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aLinkThatWasOnlyOpenedIsUnchanged(kind: StorageEngineKind) async throws {
    try await withBackend(kind) { probe, _ in
      let message = try await probe.ask()
      let unchanged = try await probe.backend.prefetchLink(messageID: message.id) { _, _ in 200 }
      #expect(unchanged?.isUnchanged == true && unchanged?.steps.count == 3)
      let changed = try await probe.backend.prefetchLink(messageID: message.id) { _, _ in
        (try? await probe.redeem(code: message.wrongCode))?.status
      }
      #expect(changed?.isUnchanged == false)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func anotherStartFindsEverything(kind: StorageEngineKind) async throws {
    try await kind.withEngine { engine in
      let time = DrivenTime()
      let key = SealingKey.random()
      let before = try await BackendProbe(time: time, shared: (engine, key))
      let tokens = try await before.signIn("kept@example.com")
      let message = try await before.ask(link: false)
      try await before.backend.clock.advance(seconds: 30)
      let after = try await BackendProbe(time: time, shared: (engine, key))
      #expect(after.backend.dataID == before.backend.dataID && after.backend.clock.offset == .seconds(30))
      #expect(try await after.me(tokens.accessToken).status == 200)
      #expect(try await after.redeem(code: try #require(message.code)).status == 200)
      try await after.backend.reset()
      #expect(try await after.me(tokens.accessToken).code == "invalid_token")
      #expect(after.backend.clock.offset == .zero)
    }
  }
}

import HTTPTypes
import JSON
import RPC
import Support
import Testing

@testable import Backend

@Suite(.timeLimit(.minutes(1))) struct CueTests {
  private func list(_ reply: BackendProbe.Reply) throws -> CueListBody {
    try JSONCoding.decode(CueListBody.self, from: reply.body)
  }

  private func update(
    _ probe: BackendProbe, _ tokens: TokenPair, _ cue: CueBody, to stage: String, base: Timestamp? = nil
  ) async throws -> BackendProbe.Reply {
    try await probe.post(
      "/rpc/update_cue_stage",
      "{\"cue_id\":\"\(cue.cueID)\",\"stage\":\"\(stage)\",\"base_updated_at\":\"\((base ?? cue.updatedAt.instant).text)\"}",
      token: tokens.accessToken)
  }

  @Test func aNewProfileHasItsDeck() async throws {
    let probe = try await BackendProbe()
    let tokens = try await probe.signIn()
    let reply = try await probe.cues(tokens)
    #expect(reply.status == 200 && reply.fields[.cacheControl] == "private, no-cache")
    let cues = try list(reply).cues
    #expect(cues.map(\.prompt) == Deck.english.map(\.prompt) && cues.map(\.position) == Array(0..<cues.count))
    #expect(cues.allSatisfy { $0.stage == .new && $0.profileID == tokens.profile?.profileID })
    #expect(Set(cues.map(\.cueID)).count == cues.count)
    #expect(try list(reply).serverTime == Timestamp(probe.time.wall))
  }

  @Test func theETagChangesOnlyWithTheCues() async throws {
    let probe = try await BackendProbe()
    let tokens = try await probe.signIn()
    let first = try await probe.cues(tokens)
    let tag = try #require(first.fields[.eTag])
    #expect(tag.hasPrefix("W/"), "the bodies differ in server_time")
    probe.time.advance(by: .seconds(3))
    #expect(try await probe.cues(tokens, fields: [("If-None-Match", tag)]).status == 304)
    let cue = try #require(try list(first).cues.first)
    #expect(try await update(probe, tokens, cue, to: "learning").status == 200)
    let changed = try await probe.cues(tokens, fields: [("If-None-Match", tag)])
    #expect(changed.status == 200 && changed.fields[.eTag] != tag)
  }

  @Test func aStaleStageConflicts() async throws {
    let probe = try await BackendProbe()
    let tokens = try await probe.signIn()
    let cue = try #require(try list(try await probe.cues(tokens)).cues.last)
    probe.time.advance(by: .seconds(5))
    let moved = try JSONCoding.decode(CueBody.self, from: try await update(probe, tokens, cue, to: "review").body)
    #expect(moved.stage == .review && moved.updatedAt.instant == Timestamp(probe.time.wall) && moved.position == cue.position)
    let stale = try await update(probe, tokens, cue, to: "mastered")
    #expect(stale.status == 409 && stale.code == "conflict")
    let told = try JSONCoding.decode(BackendErrorBody.self, from: stale.body)
    #expect(told.error.details?.cue == moved)
    // A second change in the same millisecond gets a later time than the first.
    let again = try JSONCoding.decode(CueBody.self, from: try await update(probe, tokens, moved, to: "new").body)
    #expect(again.updatedAt.instant > moved.updatedAt.instant)
    #expect(try await update(probe, tokens, moved, to: "learning").code == "conflict")
  }

  @Test func oneOfSeveralConcurrentUpdatesWins() async throws {
    let probe = try await BackendProbe()
    let tokens = try await probe.signIn()
    let cue = try #require(try list(try await probe.cues(tokens)).cues.first)
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 { group.addTask { try await update(probe, tokens, cue, to: "learning").status } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.sorted() == [200] + Array(repeating: 409, count: 19))
  }

  @Test func changesSinceAnInstantAreNeverMissed() async throws {
    let probe = try await BackendProbe()
    let tokens = try await probe.signIn()
    let first = try list(try await probe.cues(tokens))
    probe.time.advance(by: .seconds(1))
    let since = try list(try await probe.cues(tokens)).serverTime
    #expect(try list(try await probe.cues(tokens, since: since.text)).cues.isEmpty)
    // In the same millisecond as the last answer.
    _ = try await update(probe, tokens, first.cues[4], to: "learning")
    let told = try list(try await probe.cues(tokens, since: since.text)).cues
    #expect(told.map(\.cueID) == [first.cues[4].cueID])
    for bad in ["yesterday", "2026-13-01T00:00:00Z", "", "1e400"] {
      #expect(try await probe.cues(tokens, since: bad).code == "invalid_request")
    }
  }

  @Test func aShuffleChangesOnlyTheOrder() async throws {
    let probe = try await BackendProbe()
    let tokens = try await probe.signIn()
    let before = try list(try await probe.cues(tokens)).cues
    let reply = try await probe.post(
      "/rpc/shuffle_cues", "{\"profile_id\":\"\(try #require(tokens.profile).profileID)\"}", token: tokens.accessToken)
    #expect(reply.status == 200)
    let after = try JSONCoding.decode(ShuffledCuesBody.self, from: reply.body).cues
    #expect(after.map(\.cueID) != before.map(\.cueID) && Set(after.map(\.cueID)) == Set(before.map(\.cueID)))
    #expect(after.map(\.position) == Array(0..<after.count))
    #expect(try list(try await probe.cues(tokens)).cues == after)
  }

  @Test func dataOfOtherAccountsIsNotFound() async throws {
    let probe = try await BackendProbe()
    let tokens = try await probe.signIn()
    let other = try await probe.signIn("other@example.com")
    let theirs = try list(try await probe.cues(other))
    let cue = try #require(theirs.cues.first)
    #expect(try await update(probe, tokens, cue, to: "mastered").code == "cue_not_found")
    #expect(try await probe.cues(tokens, of: cue.profileID).code == "profile_not_found")
    let shuffle = "{\"profile_id\":\"\(cue.profileID)\"}"
    #expect(try await probe.post("/rpc/shuffle_cues", shuffle, token: tokens.accessToken).code == "profile_not_found")
    #expect(try list(try await probe.cues(other)).cues == theirs.cues)
    for path in ["/rpc/shuffle_cues", "/rpc/update_cue_stage"] {
      #expect(try await probe.post(path, "{}").code == "invalid_token")
    }
    #expect(try await probe.call(.get, "/rpc/get_cues", query: "profile_id=x").code == "invalid_token")
  }

  @Test func invalidQueries() async throws {
    let probe = try await BackendProbe()
    let tokens = try await probe.signIn()
    for query in [nil, "", "profile_id", "profile_id=a&profile_id=b", "profile_id=%ZZ", "profile_id=%00", "x=1"] as [String?] {
      let reply = try await probe.call(.get, "/rpc/get_cues", token: tokens.accessToken, query: query)
      #expect(reply.status == (query == "profile_id" ? 404 : 400), "\(query ?? "none")")
    }
  }

  @Test func everyLanguageHasADeck() {
    for language in BackendAppRoutes.languages {
      let deck = Deck.of(language.code)
      #expect(deck.count >= 24)
      #expect(Set(deck.map(\.prompt)).count == deck.count && Set(deck.map(\.answer)).count == deck.count)
      #expect(deck.allSatisfy { !$0.prompt.isEmpty && !$0.answer.isEmpty })
    }
    #expect(Deck.of("xx").isEmpty)
  }
}

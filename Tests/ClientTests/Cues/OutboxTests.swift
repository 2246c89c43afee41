@testable import Client
import JSON
import Locking
import RPC
import Testing

/// The outbox's rules without clock, disk or network.
@Suite struct OutboxTests {
  static let now = ContinuousClock.now

  /// An open outbox with one edit being sent.
  static func sending(_ cues: [CueBody], _ stage: RPC.CueStage = .learning) -> Outbox {
    var outbox = Outbox(edits: [])
    _ = outbox.handle(.open, now: now)
    for (index, cue) in cues.enumerated() {
      _ = outbox.handle(.edit(id: "e\(index)", key: "k\(index)", cue: cue, stage: stage), now: now)
    }
    return outbox
  }

  static func cue(_ id: String, _ stage: RPC.CueStage = .new, at stamp: Int64 = 1) -> CueBody {
    CueReconciliationTests.cue(id, stage, at: stamp)
  }

  static func sent(_ actions: [Outbox.Action]) -> [CueEdit] {
    actions.compactMap { if case .send(let edit) = $0 { edit } else { nil } }
  }

  static func result(_ index: Int, _ outcome: Outbox.Outcome, key: String? = nil) -> Outbox.Event {
    .result(id: "e\(index)", key: key ?? "k\(index)", outcome, newKey: "fresh")
  }

  @Test func anEditIsKeptBeforeItIsSent() {
    var outbox = Outbox(edits: [])
    #expect(outbox.handle(.open, now: Self.now).isEmpty)
    let actions = outbox.handle(.edit(id: "e", key: "k", cue: Self.cue("a"), stage: .review), now: Self.now)
    let edit = CueEdit(
      id: "e", profileID: "p", cueID: "a", stage: .review, base: ReceivedTimestamp(Timestamp(milliseconds: 1)), baseStage: .new,
      key: "k")
    #expect(actions == [.save(.insert(edit)), .send(edit)])
  }

  /// The edit was stored although the connection was lost before that was known. What was chosen since must not be undone by it.
  @Test func anEditThatWasReportedAsFailedIsNeverSentLater() throws {
    let stored = Locked<[String: CueEdit]>([:])
    let losesAnswers = Locked(true)
    var outbox = PersistentOutbox(userID: "u", edits: []) { changes throws(CueStoreError) in
      stored.withLock { stored in
        for change in changes {
          switch change {
          case .insert(let edit), .update(let edit): stored[edit.id] = edit
          case .remove(let edit): stored[edit.id] = nil
          case .store, .forget: break
          }
        }
      }
      if losesAnswers.withLock({ $0 }) { throw .unavailable }
    }
    #expect(throws: CueStoreError.unavailable) {
      try outbox.handle(.edit(id: "lost", key: "k", cue: Self.cue("a"), stage: .review), now: Self.now, random: 0)
    }
    #expect(stored.withLock { $0.keys.sorted() } == ["lost"] && outbox.state.edits.isEmpty)
    losesAnswers.withLock { $0 = false }
    _ = try outbox.handle(.edit(id: "later", key: "k2", cue: Self.cue("a"), stage: .mastered), now: Self.now, random: 0)
    #expect(stored.withLock { $0.keys.sorted() } == ["later"])
  }

  @Test func editsGoOutInOrderAndOneAtATime() {
    var outbox = Self.sending([Self.cue("a"), Self.cue("b"), Self.cue("c")])
    #expect(outbox.handle(.wake, now: Self.now).isEmpty)
    #expect(outbox.handle(.timer, now: Self.now).isEmpty)
    var order: [String] = []
    for index in 0..<3 {
      let actions = outbox.handle(
        Self.result(index, .applied(Self.cue(["a", "b", "c"][index], .learning, at: 9))), now: Self.now)
      order += Self.sent(actions).map(\.id)
    }
    #expect(order == ["e1", "e2"])
    #expect(outbox.edits.isEmpty && outbox.mode == .idle)
  }

  @Test func aLaterEditOfACueChangesWhatTheEarlierLeftBehind() {
    var outbox = Self.sending([Self.cue("a"), Self.cue("a")], .review)
    let applied = Self.cue("a", .review, at: 50)
    let next = Self.sent(outbox.handle(Self.result(0, .applied(applied)), now: Self.now)).first
    #expect(next?.base == applied.updatedAt && next?.baseStage == .review && next?.key == "k1")
  }

  @Test func aClosedOutboxSendsNothingAndKeepsEverything() {
    var outbox = Outbox(edits: [])
    let actions = outbox.handle(.edit(id: "e", key: "k", cue: Self.cue("a"), stage: .review), now: Self.now)
    #expect(Self.sent(actions).isEmpty && outbox.edits.count == 1)
    #expect(outbox.handle(.wake, now: Self.now).isEmpty)
    #expect(Self.sent(outbox.handle(.open, now: Self.now)).map(\.id) == ["e"])
    _ = outbox.handle(.close, now: Self.now)
    #expect(outbox.handle(.result(id: "e", key: "k", .offline, newKey: "f"), now: Self.now).isEmpty)
    #expect(outbox.edits.count == 1 && outbox.mode == .closed)
  }

  @Test func aLostAnswerIsAskedForAgainUnderTheSameKey() {
    var outbox = Self.sending([Self.cue("a")])
    let edit = outbox.edits[0]
    #expect(outbox.handle(Self.result(0, .offline), now: Self.now) == [.wait(until: Self.now + .seconds(1))])
    #expect(outbox.handle(.timer, now: Self.now).isEmpty, "not yet")
    #expect(outbox.handle(.timer, now: Self.now + .seconds(1)) == [.send(edit)])
  }

  @Test func connectivityEndsTheWaitForItAndNoOther() {
    var outbox = Self.sending([Self.cue("a")])
    _ = outbox.handle(Self.result(0, .offline), now: Self.now)
    #expect(Self.sent(outbox.handle(.wake, now: Self.now)).count == 1)
    _ = outbox.handle(Self.result(0, .busy(retryAfterSeconds: 20)), now: Self.now)
    #expect(outbox.mode == .waiting(until: Self.now + .seconds(20), isOffline: false))
    #expect(outbox.handle(.wake, now: Self.now).isEmpty)
    #expect(Self.sent(outbox.handle(.timer, now: Self.now + .seconds(20))).count == 1)
  }

  @Test(arguments: [Outbox.Outcome.offline, .busy(retryAfterSeconds: nil)]) func theWaitGrowsAndIsBounded(outcome: Outbox.Outcome)
  {
    var series = Self.sending([Self.cue("a")])
    for seconds in [1, 2, 4, 8, 10, 10, 10] {
      let until = Self.now + .seconds(seconds)
      #expect(series.handle(Self.result(0, outcome), now: Self.now) == [.wait(until: until)])
      _ = series.handle(.timer, now: until)
    }
    var outbox = Self.sending([Self.cue("a")])
    _ = outbox.handle(Self.result(0, .busy(retryAfterSeconds: .max)), now: Self.now)
    #expect(outbox.mode == .waiting(until: Self.now + .seconds(3600), isOffline: false))
  }

  @Test func aConflictIsRebasedOnceUnderANewKeyAndThenReported() {
    var outbox = Self.sending([Self.cue("a"), Self.cue("b")], .review)
    let theirs = Self.cue("a", .mastered, at: 20)
    let again = Self.sent(outbox.handle(Self.result(0, .conflict(theirs)), now: Self.now))
    #expect(again.map(\.base) == [theirs.updatedAt] && again.map(\.key) == ["fresh"] && again.map(\.stage) == [.review])
    let actions = outbox.handle(Self.result(0, .conflict(theirs), key: "fresh"), now: Self.now)
    #expect(outbox.edits[0].isConflict)
    #expect(actions.contains(.resolve(outbox.edits[0], .conflict)))
    #expect(actions.contains(.save(.store(theirs))))
    #expect(Self.sent(actions).map(\.id) == ["e1"], "other cues go on")
  }

  @Test func aConflictThatTellsNoCueIsReportedAtOnce() {
    var outbox = Self.sending([Self.cue("a")])
    _ = outbox.handle(Self.result(0, .conflict(nil)), now: Self.now)
    #expect(outbox.edits[0].isConflict && outbox.head == nil)
  }

  @Test func aConflictWithWhatIsWantedIsNone() {
    var outbox = Self.sending([Self.cue("a")], .review)
    let actions = outbox.handle(Self.result(0, .conflict(Self.cue("a", .review, at: 30))), now: Self.now)
    #expect(outbox.edits.isEmpty)
    #expect(actions.contains { if case .resolve(_, .applied) = $0 { true } else { false } })
  }

  @Test(arguments: [RPC.CueStage.review, .mastered]) func theUsersPickEndsAConflict(pick: RPC.CueStage) {
    var outbox = Self.sending([Self.cue("a"), Self.cue("a"), Self.cue("b")], .review)
    let theirs = Self.cue("a", .mastered, at: 20)
    _ = outbox.handle(Self.result(0, .conflict(nil)), now: Self.now)
    #expect(outbox.mode == .sending(id: "e2"), "the second edit of the cue waits for the user too")
    _ = outbox.handle(Self.result(2, .applied(Self.cue("b", .review, at: 9))), now: Self.now)
    let actions = outbox.handle(.edit(id: "pick", key: "p", cue: theirs, stage: pick), now: Self.now)
    if pick == .mastered {
      #expect(outbox.edits.isEmpty && Self.sent(actions).isEmpty)
    } else {
      #expect(outbox.edits.map(\.id) == ["pick"])
      #expect(Self.sent(actions).first?.base == theirs.updatedAt)
    }
    #expect(actions.filter { if case .save(.remove) = $0 { true } else { false } }.count == 2)
  }

  @Test func aCueThatIsGoneTakesItsEditsAlong() {
    var outbox = Self.sending([Self.cue("a"), Self.cue("b"), Self.cue("a")])
    let actions = outbox.handle(Self.result(0, .gone), now: Self.now)
    #expect(outbox.edits.map(\.id) == ["e1"])
    #expect(actions.contains(.save(.forget(cueID: "a"))))
    let gone = actions.compactMap { if case .resolve(let edit, .gone) = $0 { edit.id } else { nil } }
    #expect(gone == ["e0", "e2"])
    #expect(Self.sent(actions).map(\.id) == ["e1"])
  }

  @Test func aRefusedEditIsReportedAndTheNextGoesOn() {
    var outbox = Self.sending([Self.cue("a"), Self.cue("a", .new)])
    let actions = outbox.handle(Self.result(0, .refused), now: Self.now)
    #expect(actions.contains { if case .resolve(_, .refused) = $0 { true } else { false } })
    #expect(Self.sent(actions).map(\.id) == ["e1"])
  }

  @Test func aKeyThatIsSpentIsReplaced() {
    var outbox = Self.sending([Self.cue("a")])
    _ = outbox.handle(Self.result(0, .keyConflict), now: Self.now)
    #expect(Self.sent(outbox.handle(.timer, now: Self.now + .seconds(60))).map(\.key) == ["fresh"])
  }

  @Test func anAnswerToAnEarlierBodyIsNotTheEdits() {
    var outbox = Self.sending([Self.cue("a")], .review)
    _ = outbox.handle(Self.result(0, .conflict(Self.cue("a", .mastered, at: 20))), now: Self.now)
    _ = outbox.handle(Self.result(0, .applied(Self.cue("a", .review, at: 21)), key: "k0"), now: Self.now)
    #expect(outbox.edits.map(\.key) == ["fresh"])
  }

  @Test func editsThatHaveNotGoneOutFollowACueThatOnlyMoved() {
    var outbox = Self.sending([Self.cue("a"), Self.cue("b"), Self.cue("c")])
    let seen = [Self.cue("a", .new, at: 7), Self.cue("b", .new, at: 7), Self.cue("c", .mastered, at: 7)]
    _ = outbox.handle(.fetched(seen), now: Self.now)
    #expect(
      outbox.edits.map(\.base.instant.milliseconds) == [1, 7, 1], "the first may have been sent; the third meets another's change"
    )
  }

  @Test func aSessionThatIsOverKeepsTheEditForTheNext() {
    var outbox = Self.sending([Self.cue("a")])
    #expect(outbox.handle(Self.result(0, .sessionOver), now: Self.now).isEmpty)
    #expect(outbox.mode == .closed && outbox.edits.count == 1)
    #expect(Self.sent(outbox.handle(.open, now: Self.now)).map(\.key) == ["k0"])
  }

  @Test func whatIsGivenUpIsGone() {
    var outbox = Self.sending([Self.cue("a"), Self.cue("b")])
    #expect(outbox.handle(.discard, now: Self.now).count == 2)
    #expect(outbox.handle(Self.result(0, .offline), now: Self.now).isEmpty)
    #expect(outbox.edits.isEmpty && outbox.mode == .idle)
  }
}

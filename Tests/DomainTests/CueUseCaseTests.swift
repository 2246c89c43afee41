import Domain
import FoundationEssentials
import Support
import Locking
import Testing

/// `BrowseCues`, `UpdateCueStage` and `Logout` with a gateway that records its calls.
@Suite struct CueUseCaseTests {
  final class Port: Sendable {
    let calls = Locked<[String]>([])
    let kept: CueList?
    let unsynced: Int

    init(kept: CueList? = nil, unsynced: Int = 0) {
      self.kept = kept
      self.unsynced = unsynced
    }

    static let cue = Cue(cueID: "c", prompt: "p", answer: "a", stage: .new, position: 0, updatedAt: .distantPast)
    static func list(_ source: CueList.Source) -> CueList { CueList(cues: [cue], source: source, syncedAt: .distantPast) }

    func note(_ call: String) { calls.withLock { $0.append(call) } }
    var heard: [String] { calls.withLock { $0 } }

    var gateway: CueGateway {
      CueGateway(
        local: { () throws(CueError) in
          self.note("local")
          return self.kept
        },
        refresh: { () throws(CueError) in
          self.note("refresh")
          return Self.list(.network)
        },
        refreshInBackground: { self.note("background") },
        shuffle: { () throws(CueError) in throw .failed(.offline) },
        edit: { cueID, stage throws(CueError) in
          self.note("edit \(cueID) \(stage)")
          return .kept(Self.cue)
        },
        endSession: { discards, end throws(CueError) in
          guard discards || self.unsynced == 0 else { throw .unsyncedEdits(count: self.unsynced) }
          await end()
        })
    }

    var auth: AuthGateway {
      AuthGateway(
        requestMagicLink: { _, _, _ throws(AuthError) in throw .failed(.offline) },
        requestLoginCode: { _, _ throws(AuthError) in throw .failed(.offline) },
        redeemMagicToken: { _, _, _ throws(AuthError) in throw .failed(.offline) },
        redeemCode: { _, _, _ throws(AuthError) in throw .failed(.offline) },
        redeemPassword: { _, _, _ throws(AuthError) in throw .failed(.offline) },
        logout: { reason in self.note("logout \(reason)") })
    }
  }

  @Test func whatIsKeptShowsAtOnceAndIsRefreshedBehind() async throws {
    let port = Port(kept: Port.list(.cache))
    #expect(try await BrowseCues(gateway: port.gateway)().source == .cache)
    #expect(port.heard == ["local", "background"])
  }

  @Test func theFirstListIsWaitedFor() async throws {
    let port = Port()
    #expect(try await BrowseCues(gateway: port.gateway)().source == .network)
    #expect(port.heard == ["local", "refresh"])
  }

  @Test func storedListAloneStartsNoFetch() async throws {
    let port = Port(kept: Port.list(.cache))
    #expect(try await BrowseCues(gateway: port.gateway).stored().source == .cache)
    #expect(port.heard == ["local"])
    let empty = Port()
    #expect(try await BrowseCues(gateway: empty.gateway).stored().source == .network)
    #expect(empty.heard == ["local", "refresh"])
  }

  @Test(arguments: ["", "New", "done", "learning "]) func aWordThatIsNoStageChangesNothing(word: String) async {
    let port = Port()
    await #expect(throws: CueError.unknownStage) { try await UpdateCueStage(gateway: port.gateway)(cueID: "c", rawStage: word) }
    #expect(port.heard.isEmpty)
  }

  @Test func aStageIsHandedOn() async throws {
    let port = Port()
    #expect(try await UpdateCueStage(gateway: port.gateway)(cueID: "c", rawStage: "mastered") == .kept(Port.cue))
    #expect(port.heard == ["edit c mastered"])
  }

  @Test func shufflingIsNotKeptForLater() async {
    await #expect(throws: CueError.failed(.offline)) { try await ShuffleCues(gateway: Port().gateway)() }
  }

  @Test func unsentEditsHoldTheLogoutUnlessTheyAreGivenUp() async throws {
    let port = Port(unsynced: 2)
    let analytics = Analytics(isOptedIn: { _ in false }, accountID: { nil }, sink: { _ in })
    let logout = Logout(gateway: port.auth, analytics: analytics)
    await #expect(throws: CueError.unsyncedEdits(count: 2)) { try await logout(unlessUnsent: port.gateway, discardsEdits: false) }
    #expect(port.heard.isEmpty)
    try await logout(unlessUnsent: port.gateway, discardsEdits: true)
    #expect(port.heard == ["logout user"])
  }
}

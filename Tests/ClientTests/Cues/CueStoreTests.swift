import Client
import FoundationEssentials
import GRDB
import JSON
import RPC
import Support
import Testing

/// The store with a real database file.
@Suite(.timeLimit(.minutes(1))) struct CueStoreTests {
  let folder: TemporaryFolder
  let database: DatabaseQueue
  let owner = CueOwner(userID: "u", profileID: "p")

  init() throws {
    folder = try TemporaryFolder()
    database = try Self.open(folder)
  }

  static func open(_ folder: TemporaryFolder) throws -> DatabaseQueue {
    let database = try DatabaseQueue(path: folder.file("cues.sqlite"))
    try database.write { try CueStore.migrate($0) }
    return database
  }

  func store(device: String = "d", backend: String = "b") -> CueStore {
    CueStore(database: database, deviceID: device, backendID: backend)
  }

  static func edit(_ id: String, cue: String = "a", _ stage: RPC.CueStage = .learning) -> CueEdit {
    CueEdit(
      id: id, profileID: "p", cueID: cue, stage: stage, base: Timestamp(milliseconds: 1), baseStage: .new, key: "key \(id)")
  }

  @Test func editsComeBackInOrderAfterTheFileWasOpenedAnew() throws {
    var second = Self.edit("2", .review)
    try store().apply([.insert(Self.edit("9")), .insert(second), .insert(Self.edit("1"))], userID: "u")
    second.isRebased = true
    second.isConflict = true
    second.key = "fresh"
    second.base = Timestamp(milliseconds: 7)
    second.baseStage = .mastered
    try store().apply([.update(second), .remove(Self.edit("9"))], userID: "u")
    let again = CueStore(database: try Self.open(folder), deviceID: "d", backendID: "b")
    #expect(try again.edits(userID: "u") == [second, Self.edit("1")])
  }

  @Test func theChangesOfOneEventAreKeptAllOrNone() throws {
    try store().apply([.insert(Self.edit("1"))], userID: "u")
    #expect(throws: CueStoreError.unavailable) {
      try store().apply([.remove(Self.edit("1")), .insert(Self.edit("2")), .insert(Self.edit("2"))], userID: "u")
    }
    #expect(try store().edits(userID: "u") == [Self.edit("1")])
  }

  @Test func usersDevicesAndBackendsSeeTheirOwnOnly() throws {
    let cue = CueReconciliationTests.cue("a")
    try store().reconcile([cue], owner: owner, syncedAt: Timestamp(milliseconds: 3))
    try store().apply([.insert(Self.edit("1"))], userID: "u")
    for other in [store(device: "e"), store(backend: "c")] {
      #expect(try other.edits(userID: "u").isEmpty)
      #expect(try other.list(owner) == nil)
      #expect(try other.cue(id: "a", userID: "u") == nil)
      try other.retain(userID: nil)
    }
    #expect(try store().edits(userID: "v").isEmpty)
    #expect(try store().list(CueOwner(userID: "v", profileID: "p")) == nil)
    #expect(try store().cue(id: "a", userID: "v") == nil)
    // Another user's change with the same ids has no effect.
    try store().apply([.remove(Self.edit("1")), .forget(cueID: "a")], userID: "v")
    #expect(try store().edits(userID: "u").count == 1)
    #expect(try store().list(owner)?.cues == [cue])
  }

  @Test func aListIsReconciledAndKept() throws {
    let (a, b) = (CueReconciliationTests.cue("a", position: 1), CueReconciliationTests.cue("b", position: 0))
    try store().reconcile([a, b], owner: owner, syncedAt: Timestamp(milliseconds: 3))
    #expect(try store().list(owner)?.cues == [b, a])
    let newer = CueReconciliationTests.cue("a", .review, at: 9)
    try store().reconcile([newer], owner: owner, syncedAt: Timestamp(milliseconds: 4))
    #expect(try store().list(owner)?.cues == [newer])
    #expect(try store().list(owner)?.syncedAt == Timestamp(milliseconds: 4))
    try store().apply([.store(CueReconciliationTests.cue("a", .new, at: 8))], userID: "u")
    #expect(try store().list(owner)?.cues == [newer], "an overtaken answer")
  }

  @Test func whatBelongsToNobodyGoesButUnsentEditsStay() throws {
    let cues = [CueReconciliationTests.cue("a"), CueReconciliationTests.cue("b", position: 1)]
    try store().reconcile(cues, owner: owner, syncedAt: Timestamp(milliseconds: 3))
    try store().setOwner(owner, loginID: "s")
    try store().apply([.insert(Self.edit("1", cue: "b"))], userID: "u")
    try store().retain(userID: "u")
    #expect(try store().list(owner)?.cues.count == 2)
    try store().retain(userID: "v")
    #expect(try store().list(owner) == nil)
    #expect(try store().cue(id: "a", userID: "u") == nil)
    #expect(try store().cue(id: "b", userID: "u") != nil)
    #expect(try store().edits(userID: "u").count == 1)
    #expect(try store().owner(loginID: "s") == nil)
  }

  @Test func anOwnerIsKnownForTheLoginThatSetItOnly() throws {
    try store().setOwner(owner, loginID: "s")
    #expect(try store().owner(loginID: "s") == owner)
    #expect(try store().owner(loginID: "t") == nil)
  }

  @Test func aDeletedDeviceLeavesNothing() throws {
    for device in ["d", "e"] {
      try store(device: device).reconcile([CueReconciliationTests.cue("a")], owner: owner, syncedAt: Timestamp(milliseconds: 3))
      try store(device: device).apply([.insert(Self.edit(device))], userID: "u")
      try store(device: device).setOwner(owner, loginID: "s")
    }
    try database.write { try CueStore.removeAll(deviceID: "d", in: $0) }
    #expect(try store().list(owner) == nil)
    #expect(try store().edits(userID: "u").isEmpty)
    #expect(try store().owner(loginID: "s") == nil)
    #expect(try store(device: "e").list(owner)?.cues.count == 1)
    #expect(try store(device: "e").edits(userID: "u").count == 1)
  }
}

@testable import Client
import FoundationEssentials
import JSON
import RPC
import Storage
import Support
import Testing

/// The store on both engines.
@Suite(.timeLimit(.minutes(2))) struct CueStoreTests {
  let owner = CueOwner(userID: "u", profileID: "p")

  /// Calls `body` with what makes the store of a device and a backend in one database.
  private func withStores(
    _ kind: StorageEngineKind, _ body: (any StorageEngine, (_ device: String, _ backend: String) -> CueStore) async throws -> Void
  ) async throws {
    try await kind.withEngine(CueStore.schema + CueStore.texts) { storage in
      try await body(storage) { CueStore(storage: storage, deviceID: $0, backendID: $1) }
    }
  }

  static func edit(_ id: String, cue: String = "a", _ stage: RPC.CueStage = .learning) -> CueEdit {
    CueEdit(
      id: id, profileID: "p", cueID: cue, stage: stage, base: ReceivedTimestamp(Timestamp(milliseconds: 1)), baseStage: .new,
      key: "key \(id)")
  }

  @Test(arguments: StorageEngineKind.allCases) func editsComeBackInOrder(kind: StorageEngineKind) async throws {
    try await withStores(kind) { storage, store in
      var second = Self.edit("2", .review)
      try store("d", "b").apply([.insert(Self.edit("9")), .insert(second), .insert(Self.edit("1"))], userID: "u")
      second.isRebased = true
      second.isConflict = true
      second.key = "fresh"
      second.base = ReceivedTimestamp(Timestamp(milliseconds: 7))
      second.baseStage = .mastered
      try store("d", "b").apply([.update(second), .remove(Self.edit("9"))], userID: "u")
      let again = store("d", "b")
      #expect(try again.edits(userID: "u") == [second, Self.edit("1")])
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func theChangesOfOneEventAreKeptAllOrNone(kind: StorageEngineKind) async throws {
    try await withStores(kind) { storage, store in
      try store("d", "b").apply([.insert(Self.edit("1"))], userID: "u")
      #expect(throws: CueStoreError.unavailable) {
        try store("d", "b").apply([.remove(Self.edit("1")), .insert(Self.edit("2")), .insert(Self.edit("2"))], userID: "u")
      }
      #expect(try store("d", "b").edits(userID: "u") == [Self.edit("1")])
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func usersDevicesAndBackendsSeeTheirOwnOnly(kind: StorageEngineKind) async throws {
    try await withStores(kind) { storage, store in
      let cue = CueReconciliationTests.cue("a")
      try store("d", "b").reconcile([cue], owner: owner, syncedAt: Timestamp(milliseconds: 3))
      try store("d", "b").apply([.insert(Self.edit("1"))], userID: "u")
      for other in [store("e", "b"), store("d", "c")] {
        #expect(try other.edits(userID: "u").isEmpty)
        #expect(try other.list(owner) == nil)
        #expect(try other.cue(id: "a", userID: "u") == nil)
        try other.retain(userID: nil)
      }
      #expect(try store("d", "b").edits(userID: "v").isEmpty)
      #expect(try store("d", "b").list(CueOwner(userID: "v", profileID: "p")) == nil)
      #expect(try store("d", "b").cue(id: "a", userID: "v") == nil)
      // Another user's change with the same ids has no effect.
      try store("d", "b").apply([.remove(Self.edit("1")), .forget(cueID: "a")], userID: "v")
      #expect(try store("d", "b").edits(userID: "u").count == 1)
      #expect(try store("d", "b").list(owner)?.cues == [cue])
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aListIsReconciledAndKept(kind: StorageEngineKind) async throws {
    try await withStores(kind) { storage, store in
      let (a, b) = (CueReconciliationTests.cue("a", position: 1), CueReconciliationTests.cue("b", position: 0))
      try store("d", "b").reconcile([a, b], owner: owner, syncedAt: Timestamp(milliseconds: 3))
      #expect(try store("d", "b").list(owner)?.cues == [b, a])
      let newer = CueReconciliationTests.cue("a", .review, at: 9)
      try store("d", "b").reconcile([newer], owner: owner, syncedAt: Timestamp(milliseconds: 4))
      #expect(try store("d", "b").list(owner)?.cues == [newer])
      #expect(try store("d", "b").list(owner)?.syncedAt == Timestamp(milliseconds: 4))
      try store("d", "b").apply([.store(CueReconciliationTests.cue("a", .new, at: 8))], userID: "u")
      #expect(try store("d", "b").list(owner)?.cues == [newer], "an overtaken answer")
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func anInstantIsKeptAsTheBackendWroteIt(kind: StorageEngineKind) async throws {
    try await withStores(kind) { storage, store in
      let written = ReceivedTimestamp(Timestamp(milliseconds: 9), json: #""1970-01-01T00:00:00.009482+0000""#)
      let own = CueReconciliationTests.cue("a", at: 9)
      let cue = CueBody(
        cueID: "a", profileID: "p", prompt: own.prompt, answer: own.answer, stage: .review, position: 0, updatedAt: written)
      #expect(written != own.updatedAt)
      try store("d", "b").reconcile([own], owner: owner, syncedAt: Timestamp(milliseconds: 3))
      try store("d", "b").apply([.store(cue)], userID: "u")
      #expect(try store("d", "b").cue(id: "a", userID: "u")?.updatedAt == written)
      try store("d", "b").reconcile([own], owner: owner, syncedAt: Timestamp(milliseconds: 3))
      #expect(try store("d", "b").cue(id: "a", userID: "u")?.updatedAt == own.updatedAt)
      try store("d", "b").reconcile([cue], owner: owner, syncedAt: Timestamp(milliseconds: 3))
      #expect(try store("d", "b").list(owner)?.cues.map(\.updatedAt) == [written])
      var edit = Self.edit("1")
      edit.base = written
      try store("d", "b").apply([.insert(edit), .insert(Self.edit("2"))], userID: "u")
      #expect(try store("d", "b").edits(userID: "u").map(\.base) == [written, Self.edit("2").base])
      edit.base = own.updatedAt
      var second = Self.edit("2")
      second.base = written
      try store("d", "b").apply([.update(edit), .update(second)], userID: "u")
      #expect(try store("d", "b").edits(userID: "u").map(\.base) == [own.updatedAt, written])
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func whatBelongsToNobodyGoesButUnsentEditsStay(kind: StorageEngineKind)
    async throws
  {
    try await withStores(kind) { storage, store in
      let cues = [CueReconciliationTests.cue("a"), CueReconciliationTests.cue("b", position: 1)]
      try store("d", "b").reconcile(cues, owner: owner, syncedAt: Timestamp(milliseconds: 3))
      try store("d", "b").setOwner(owner, loginID: "s")
      try store("d", "b").apply([.insert(Self.edit("1", cue: "b"))], userID: "u")
      try store("d", "b").retain(userID: "u")
      #expect(try store("d", "b").list(owner)?.cues.count == 2)
      try store("d", "b").retain(userID: "v")
      #expect(try store("d", "b").list(owner) == nil)
      #expect(try store("d", "b").cue(id: "a", userID: "u") == nil)
      #expect(try store("d", "b").cue(id: "b", userID: "u") != nil)
      #expect(try store("d", "b").edits(userID: "u").count == 1)
      #expect(try store("d", "b").owner(loginID: "s") == nil)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func anOwnerIsKnownForTheLoginThatSetItOnly(kind: StorageEngineKind) async throws {
    try await withStores(kind) { storage, store in
      try store("d", "b").setOwner(owner, loginID: "s")
      #expect(try store("d", "b").owner(loginID: "s") == owner)
      #expect(try store("d", "b").owner(loginID: "t") == nil)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aDeletedDeviceLeavesNothing(kind: StorageEngineKind) async throws {
    try await withStores(kind) { storage, store in
      for device in ["d", "e"] {
        try store(device, "b").reconcile([CueReconciliationTests.cue("a")], owner: owner, syncedAt: Timestamp(milliseconds: 3))
        try store(device, "b").apply([.insert(Self.edit(device))], userID: "u")
        try store(device, "b").setOwner(owner, loginID: "s")
      }
      try await storage.write { try CueStore.removeAll(deviceID: "d", in: $0) }
      #expect(try store("d", "b").list(owner) == nil)
      #expect(try store("d", "b").edits(userID: "u").isEmpty)
      #expect(try store("d", "b").owner(loginID: "s") == nil)
      #expect(try store("e", "b").list(owner)?.cues.count == 1)
      #expect(try store("e", "b").edits(userID: "u").count == 1)
    }
  }
}

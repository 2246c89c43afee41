@testable import Client
import JSON
import RPC
import Storage
import Support
import Testing

/// Texts that a backend may send and PostgreSQL cannot store.
@Suite(.timeLimit(.minutes(1))) struct StorableCueTests {
  @Test(arguments: StorageEngineKind.allCases) func aListWithTheCharacterZeroIsKept(kind: StorageEngineKind) async throws {
    let owner = CueOwner(userID: "u", profileID: "p")
    let cue = CueBody(
      cueID: "a", profileID: "p", prompt: "one\0two", answer: "\0", stage: .new, position: 0,
      updatedAt: ReceivedTimestamp(Timestamp(milliseconds: 1)))
    try await kind.withEngine(CueStore.schema + CueStore.texts) { storage in
      let store = CueStore(storage: storage, deviceID: "d", backendID: "b")
      try store.reconcile([cue], owner: owner, syncedAt: Timestamp(milliseconds: 1))
      let shown = try store.list(owner)?.cues.first
      #expect(shown?.prompt == "one\u{FFFD}two")
      #expect(shown?.answer == "\u{FFFD}")
    }
  }
}

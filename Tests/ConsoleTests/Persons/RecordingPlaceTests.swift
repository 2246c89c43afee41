import Client
import Foundation
import HTTPTypes
import JSON
import Locking
import Storage
import Support
import Team
import Testing
import Vault

@testable import Console
@testable import Observability

/// Where recordings may be, how many, and what becomes of them if that changes while something is under way.
@Suite(.timeLimit(.minutes(2))) struct RecordingPlaceTests: SavedLogSuite {
  let key = SealingKey.random()

  private func surroundings(_ title: String, in workspace: String?, by person: String? = nil) -> RecordingStore.Surroundings {
    RecordingStore.Surroundings(
      about: RecordingAbout(
        title: title, note: "", deviceName: "d", backendURL: "https://backend.test", isEmbedded: false, version: "1",
        session: "s", dropped: 0, workspace: workspace, person: person), timeline: [], faults: Array("[]".utf8))
  }

  private func save(_ title: String, in workspace: String?, _ recordings: RecordingStore) async throws -> SavedRecording {
    let made = try await recordings.save(owner, ids: nil, surroundings(title, in: workspace), at: Timestamp(now))
    return try #require(try await recordings.recording(made.id))
  }

  @Test(arguments: StorageEngineKind.allCases) func whatIsInNoWorkspaceAnyMoreIsRemoved(kind: StorageEngineKind) async throws {
    try await withStore(kind) { store in
      let recordings = RecordingStore(store: store)
      for (title, workspace) in [("everybody's", nil), ("kept", "there"), ("lost", "gone")] as [(String, String?)] {
        _ = try await save(title, in: workspace, recordings)
        _ = try await recordings.begin(surroundings(title, in: workspace), at: Timestamp(now))
      }
      let moved = try await save("moved", in: "gone", recordings)
      try await recordings.removeOrphans {
        // Made and moved after the list was read.
        _ = try await self.save("new", in: "new", recordings)
        _ = try await recordings.change(moved, title: nil, note: nil, workspace: "there")
        return ["there"]
      }
      #expect(try await recordings.list().map(\.title).sorted() == ["everybody's", "kept", "moved", "new"])
      #expect(try await store.recordingCount() == 6)
      try await recordings.removeOrphans { [] }
      #expect(try await recordings.list().map(\.title) == ["everybody's"])
      #expect(try await store.recordingCount() == 2)
    }
  }

  /// What is not complete counts, and those who come at once take the last place once.
  @Test(arguments: StorageEngineKind.allCases) func aWorkspaceHasItsLimit(kind: StorageEngineKind) async throws {
    try await withStore(kind) { store in
      let recordings = RecordingStore(store: store, limits: RecordingStore.Limits(workspace: 4))
      let full = surroundings("one", in: "full")
      let other = try await save("other", in: "other", recordings)
      for _ in 1..<4 { _ = try await recordings.begin(full, at: Timestamp(now)) }
      #expect(try await saved(4, full, recordings) == 1)
      await #expect(throws: Problem.tooManyInWorkspace(4)) {
        try await recordings.change(other, title: nil, note: nil, workspace: "full")
      }
      #expect(try await recordings.recording(other.recording.id)?.about.workspace == "other")
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aPersonHasALimit(kind: StorageEngineKind) async throws {
    try await withStore(kind) { store in
      let recordings = RecordingStore(store: store, limits: RecordingStore.Limits(person: 9))
      for number in 1..<9 {
        _ = try await recordings.begin(surroundings("one", in: "\(number % 3)", by: "ann"), at: Timestamp(now))
      }
      #expect(try await saved(4, surroundings("one", in: nil, by: "ann"), recordings) == 1)
      await #expect(throws: Problem.tooManyOfPerson(9)) {
        try await recordings.begin(surroundings("one", in: "new", by: "ann"), at: Timestamp(now))
      }
      _ = try await recordings.begin(surroundings("one", in: "1", by: "ben"), at: Timestamp(now))
    }
  }

  /// How many of several saves at once succeed.
  private func saved(_ count: Int, _ surroundings: RecordingStore.Surroundings, _ recordings: RecordingStore) async throws -> Int
  {
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<count {
        group.addTask {
          (try? await recordings.save(owner, ids: nil, surroundings, at: Timestamp(now))) != nil
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func whatWasMovedIsNotChangedAsBefore(kind: StorageEngineKind) async throws {
    try await withStore(kind) { store in
      let recordings = RecordingStore(store: store)
      let known = try await save("moved", in: "mine", recordings)
      #expect(try await recordings.change(known, title: nil, note: nil, workspace: "theirs")?.workspace == "theirs")
      #expect(try await recordings.change(known, title: "mine again", note: nil, workspace: "mine") == nil)
      #expect(try await !recordings.remove(known))
      let current = try #require(try await recordings.recording(known.recording.id))
      #expect(current.about.title == "moved" && current.about.workspace == "theirs")
      #expect(try await recordings.remove(current))
    }
  }

  /// Somebody is removed from a workspace, or deleted, while what they save or import is being written.
  @Test(arguments: ["/api/recordings", "/api/recordings/import?workspace="], [true, false])
  func whoLosesAccessMeanwhileAddsNothing(path: String, isDeleted: Bool) async throws {
    let memory = try SavedLogStore.inMemory()
    let storage = InterruptedStorage(memory.storage)
    let harness = try await PersonTests.harness(savedLog: SavedLogStore(storage: storage, key: memory.key))
    let steps = WorkspaceTests()
    let ann = try await PersonTests.withDevice("ann@example.com", harness)
    let ben = try await PersonTests.withDevice("ben@example.com", harness)
    let benID = try #require(await harness.call(.get, "/api/person", as: ben).json?["person_id"]?.string)
    let shared = try await steps.make("Shared", ann, harness)
    let link = try await steps.link(shared, "write", ann, harness)
    #expect(await harness.call(.post, "/api/workspaces/join", link, as: ben).status == 200)
    let workspace = isDeleted ? benID : shared
    let har =
      #"{"log":{"entries":[{"startedDateTime":"2026-01-01T10:00:00.000Z","request":{"method":"GET","url":"https://a.example/x"}}]}}"#
    func add() async -> ConsoleHarness.Answer {
      path.hasSuffix("=")
        ? await harness.call(.post, path + workspace, har, as: ben)
        : await harness.call(.post, path, "{\"title\":\"late\",\"workspace\":\"\(workspace)\"}", as: ben)
    }
    let before = await add()
    #expect(before.status == 201)
    let saved = try await RecordingStore(store: memory).recording(before.json?["id"]?.string ?? "")
    #expect(saved?.about.person == benID && saved?.about.workspace == workspace)
    let statuses = Locked<[Int]>([])
    storage.interrupt {
      guard try await memory.storage.read({ try $0.number("SELECT count(*) FROM recording WHERE is_complete = 0") }) ?? 0 > 0
      else {
        return false
      }
      // The row alone: the whole deletion would also end the call's device.
      if isDeleted { try await harness.storage.write { try $0.execute("DELETE FROM person WHERE person_id = ?", benID) } }
      let answer = await harness.call(.delete, "/api/workspaces/\(shared)/members/\(benID)", as: ann)
      statuses.withLock { $0.append(answer.status) }
      return true
    }
    let refused = await add()
    #expect(refused.status == 404 && refused.code == "not_found")
    #expect(statuses.withLock { $0 } == [isDeleted ? 404 : 204])
    #expect(try await memory.recordingCount() == 1)
  }

  /// Other consoles import at the same time into the same database.
  @Test func aStartRemovesWhatIsLeftInASharedDatabase() async throws {
    try await StorageEngineKind.withPostgreSQL { storage, _ in
      try await (ConsoleDatabase.migrations + SavedLogSchema.migrations + PersonSchema.migrations).migrate(storage)
      let store = SavedLogStore(storage: storage, key: key)
      let scene = try PersonScene(storage, key: key, wall: { now })
      let (browser, _) = try await scene.store.makeBrowser()
      let (device, _) = try #require(try await scene.store.makeDevice(browserID: browser.id, name: nil))
      for id in [device.id, "gone"] {
        try await storage.write { try $0.execute("INSERT INTO evidence_device (device_id, backend_id) VALUES (?, 'b')", id) }
      }
      try await store.removeAllOfGoneDevices()
      let left = try await storage.read { try $0.rows("SELECT device_id FROM evidence_device").map { try $0.text("device_id") } }
      #expect(left == [device.id])
      let recordings = RecordingStore(store: store)
      for hours in [0, 23, 25, 1000] {
        let begun = Timestamp(now.addingTimeInterval(-3600 * Double(hours)))
        _ = try await recordings.begin(surroundings("\(hours)", in: nil), at: begun)
      }
      _ = try await recordings.save(
        owner, ids: nil, surroundings("old", in: nil), at: Timestamp(now.addingTimeInterval(-1_000_000)))
      try await store.removeIncompleteRecordings(dayBefore: now)
      #expect(try await store.recordingCount() == 3)
      #expect(try await recordings.list().map(\.title) == ["old"])
    }
  }
}

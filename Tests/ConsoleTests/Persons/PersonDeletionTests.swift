import Domain
import HTTPTypes
import JSON
import Server
import Storage
import Support
import Testing
import Vault

@testable import Console

/// What goes with a person, and what others keep.
@Suite(.timeLimit(.minutes(2))) struct PersonDeletionTests {
  /// How a person goes.
  enum Way: CaseIterable, Sendable { case deleted, unseenFor90Days }

  private let driven = DrivenTime()

  private func pass(days: Int) { driven.advance(by: .seconds(days * 86_400)) }

  @Test(arguments: StorageEngineKind.allCases, Way.allCases)
  func workspacesGoToAnotherMemberOrGo(kind: StorageEngineKind, way: Way) async throws {
    try await kind.withConsole { storage in
      let scene = try PersonScene(storage, key: .random(), wall: driven.time.wall)
      var people: [String: Person] = [:]
      for name in ["ann", "ben", "cem", "dua"] { people[name] = try await scene.visit(name) }
      let ann = try #require(people["ann"])
      var ids: [String] = []
      for name in ["written", "read", "alone", "managed by two"] { ids.append(try await scene.workspaces.make(name, by: ann).id) }
      for (workspace, name, access) in [
        (0, "ben", WorkspaceAccess.read), (0, "dua", .write), (0, "cem", .write), (1, "dua", .read), (1, "cem", .read),
        (3, "cem", .write), (3, "dua", .read),
      ] { try await scene.join(ids[workspace], access, try #require(people[name])) }
      let (both, dua) = (ids[3], people["dua"]?.id ?? "")
      try await storage.write { transaction in
        try scene.store.rows.change(
          transaction, .workspaceMember, set: "access", to: WorkspaceAccess.manage.rawValue,
          where: "workspace_id = ? AND person_id = ?", both, dua)
      }
      _ = try await scene.store.makeDevice(browserID: ann.id, name: nil)
      let change = PersonChange(person: ann, action: "POST /api/devices", deviceID: nil, client: "192.0.2.7", requestID: "r")
      _ = try await scene.log.begin(change)
      switch way {
      case .deleted: try await scene.persons.delete(personID: ann.id)
      case .unseenFor90Days:
        pass(days: 60)
        for name in ["ben", "cem", "dua"] { _ = try await scene.visit(name) }
        pass(days: 31)
        _ = try await scene.store.makeBrowser()
      }
      var members: [String] = []
      for id in ids {
        members.append(try await scene.workspaces.members(of: id).map { "\($0.name) \($0.access)" }.joined(separator: ", "))
      }
      #expect(
        members == ["ben read, cem manage, dua write", "cem manage, dua read", "", "cem write, dua manage"])
      #expect(
        try await scene.workspaces.ids() == Set(people.values.map(\.id)).subtracting([ann.id]).union([ids[0], ids[1], ids[3]]))
      #expect(try await storage.read { try $0.number("SELECT count(*) FROM device") } == 0)
      // The name is gone, and a console that still has it does not write it again.
      _ = try await scene.log.begin(change)
      let entries = try await scene.log.entries(after: 0)
      #expect(entries.map(\.person) == ["", ""] && Set(entries.map(\.personID)) == [ann.id])
      // Nothing more is saved where nobody would see it.
      #expect(try await scene.workspaces.access(of: ann).isEmpty)
    }
  }

  @Test(arguments: [true, false]) func recordingsGoWithTheWorkspace(isOwn: Bool) async throws {
    let (harness, steps) = (try await PersonTests.harness(), WorkspaceTests())
    let (ann, ben) = (
      try await PersonTests.withDevice("ann@example.com", harness), try await PersonTests.withDevice("ben@example.com", harness)
    )
    let (alone, shared) = (try await steps.make("Alone", ann, harness), try await steps.make("Shared", ann, harness))
    let link = try await steps.link(shared, "read", ann, harness)
    #expect(await harness.call(.post, "/api/workspaces/join", link, as: ben).status == 200)
    for (title, workspace) in [("own", nil), ("alone", alone), ("shared", shared)] as [(String, String?)] {
      _ = try await steps.save(title, in: workspace, ann, harness)
    }
    let id = try #require(await harness.call(.get, "/api/person", as: ann).json?["person_id"]?.string)
    let olga = PersonTests.named("olga@example.com")
    let deleted =
      isOwn
      ? await harness.call(.delete, "/api/person", as: ann) : await harness.call(.delete, "/api/persons/\(id)", as: olga)
    #expect(deleted.status == 204)
    #expect(try await harness.evidence.recordingCount() == 1)
    #expect(await steps.titles(ben, harness) == ["shared"])
    let list = await harness.call(.get, "/api/workspaces", as: ben).json?["workspaces"]?.elements ?? []
    #expect(list.compactMap { $0["access"]?.string } == ["manage", "manage"])
    #expect(await harness.call(.delete, "/api/workspaces/\(shared)", as: ben).status == 204)
    #expect(try await harness.evidence.recordingCount() == 0)
  }
}

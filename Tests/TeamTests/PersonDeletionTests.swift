import Console
import Domain
import Storage
import Support
import Team
import Testing
import Vault

/// What goes with a person, and what others keep.
@Suite(.timeLimit(.minutes(2))) struct PersonDeletionTests {
  /// How a person goes.
  enum Way: CaseIterable, Sendable { case deleted, unseenFor90Days }

  private let driven = DrivenTime()

  private func pass(days: Int) { driven.advance(by: .seconds(days * 86_400)) }

  @Test(arguments: StorageEngineKind.allCases, Way.allCases)
  func workspacesGoToAnotherMemberOrGo(kind: StorageEngineKind, way: Way) async throws {
    try await kind.withTeam { storage in
      let scene = try TeamScene(storage, key: .random(), wall: driven.time.wall)
      var people: [String: Person] = [:]
      for name in ["ann", "ben", "cem", "dua"] { people[name] = try await scene.visit(name) }
      let ann = try #require(people["ann"])
      var ids: [String] = []
      for name in ["written", "read", "alone", "managed by two"] { ids.append(try await scene.workspaces.make(name, by: ann).id) }
      for (workspace, name, access) in [
        (0, "ben", WorkspaceAccess.read), (0, "dua", .write), (0, "cem", .write), (1, "dua", .read), (1, "cem", .read),
        (3, "cem", .write), (3, "dua", .read),
      ] { try await scene.join(ids[workspace], access, try #require(people[name])) }
      let both = ids[3]
      let dua = people["dua"]?.id ?? ""
      try await storage.write { transaction in
        try scene.rows.change(
          transaction, .workspaceMember, set: "access", to: WorkspaceAccess.manage.rawValue,
          where: "workspace_id = ? AND person_id = ?", both, dua)
      }
      _ = try await scene.store.makeDevice(browserID: ann.id, name: nil)
      _ = try await scene.note(ann)
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
      _ = try await scene.note(ann)
      let entries = try await scene.log.entries(after: 0)
      #expect(entries.map(\.person) == ["", ""] && Set(entries.map(\.personID)) == [ann.id])
      // Nothing more is saved where nobody would see it.
      #expect(try await scene.workspaces.access(of: ann).isEmpty)
    }
  }
}

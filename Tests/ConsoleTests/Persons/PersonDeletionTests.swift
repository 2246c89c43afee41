import HTTPTypes
import JSON
import Server
import Storage
import Testing

@testable import Console

/// What recordings go with a person, and which others keep.
@Suite(.timeLimit(.minutes(2))) struct PersonDeletionTests {
  @Test(arguments: [true, false]) func recordingsGoWithTheWorkspace(isOwn: Bool) async throws {
    let harness = try await PersonTests.harness()
    let steps = WorkspaceTests()
    let ann = try await PersonTests.withDevice("ann@example.com", harness)
    let ben = try await PersonTests.withDevice("ben@example.com", harness)
    let alone = try await steps.make("Alone", ann, harness)
    let shared = try await steps.make("Shared", ann, harness)
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
    #expect(try await harness.savedLog.recordingCount() == 1)
    #expect(await steps.titles(ben, harness) == ["shared"])
    let list = await harness.call(.get, "/api/workspaces", as: ben).json?["workspaces"]?.elements ?? []
    #expect(list.compactMap { $0["access"]?.string } == ["manage", "manage"])
    #expect(await harness.call(.delete, "/api/workspaces/\(shared)", as: ben).status == 204)
    #expect(try await harness.savedLog.recordingCount() == 0)
  }
}

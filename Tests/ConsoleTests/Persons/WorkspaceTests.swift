import HTTPTypes
import JSON
import Storage
import Testing

@testable import Console

/// Recordings belong to workspaces: who sees them, who may change them, and who gets in.
@Suite(.timeLimit(.minutes(1))) struct WorkspaceTests {
  typealias Caller = ConsoleHarness.Caller

  /// Saves a recording; gives its id.
  func save(
    _ title: String, in workspace: String? = nil, _ caller: Caller, _ harness: ConsoleHarness
  ) async throws
    -> String
  {
    let place = workspace.map { ",\"workspace\":\"\($0)\"" } ?? ""
    let answer = await harness.call(.post, "/api/recordings", "{\"title\":\"\(title)\"\(place)}", as: caller)
    #expect(answer.status == 201, "\(title)")
    return try #require(answer.json?["id"]?.string)
  }

  /// The titles of the recordings that somebody sees.
  func titles(_ caller: Caller, _ harness: ConsoleHarness) async -> [String] {
    let list = await harness.call(.get, "/api/recordings", as: caller).json?["recordings"]?.elements ?? []
    return list.compactMap { $0["title"]?.string }.sorted()
  }

  /// Makes a workspace; gives its id.
  func make(_ name: String, _ caller: Caller, _ harness: ConsoleHarness) async throws -> String {
    let answer = await harness.call(.post, "/api/workspaces", "{\"name\":\"\(name)\"}", as: caller)
    #expect(answer.status == 201 && answer.json?["access"]?.string == "manage")
    return try #require(answer.json?["workspace_id"]?.string)
  }

  /// Makes a link; gives the body with which it is used.
  func link(_ id: String, _ access: String, _ caller: Caller, _ harness: ConsoleHarness) async throws -> String {
    let answer = await harness.call(
      .post, "/api/workspaces/\(id)/links", "{\"access\":\"\(access)\",\"hours\":1}", as: caller)
    #expect(answer.status == 201)
    return "{\"token\":\"\(try #require(answer.json?["token"]?.string))\"}"
  }

  @Test func aRecordingIsItsPersonsAlone() async throws {
    let harness = try await PersonTests.harness()
    let ann = try await PersonTests.withDevice("ann@example.com", harness)
    let ben = try await PersonTests.withDevice("ben@example.com", harness)
    let olga = try await PersonTests.withDevice("olga@example.com", harness)
    let id = try await save("of Ann", ann, harness)
    let other = try await save("of Ben", ben, harness)
    #expect(await titles(ann, harness) == ["of Ann"])
    #expect(await titles(ben, harness) == ["of Ben"])
    #expect(await titles(olga, harness) == [])
    let attempts: [(HTTPRequest.Method, String, String?)] = [
      (.get, "/network", nil), (.get, "/network/export?format=json", nil), (.get, "/timeline", nil), (.get, "/faults", nil),
      (.get, "/network/1", nil), (.get, "/compare?with=live", nil), (.get, "/drift", nil), (.patch, "", #"{"title":"mine"}"#),
      (.delete, "", nil),
    ]
    for caller in [ben, olga] {
      for (method, path, body) in attempts {
        #expect(await harness.call(method, "/api/recordings/\(id)\(path)", body, as: caller).status == 404, "\(method) \(path)")
      }
    }
    #expect(await harness.call(.get, "/api/recordings/\(other)/compare?with=\(id)", as: ben).status == 404)
    #expect(await harness.call(.patch, "/api/recordings/\(id)", #"{"title":"still of Ann"}"#, as: ann).status == 200)
    let stolen =
      "{\"title\":\"x\",\"workspace\":\"\(await harness.call(.get, "/api/person", as: ann).json?["person_id"]?.string ?? "")\"}"
    #expect(await harness.call(.post, "/api/recordings", stolen, as: ben).status == 404)
    #expect(await titles(ann, harness) == ["still of Ann"])
  }

  @Test func aLinkGivesItsAccessAndNoMore() async throws {
    let harness = try await PersonTests.harness()
    let ann = try await PersonTests.withDevice("ann@example.com", harness)
    let ben = try await PersonTests.withDevice("ben@example.com", harness)
    let id = try await make("Release 7", ann, harness)
    let recording = try await save("shared", in: id, ann, harness)
    _ = try await save("private", ann, harness)
    for (method, path, body) in [
      (HTTPRequest.Method.get, "members", nil), (.post, "links", #"{"access":"write","hours":1}"#), (.delete, "links", nil),
    ] as [(HTTPRequest.Method, String, String?)] {
      #expect(await harness.call(method, "/api/workspaces/\(id)/\(path)", body, as: ben).status == 404)
    }
    #expect(await harness.call(.post, "/api/workspaces/join", #"{"token":"guessed"}"#, as: ben).status == 404)
    let read = try await link(id, "read", ann, harness)
    #expect(await harness.call(.post, "/api/workspaces/join", read, as: ben).json?["access"]?.string == "read")
    #expect(await titles(ben, harness) == ["shared"])
    #expect(await harness.call(.get, "/api/recordings/\(recording)/network", as: ben).status == 200)
    for (method, path, body) in [
      (HTTPRequest.Method.patch, "/api/recordings/\(recording)", #"{"title":"x"}"#),
      (.delete, "/api/recordings/\(recording)", nil),
      (.post, "/api/recordings", "{\"title\":\"x\",\"workspace\":\"\(id)\"}"),
      (.post, "/api/workspaces/\(id)/links", #"{"access":"read","hours":1}"#), (.delete, "/api/workspaces/\(id)", nil),
    ] as [(HTTPRequest.Method, String, String?)] {
      let answer = await harness.call(method, path, body, as: ben)
      #expect(answer.status == 403 && answer.code == "role_refused", "\(method) \(path)")
    }
    let write = try await link(id, "write", ann, harness)
    #expect(await harness.call(.post, "/api/workspaces/join", write, as: ben).json?["access"]?.string == "write")
    // The lesser link takes nothing away.
    #expect(await harness.call(.post, "/api/workspaces/join", read, as: ben).json?["access"]?.string == "write")
    #expect(await harness.call(.patch, "/api/recordings/\(recording)", #"{"title":"by Ben"}"#, as: ben).status == 200)
    _ = try await save("of Ben for all", in: id, ben, harness)
    #expect(await titles(ann, harness) == ["by Ben", "of Ben for all", "private"])
    // Links that were ended let nobody in; members stay until they are removed.
    #expect(await harness.call(.delete, "/api/workspaces/\(id)/links", as: ann).status == 204)
    let cem = try await PersonTests.withDevice("cem@example.com", harness)
    #expect(await harness.call(.post, "/api/workspaces/join", write, as: cem).status == 404)
    let members = await harness.call(.get, "/api/workspaces/\(id)/members", as: ben).json?["members"]?.elements ?? []
    #expect(members.compactMap { $0["name"]?.string } == ["ann@example.com", "ben@example.com"])
    let ids = try members.map { try #require($0["person_id"]?.string) }
    #expect(await harness.call(.delete, "/api/workspaces/\(id)/members/\(ids[0])", as: ben).status == 403)
    #expect(await harness.call(.delete, "/api/workspaces/\(id)/members/\(ids[0])", as: ann).status == 409)
    #expect(await harness.call(.delete, "/api/workspaces/\(id)/members/\(ids[1])", as: ann).status == 204)
    #expect(await titles(ben, harness) == [])
    #expect(await harness.call(.delete, "/api/workspaces/\(id)", as: ann).status == 204)
    #expect(await titles(ann, harness) == ["private"])
  }

  @Test func aRecordingMovesOnlyWhereItsPersonMayWrite() async throws {
    let harness = try await PersonTests.harness()
    let ann = try await PersonTests.withDevice("ann@example.com", harness)
    let ben = try await PersonTests.withDevice("ben@example.com", harness)
    let mine = try await make("Mine", ann, harness)
    let shared = try await make("Shared", ben, harness)
    let foreign = try await make("Foreign", ben, harness)
    let read = try await link(shared, "read", ben, harness)
    #expect(await harness.call(.post, "/api/workspaces/join", read, as: ann).status == 200)
    let recording = try await save("moved", ann, harness)
    func move(_ to: String, _ caller: Caller) async -> Int {
      await harness.call(.patch, "/api/recordings/\(recording)", "{\"workspace\":\"\(to)\"}", as: caller).status
    }
    #expect(await move(shared, ann) == 403)
    #expect(await move(foreign, ann) == 404)
    #expect(await move("nowhere", ann) == 404)
    #expect(await move(shared, ben) == 404)
    #expect(await titles(ben, harness) == [])
    #expect(await move(mine, ann) == 200)
    let token = try await link(mine, "read", ann, harness)
    #expect(await harness.call(.post, "/api/workspaces/join", token, as: ben).status == 200)
    #expect(await titles(ben, harness) == ["moved"])
    // Who reads there cannot take it away.
    #expect(await move(foreign, ben) == 403)
    let own = try #require(await harness.call(.get, "/api/person", as: ann).json?["person_id"]?.string)
    #expect(await move(own, ann) == 200)
    #expect(await titles(ben, harness) == [])
    #expect(await titles(ann, harness) == ["moved"])
  }

  @Test func aFullWorkspaceTakesNoMore() async throws {
    let harness = try await PersonTests.harness()
    let ann = try await PersonTests.withDevice("ann@example.com", harness)
    let id = try await make("Full", ann, harness)
    for number in 0..<RecordingStore.Limits().workspace { _ = try await save("\(number)", in: id, ann, harness) }
    let further = await harness.call(.post, "/api/recordings", "{\"title\":\"x\",\"workspace\":\"\(id)\"}", as: ann)
    #expect(further.status == 409 && further.code == "conflict")
    let other = try await save("elsewhere", ann, harness)
    let moved = await harness.call(.patch, "/api/recordings/\(other)", "{\"workspace\":\"\(id)\"}", as: ann)
    #expect(moved.status == 409 && moved.code == "conflict")
    #expect(await titles(ann, harness).count == RecordingStore.Limits().workspace + 1)
  }

  @Test func aDeletedPersonsRecordingsGo() async throws {
    let harness = try await PersonTests.harness()
    let ann = try await PersonTests.withDevice("ann@example.com", harness)
    let ben = try await PersonTests.withDevice("ben@example.com", harness)
    let id = try await make("Release 7", ben, harness)
    let token = try await link(id, "write", ben, harness)
    #expect(await harness.call(.post, "/api/workspaces/join", token, as: ann).status == 200)
    _ = try await save("own", ann, harness)
    _ = try await save("for all", in: id, ann, harness)
    #expect(await harness.call(.delete, "/api/person", as: ann).status == 204)
    #expect(await titles(ben, harness) == ["for all"])
    let left = try await harness.savedLog.storage.read { try $0.number("SELECT count(*) FROM recording") }
    #expect(left == 1)
  }

  @Test func removedMemberCannotRejoinWithOldLink() async throws {
    let harness = try await PersonTests.harness()
    var callers: [Caller] = []
    var ids: [String] = []
    for name in ["ann", "ben", "cem"] {
      callers.append(try await PersonTests.withDevice("\(name)@example.com", harness))
      ids.append(try #require(await harness.call(.get, "/api/person", as: callers[callers.count - 1]).json?["person_id"]?.string))
    }
    let id = try await make("Release 7", callers[0], harness)
    let token = try await link(id, "write", callers[0], harness)
    for caller in callers[1...] { #expect(await harness.call(.post, "/api/workspaces/join", token, as: caller).status == 200) }
    // Who leaves leaves the link as it is.
    #expect(await harness.call(.delete, "/api/workspaces/\(id)/members/\(ids[2])", as: callers[2]).status == 204)
    #expect(await harness.call(.post, "/api/workspaces/join", token, as: callers[2]).status == 200)
    #expect(await harness.call(.delete, "/api/workspaces/\(id)/members/\(ids[1])", as: callers[0]).status == 204)
    #expect(await harness.call(.post, "/api/workspaces/join", token, as: callers[1]).status == 404)
  }

  @Test func aViewerLeavesButRemovesNobody() async throws {
    let harness = try await PersonTests.harness()
    let ann = try await PersonTests.withDevice("ann@example.com", harness)
    let ben = try await PersonTests.withDevice("ben@example.com", harness)
    let id = try await make("Release 7", ann, harness)
    let token = try await link(id, "read", ann, harness)
    #expect(await harness.call(.post, "/api/workspaces/join", token, as: ben).status == 200)
    var ids: [String] = []
    for caller in [ann, ben] {
      ids.append(try #require(await harness.call(.get, "/api/person", as: caller).json?["person_id"]?.string))
    }
    for person in ids {
      let olga = PersonTests.named("olga@example.com")
      #expect(await harness.call(.patch, "/api/persons/\(person)", #"{"role":"viewer"}"#, as: olga).status == 200)
    }
    let refused = await harness.call(.delete, "/api/workspaces/\(id)/members/\(ids[1])", as: ann)
    #expect(refused.status == 403 && refused.code == "role_refused")
    #expect(await harness.call(.delete, "/api/workspaces/\(id)/members/\(ids[1])", as: ben).status == 204)
  }

  @Test func unsignedMembershipIsIgnored() async throws {
    let harness = try await PersonTests.harness()
    let ann = try await PersonTests.withDevice("ann@example.com", harness)
    let ben = try await PersonTests.withDevice("ben@example.com", harness)
    let id = try await make("Release 7", ann, harness)
    _ = try await save("secret", in: id, ann, harness)
    let person = try #require(await harness.call(.get, "/api/person", as: ben).json?["person_id"]?.string)
    try await harness.storage.write { transaction in
      try transaction.execute(
        "INSERT INTO workspace_member (workspace_id, person_id, access, mac) SELECT workspace_id, ?, access, mac FROM workspace_member",
        person)
    }
    #expect(await titles(ben, harness) == [])
    #expect(await harness.call(.get, "/api/workspaces/\(id)/members", as: ben).status == 404)
  }

  @Test func aConsoleWithoutPersonsHasOneSpace() async throws {
    let harness = try await ConsoleHarness()
    let first = try await harness.caller()
    let second = try await harness.caller()
    _ = try await save("everybody's", first, harness)
    #expect(await titles(second, harness) == ["everybody's"])
    #expect(await harness.call(.get, "/api/workspaces", as: first).status == 404)
    #expect(await harness.call(.post, "/api/recordings", #"{"title":"x","workspace":"y"}"#, as: first).status == 404)
  }
}

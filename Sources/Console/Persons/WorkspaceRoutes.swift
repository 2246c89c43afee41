import Domain
import FoundationEssentials
import HTTPTypes
import JSON
import OpenAPI
import Server
import Team

/// The routes of workspaces: making them, and sharing them by link.
enum WorkspaceRoutes {
  private struct NewWorkspace: Decodable {
    let name: String
  }

  private struct NewLink: Decodable {
    let access: WorkspaceAccess
    let hours: Int
  }

  private struct Token: Decodable {
    let token: String
  }

  private struct WorkspaceBody: Codable, SchemaProvider {
    let workspaceID: String
    let name: String
    let access: String
    /// Whether it is the caller's own, which cannot be shared.
    let isOwn: Bool

    init(_ workspace: Workspaces.Listed, _ person: Person) {
      workspaceID = workspace.id
      name = workspace.name
      access = workspace.access.rawValue
      isOwn = workspace.id == person.id
    }

    static var schema: Schema {
      .recorded(from: Self.self).refined(["workspace_id": .uuid, "access": .oneOf(WorkspaceAccess.allCases.map(\.rawValue))])
    }
  }

  private struct ListBody: Codable {
    let workspaces: [WorkspaceBody]
  }

  private struct LinkBody: Codable, SchemaProvider {
    let token: String
    let until: Timestamp

    static var schema: Schema { .recorded(from: Self.self).refined(["token": .length(43...43)]) }
  }

  private struct MemberBody: Codable, SchemaProvider {
    let personID: String
    let name: String
    let access: String

    static var schema: Schema {
      .recorded(from: Self.self).refined(["person_id": .uuid, "access": .oneOf(WorkspaceAccess.allCases.map(\.rawValue))])
    }
  }

  private struct MemberList: Codable {
    let members: [MemberBody]
  }

  static func routes(_ dependencies: Application.Dependencies, _ persons: Persons?) -> [ConsoleRoute] {
    [
      ConsoleRoute(
        .get, "/api/workspaces",
        Operation(
          "workspaces", tag: "persons", "The caller's workspaces, in which recordings are.",
          responses: [.json("One's own first, then by name.", ListBody.self)]),
        codes: [.notFound],
        .browser { call in
          let (person, workspaces) = try require(call, persons)
          return try .body(ListBody(workspaces: try await workspaces.all(of: person).map { WorkspaceBody($0, person) }))
        }),
      ConsoleRoute(
        .post, "/api/workspaces",
        Operation(
          "makeWorkspace", tag: "persons", "Makes a workspace that can be shared.",
          request: .json(.request(NewWorkspace.self).refined(["name": DisplayName.refinement])),
          responses: [.json("The caller manages it.", WorkspaceBody.self, status: .created)]),
        codes: [.notFound, .tooManyAttempts], .browser { call in try await make(call, persons) }),
      ConsoleRoute(
        .delete, "/api/workspaces/{id}",
        Operation("deleteWorkspace", tag: "persons", "Deletes a workspace with its recordings.", responses: [.noContent]),
        codes: [.notFound, .noDevice],
        .device { call, _ in
          let (_, workspaces, id) = try await managed(call, persons)
          try await workspaces.delete(id)
          try await dependencies.registry.removeOrphanedRecordings(workspaces)
          return .noContent
        }),
      ConsoleRoute(
        .post, "/api/workspaces/{id}/links",
        Operation(
          "shareWorkspace", tag: "persons", "Makes a link: whoever opens it gets the access.",
          request: .json(
            .request(NewLink.self).refined([
              "access": .oneOf([WorkspaceAccess.read, .write].map(\.rawValue)), "hours": .range(1...Workspaces.linkHours),
            ])), responses: [.json("The only answer that shows the token.", LinkBody.self, status: .created)]),
        codes: [.notFound, .tooManyAttempts], .browser { call in try await share(call, persons) }),
      ConsoleRoute(
        .delete, "/api/workspaces/{id}/links",
        Operation("endLinks", tag: "persons", "Ends all links to a workspace; members stay.", responses: [.noContent]),
        codes: [.notFound],
        .browser { call in
          let (_, workspaces, id) = try await managed(call, persons)
          try await workspaces.endLinks(to: id)
          return .noContent
        }),
      ConsoleRoute(
        .post, "/api/workspaces/join",
        Operation(
          "joinWorkspace", tag: "persons", "Gives the caller the access of a link.", request: .json(Token.self),
          responses: [.json("The workspace.", WorkspaceBody.self)]),
        codes: [.notFound, .tooManyAttempts], role: .viewer, .browser { call in try await join(call, persons) }),
      ConsoleRoute(
        .get, "/api/workspaces/{id}/members",
        Operation("members", tag: "persons", "Who has access to a workspace.", responses: [.json("By name.", MemberList.self)]),
        codes: [.notFound],
        .browser { call in
          let (person, workspaces) = try require(call, persons)
          let id = call.request.parameters["id"] ?? ""
          guard try await workspaces.access(of: person)[id] != nil else { throw Problem.notFound }
          return try .body(
            MemberList(
              members: try await workspaces.members(of: id).map {
                MemberBody(personID: $0.personID, name: $0.name, access: $0.access.rawValue)
              }))
        }),
      ConsoleRoute(
        .delete, "/api/workspaces/{id}/members/{person}",
        Operation(
          "removeMember", tag: "persons",
          "Removes a member, which ends all links, or the caller, which ends none; the last who manages it stays.",
          responses: [.noContent]),
        codes: [.notFound, .conflict, .roleRefused], role: .viewer, .browser { call in try await remove(call, persons) }),
    ]
  }

  /// Returns the caller and the workspaces; throws `notFound` on a console without people.
  private static func require(_ call: ConsoleCall, _ persons: Persons?) throws(Problem) -> (Person, Workspaces) {
    let (person, persons) = try call.require(persons)
    return (person, persons.workspaces)
  }

  /// The workspace that a request names, which the caller manages; a person's own workspace cannot be shared. Throws `Problem`.
  private static func managed(_ call: ConsoleCall, _ persons: Persons?) async throws -> (Person, Workspaces, String) {
    let (person, workspaces) = try require(call, persons)
    let id = call.request.parameters["id"] ?? ""
    guard id != person.id, let access = try await workspaces.access(of: person)[id] else { throw Problem.notFound }
    guard access == .manage else { throw Problem.roleRefused }
    return (person, workspaces, id)
  }

  private static func make(_ call: ConsoleCall, _ persons: Persons?) async throws -> Response {
    let (person, workspaces) = try require(call, persons)
    let name = try DisplayName.checked(try await call.body(NewWorkspace.self).name)
    return try .body(WorkspaceBody(try await workspaces.make(name, by: person), person), status: .created)
  }

  private static func share(_ call: ConsoleCall, _ persons: Persons?) async throws -> Response {
    let (_, workspaces, id) = try await managed(call, persons)
    let body = try await call.body(NewLink.self)
    let (token, until) = try await workspaces.makeLink(to: id, body.access, hours: body.hours)
    return try .body(LinkBody(token: token, until: Timestamp(Date(timeIntervalSince1970: until))), status: .created)
  }

  private static func join(_ call: ConsoleCall, _ persons: Persons?) async throws -> Response {
    let (person, workspaces) = try require(call, persons)
    guard let joined = try await workspaces.join(try await call.body(Token.self).token, person) else { throw Problem.notFound }
    return try .body(WorkspaceBody(joined, person))
  }

  private static func remove(_ call: ConsoleCall, _ persons: Persons?) async throws -> Response {
    let (person, workspaces) = try require(call, persons)
    let id = call.request.parameters["id"] ?? ""
    let member = call.request.parameters["person"] ?? ""
    guard id != person.id, let access = try await workspaces.access(of: person)[id] else { throw Problem.notFound }
    guard member == person.id || access == .manage && person.role >= .tester else { throw Problem.roleRefused }
    guard try await workspaces.members(of: id).contains(where: { $0.personID == member }) else { throw Problem.notFound }
    guard try await workspaces.remove(member, from: id, by: person) else {
      throw Problem(.conflict, "Nobody else manages this workspace; delete it instead.")
    }
    return .noContent
  }
}

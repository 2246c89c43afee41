import Domain
import FoundationEssentials
import HTTPTypes
import JSON
import OpenAPI
import Server
package import Team

/// The routes of people: the caller's own data and device keys, and for owners all people's roles and the audit log.
package enum PersonRoutes {
  private struct PersonBody: Codable, SchemaProvider {
    let personID: String
    let name: String
    let role: String

    init(_ person: Person) { (personID, name, role) = (person.id, person.name, person.role.rawValue) }

    static var schema: Schema { .recorded(from: Self.self).refined(["person_id": .uuid, "role": PersonRoutes.role]) }
  }

  private struct ListedPerson: Codable, SchemaProvider {
    let personID: String
    let name: String
    let role: String
    /// Whether the command line makes the person an owner.
    let isFixed: Bool
    let createdAt: Timestamp
    let seenAt: Timestamp

    static var schema: Schema { .recorded(from: Self.self).refined(["person_id": .uuid, "role": PersonRoutes.role]) }
  }

  private struct PersonList: Codable {
    let persons: [ListedPerson]
  }

  private struct RoleBody: Decodable {
    let role: Person.Role
  }

  private static let role = Refinement.oneOf(Person.Role.allCases.map(\.rawValue))

  /// All routes that only a team needs: those of people, of the accounts that they reserve, and of workspaces.
  ///
  /// They respond with `not_found` on a console without people.
  package static func routes(_ dependencies: Application.Dependencies, _ persons: Persons?) -> [ConsoleRoute] {
    ownRoutes(dependencies, persons) + AccountLeaseRoutes.routes(dependencies, persons)
      + WorkspaceRoutes.routes(dependencies, persons)
  }

  private static func ownRoutes(_ dependencies: Application.Dependencies, _ persons: Persons?) -> [ConsoleRoute] {
    [
      ConsoleRoute(
        .get, "/api/person",
        Operation(
          "person", tag: "persons", "Who calls, on a console that knows persons.",
          responses: [.json("The caller.", PersonBody.self)]),
        codes: [.notFound], .browser { call in try .body(PersonBody(try call.require(persons).person)) }),
      ConsoleRoute(
        .delete, "/api/person",
        Operation(
          "deletePerson", tag: "persons", "Deletes the caller with all devices and the name in the audit log.",
          responses: [.noContent]),
        codes: [.notFound], role: .viewer,
        .browser { call in
          let (person, persons) = try call.require(persons)
          try await delete(person, dependencies, persons)
          return .noContent.clearingCache
        }),
      ConsoleRoute(
        .post, "/api/devices/{id}/key",
        Operation(
          "deviceKey", tag: "persons", "Makes a key for one of the caller's devices, for a browser that has none.",
          responses: [.json("The only answer that shows the key.", NewDeviceBody.self, status: .created)]),
        codes: [.notFound], role: .viewer, .browser { call in try await makeKey(call, dependencies, persons) }),
      ConsoleRoute(
        .get, "/api/persons",
        Operation(
          "persons", tag: "persons", "Everybody who was here; for owners.", responses: [.json("By name.", PersonList.self)]),
        codes: [.notFound], role: .owner, .browser { call in try await list(call, persons) }),
      ConsoleRoute(
        .patch, "/api/persons/{id}",
        Operation(
          "setRole", tag: "persons", "Gives a person another role; for owners.",
          request: .json(RoleBody.self),
          responses: [.json("The person.", PersonBody.self)]),
        codes: [.notFound, .conflict], role: .owner, .browser { call in try await setRole(call, persons) }),
      ConsoleRoute(
        .delete, "/api/persons/{id}",
        Operation(
          "removePerson", tag: "persons", "Deletes a person with all devices and the name in the audit log; for owners.",
          responses: [.noContent]),
        codes: [.notFound], role: .owner,
        .browser { call in
          let persons = try call.require(persons).persons
          guard let person = try await persons.store.person(id: call.request.parameters["id"] ?? "") else {
            throw Problem.notFound
          }
          try await delete(person, dependencies, persons)
          return .noContent
        }),
      ConsoleRoute(
        .get, "/api/audit",
        Operation(
          "audit", tag: "persons", "Who changed what, when and from where, as JSON lines, oldest first; for owners.",
          parameters: [
            .query("after", "The number of the last entry that is known."),
            .query("last", "How many of the newest entries are wanted; all by default."),
          ],
          responses: [.content("At most \(AuditLog.pageLimit) entries.", "application/x-ndjson", .string)]),
        codes: [.notFound, .invalidRequest], role: .owner, .browser { call in try await audit(call, persons) }),
    ]
  }

  /// `POST /api/devices/{id}/key`.
  private static func makeKey(
    _ call: ConsoleCall, _ dependencies: Application.Dependencies, _ persons: Persons?
  ) async throws -> Response {
    let person = try call.require(persons).person
    let id = call.request.parameters["id"] ?? ""
    guard let (record, key) = try await dependencies.registry.store.makeKey(deviceID: id, browserID: person.id) else {
      throw Problem.notFound
    }
    return try .body(NewDeviceBody(deviceID: record.id, deviceKey: key, name: record.name), status: .created)
  }

  /// `GET /api/persons`.
  private static func list(_ call: ConsoleCall, _ persons: Persons?) async throws -> Response {
    let store = try call.require(persons).persons.store
    return try .body(
      PersonList(
        persons: try await store.all().map { record in
          ListedPerson(
            personID: record.person.id, name: record.person.name, role: record.person.role.rawValue,
            isFixed: store.isNamedOwner(record.person), createdAt: Timestamp(Date(timeIntervalSince1970: record.madeAt)),
            seenAt: Timestamp(Date(timeIntervalSince1970: record.seenAt)))
        }))
  }

  /// `PATCH /api/persons/{id}`.
  private static func setRole(_ call: ConsoleCall, _ persons: Persons?) async throws -> Response {
    let store = try call.require(persons).persons.store
    let role = try await call.body(RoleBody.self).role
    guard let person = try await store.person(id: call.request.parameters["id"] ?? "") else { throw Problem.notFound }
    guard !store.isNamedOwner(person) else { throw Problem(.conflict, "The command line makes this person an owner.") }
    guard try await store.setRole(role, personID: person.id) else { throw Problem.notFound }
    return try .body(PersonBody(Person(id: person.id, name: person.name, role: role)))
  }

  /// Deletes the devices one by one, so that each ends its calls and streams, then the person, and then recordings that no one
  /// can read.
  private static func delete(_ person: Person, _ dependencies: Application.Dependencies, _ persons: Persons) async throws {
    let registry = dependencies.registry
    let store = dependencies.registry.store
    for record in try await store.devices(browserID: person.id) {
      if let device = try await registry.device(record) { try await registry.delete(device) }
    }
    try await persons.store.delete(personID: person.id)
    try await registry.removeOrphanedRecordings(persons.workspaces)
  }

  /// `GET /api/audit`.
  private static func audit(_ call: ConsoleCall, _ persons: Persons?) async throws -> Response {
    let log = try call.require(persons).persons.log
    let after = try call.number("after", in: 0...999_999_999) ?? 0
    let last = try call.number("last", in: 1...AuditLog.pageLimit)
    var lines: [UInt8] = []
    for entry in try await log.entries(after: Int64(after), last: last) {
      lines += try JSONCoding.encode(entry, keys: .snakeCase)
      lines.append(UInt8(ascii: "\n"))
    }
    var response = Response.json(noStore: lines)
    response.headers[.contentType] = "application/x-ndjson"
    return response
  }
}

extension ConsoleCall {
  /// Returns the caller and all people; throws `notFound` on a console without people.
  func require(_ persons: Persons?) throws(Problem) -> (person: Person, persons: Persons) {
    guard let person, let persons else { throw .notFound }
    return (person, persons)
  }
}

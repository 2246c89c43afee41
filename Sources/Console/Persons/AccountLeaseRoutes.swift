import Domain
import FoundationEssentials
import HTTPTypes
import JSON
import OpenAPI
import Server
import Team

/// The routes by which people reserve accounts for tests and release them.
enum AccountLeaseRoutes {
  private struct NewLease: Decodable {
    let identifier: String
    let minutes: Int
  }

  private struct LeaseBody: Codable, SchemaProvider {
    let leaseID: String
    let identifier: String
    let person: String
    let until: Timestamp
    let isMine: Bool

    init(_ lease: AccountLeases.Lease, _ person: Person) {
      leaseID = lease.id
      identifier = lease.identifier
      self.person = lease.person
      until = Timestamp(Date(timeIntervalSince1970: lease.until))
      isMine = lease.personID == person.id
    }

    static var schema: Schema { .recorded(from: Self.self).refined(["lease_id": .uuid]) }
  }

  private struct LeaseList: Codable {
    let leases: [LeaseBody]
  }

  static func routes(_ dependencies: Application.Dependencies, _ persons: Persons?) -> [ConsoleRoute] {
    [
      ConsoleRoute(
        .get, "/api/account-leases",
        Operation(
          "accountLeases", tag: "persons", "The accounts that somebody has taken.",
          responses: [.json("Those that end first at first.", LeaseList.self)]),
        codes: [.notFound],
        .browser { call in
          let (person, persons) = try call.require(persons)
          return try .body(LeaseList(leases: try await persons.accounts.all().map { LeaseBody($0, person) }))
        }),
      ConsoleRoute(
        .post, "/api/account-leases",
        Operation(
          "takeAccount", tag: "persons", "Reserves an account, or extends the reservation: only the caller can sign in with it.",
          request: .json(
            .request(NewLease.self).refined(["minutes": .range(1...AccountLeases.minutesLimit)])),
          responses: [.json("It is the caller's.", LeaseBody.self, status: .created)]),
        codes: [.notFound, .invalidIdentifier, .accountTaken, .tooManyAttempts],
        .browser { call in try await reserve(call, dependencies.backend.offer, persons) }),
      ConsoleRoute(
        .delete, "/api/account-leases/{id}",
        Operation(
          "giveBackAccount", tag: "persons", "Gives an account back; an owner also that of others.", responses: [.noContent]),
        codes: [.notFound],
        .browser { call in
          let (person, persons) = try call.require(persons)
          let holder = person.role == .owner ? nil : person.id
          guard try await persons.accounts.release(call.request.parameters["id"] ?? "", personID: holder) else {
            throw Problem.notFound
          }
          return .noContent
        }),
    ]
  }

  /// `POST /api/account-leases`.
  private static func reserve(
    _ call: ConsoleCall, _ offer: BackendOffer, _ persons: Persons?
  ) async throws -> Response {
    let (person, persons) = try call.require(persons)
    let body = try await call.body(NewLease.self)
    let lease = try await persons.accounts.reserve(
      try Identifier(ofAccount: body.identifier, at: offer), person, minutes: body.minutes)
    return try .body(LeaseBody(lease, person), status: .created)
  }
}

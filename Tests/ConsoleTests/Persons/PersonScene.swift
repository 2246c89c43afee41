import Domain
import FoundationEssentials
import HTTPTypes
import Reactor
import Server
import Storage
import Team
import Testing
import Vault

@testable import Console

/// Persons over a database with the console's tables.
struct PersonScene {
  let store: BrowserStore
  let persons: PersonStore
  let storage: any StorageEngine

  /// `olga` is an owner.
  init(_ storage: any StorageEngine, key: SealingKey, wall: @escaping @Sendable () -> Date) throws {
    self.storage = storage
    store = BrowserStore(storage: storage, rows: AccessRows(key: key, logger: nil), onRemoval: Persons.leave, wall: wall)
    persons = PersonStore(proxy: try Self.proxy(), store: store, wall: wall)
  }

  /// Believes the header `X-Person` with the secret.
  static func proxy(owners: [String] = ["olga"]) throws -> PersonProxy {
    PersonProxy(header: try #require(HTTPField.Name("X-Person")), secret: "secret", owners: owners)
  }

  /// What a person sends, with the name in these bytes.
  static func request(_ name: some Collection<UInt8>) throws -> Request {
    let field = HTTPField(name: try #require(HTTPField.Name("X-Person")), value: name)
    return Request(
      method: .post, path: "/api/devices", query: nil,
      headers: HTTPFields([field, HTTPField(name: PersonProxy.secretField, value: "secret")]), body: RequestBody([]),
      peer: try #require(SocketAddress(host: "127.0.0.1", port: 40_000)))
  }

  /// A visit of a person.
  func visit(_ name: String) async throws -> Person { try await persons.person(named: name) }
}

package import FoundationEssentials
import GRDB
import JSON
package import Logging
package import Server
import Storage
import Vault

/// The reference backend: real accounts, sessions and messages in a SQLite database; `GET /swagger.json` describes its API.
package final class ReferenceBackend: Sendable {
  package struct Configuration: Sendable {
    /// The path of the database file, with its key in `<path>.key`; nil for a database in memory.
    package var database: String?
    /// An object that must live until the database file is closed, such as a lock on it.
    package var databaseOwner: (any Sendable)?
    /// The origin of sign-in links, until `setLinkBase(_:)` changes it.
    package var linkBase: String
    package var limits: LimitsMode
    package var registration: RegistrationMode
    /// How answers are spelled.
    package var dialect = BackendDialect.strict
    /// If set, the backend answers from it and knows nothing but sign-in, refresh and logout itself.
    package var recording: Recording?
    /// If set, every call must be signed; needs `apiSecret`.
    package var apiID: String?
    /// The HMAC key of the signatures.
    package var apiSecret: String?
    /// The time of the machine.
    package var wall: @Sendable () -> Date
    /// Receives errors, without secrets.
    package var logger: Logger
    /// Receives audit events, without identifiers and secrets.
    package var auditLogger: Logger

    /// The defaults are those of the embedded backend.
    package init(
      database: String? = nil, linkBase: String = "http://localhost:8080", limits: LimitsMode = .relaxed,
      registration: RegistrationMode = .open, apiID: String? = nil, apiSecret: String? = nil,
      wall: @escaping @Sendable () -> Date = { Date() }, logger: Logger, auditLogger: Logger? = nil
    ) {
      self.database = database
      self.linkBase = linkBase
      self.limits = limits
      self.registration = registration
      self.apiID = apiID
      self.apiSecret = apiSecret
      self.wall = wall
      self.logger = logger
      self.auditLogger = auditLogger ?? Logger(label: AuditLog.label)
    }
  }

  /// The largest body of a call, in bytes.
  package static let bodyLimit = 1_048_576

  /// Identifies the data: a UUID created at the first start, which a reset does not change.
  package let dataID: String
  /// The messages that were sent.
  package let inbox: Inbox
  package let clock: BackendClock

  let services: BackendServices
  private let dispatcher: CallDispatcher

  /// Opens the database; blocks on the disk, so don't call it on an event loop.
  ///
  /// Throws `configuration` if only one of `apiID` and `apiSecret` is set, `database` if the file or its key cannot be used.
  package init(configuration: Configuration) throws(BackendError) {
    let signature = try Self.signature(configuration)
    let database = try BackendDatabase.open(path: configuration.database, owner: configuration.databaseOwner)
    do {
      let sealing = try configuration.database.map { try KeyFile.loadOrCreate(path: $0 + ".key") } ?? .random()
      dataID = try BackendDatabase.dataID(of: database)
      clock = try BackendClock(wall: configuration.wall, database: database)
      let writer = GroupedWriter(database)
      let store = MessageStore(database: database, writer: writer, key: sealing)
      inbox = Inbox(try store.load(now: clock.now))
      services = BackendServices(
        database: database, writer: writer, clock: clock,
        delivery: MessageDelivery(to: inbox, store: store, clock: clock, log: configuration.logger),
        linkBase: LinkBase(configuration.linkBase),
        limits: LimitsSetting(configuration.limits), registration: configuration.registration, dialect: configuration.dialect,
        codeKey: try BackendDatabase.codeKey(of: database, sealing: sealing), log: configuration.logger,
        audit: AuditLog(log: configuration.auditLogger))
      let deletion = AccountDeletion(services: services, inbox: inbox, store: store)
      let now = clock.now
      _ = try database.write { db in try deletion.purge(db, now: now) }
      dispatcher = CallDispatcher(
        services: services, signature: signature, deletion: deletion, routes: Self.routes(configuration, services))
    } catch {
      throw .database(error is VaultError ? "key file: \(error)" : DatabaseFault.description(of: error))
    }
    clock.onAdvance { [deletion = dispatcher.deletion, log = configuration.logger] in
      do { try await deletion.purge() } catch {
        log.error(
          "accounts due for deletion could not be deleted", metadata: ["fault": "\(DatabaseFault.description(of: error))"])
      }
    }
  }

  /// The mode of the rate limits; a new value applies until the process ends or `resetLimits()`.
  package var limits: LimitsMode {
    get { services.limits.mode }
    set { services.limits.mode = newValue }
  }

  /// Restores the configured mode and clears the counters.
  package func resetLimits() async throws(BackendError) {
    services.limits.reset()
    try await write { db in try db.execute(sql: "DELETE FROM login_send") }
  }

  /// Changes the origin of sign-in links, such as `http://localhost:8080`.
  package func setLinkBase(_ origin: String) { services.linkBase.set(origin) }

  /// Deletes accounts, sessions and messages, and resets limits and clock; `dataID` stays.
  package func reset() async throws(BackendError) {
    try await write { [clock] db in
      for table in DatabaseSchema.tablesToReset { try db.execute(sql: "DELETE FROM \(table)") }
      try clock.set(db, offset: 0)
    }
    services.limits.reset()
    inbox.clear()
  }

  /// Answers a request in the backend's dialect; in `strict`, every error has the JSON shape of `BackendErrorBody`.
  package func respond(_ request: Request) async -> Response { await dispatcher.respond(to: request) }

  private func write(_ change: @escaping @Sendable (Database) throws -> Void) async throws(BackendError) {
    do {
      try await services.database.write(change)
    } catch {
      throw .database(DatabaseFault.description(of: error))
    }
  }

  private static func routes(_ configuration: Configuration, _ services: BackendServices) -> any CallRouting {
    if let recording = configuration.recording { return ReplayRoutes(recording, services: services) }
    return Router(BackendRoute.table(services))
  }

  private static func signature(_ configuration: Configuration) throws(BackendError) -> RequestSignature? {
    switch (configuration.apiID, configuration.apiSecret) {
    case (nil, nil): return nil
    case (let apiID?, let secret?) where !apiID.isEmpty && !secret.isEmpty: return RequestSignature(apiID: apiID, secret: secret)
    default: throw .configuration("An API id needs an API secret, and an API secret needs an API id.")
    }
  }
}

extension ReferenceBackend {
  /// What of the backend could grow, with its limits.
  package func bounds() async -> [Bound] {
    let sends = try? await services.database.fetch { db in try SendLimit.counts(db) }
    return [
      Bound("embedded_messages", limit: Inbox.capacity, used: inbox.count),
      Bound("embedded_rate_limit_keys", limit: SendLimit.capacity, used: sends?.total ?? 0),
      Bound("embedded_rate_limit_keys_of_a_client", limit: SendLimit.sendsPerAddress, used: sends?.largestAddress ?? 0),
      Bound("embedded_signatures", limit: SignatureReplayCache.capacity, used: dispatcher.signature?.replays.count ?? 0),
      Bound("embedded_body_bytes", limit: Self.bodyLimit),
    ]
  }
}

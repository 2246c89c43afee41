package import FoundationEssentials
package import Logging
package import Server
package import Storage
package import Vault

/// The reference backend: real accounts, sessions and messages in a database; `GET /swagger.json` describes its API.
package final class ReferenceBackend: Sendable {
  package struct Configuration: Sendable {
    /// The path of the database file, with its key in `<path>.key`; nil for a database in memory.
    package var database: String?
    /// An object that must live until the database file is closed, such as a lock on it.
    package var databaseOwner: (any Sendable)?
    /// The database that several backends share, in place of a file, and the key that seals its secrets.
    package var shared: (storage: any StorageEngine, key: SealingKey)?
    /// The origin of sign-in links, until `setLinkBase(_:)` changes it.
    package var linkBase: String
    package var limits: LimitsMode
    package var registration: RegistrationMode
    /// The form of the responses.
    package var dialect = BackendDialect.strict
    /// If set, the backend responds from it and handles only sign-in, refresh and logout itself.
    package var recording: ReplayedRecording?
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
      self.auditLogger = auditLogger ?? Logger(label: AccountAuditLog.label)
    }
  }

  /// The schema of its tables in a database that other programs use too.
  package static let schema = "understudy_backend"
  /// The tables in a database that several backends share.
  package static let sharedMigrations = DatabaseSchema.migrations + usedSignatures

  /// An earlier version accepted each signature once, and kept them.
  private static let usedSignatures = StorageMigrations([
    .init(
      "signatures",
      script: """
        CREATE TABLE used_signature (signature_key {bytes} PRIMARY KEY, nonce {integer} NOT NULL) {strict by key};
        CREATE INDEX used_signature_by_nonce ON used_signature (nonce);
        """),
    .init("no signatures", script: "DROP TABLE used_signature;"),
  ])

  /// The largest body of a call, in bytes.
  package static let bodyLimit = 1_048_576

  /// Identifies the data: a UUID created at the first start, which a reset does not change.
  package let dataID: String
  /// The messages that were sent.
  package let inbox: Inbox
  package let clock: BackendClock

  let services: BackendServices
  /// Seals the secrets in the database.
  let sealing: SealingKey
  private let dispatcher: CallDispatcher

  /// Opens the database.
  ///
  /// Throws `configuration` if only one of `apiID` and `apiSecret` is set, `database` if the file or its key cannot be used, `foreignKey`
  /// if the other backends of a shared database use another key.
  package init(configuration: Configuration) async throws(BackendStartError) {
    let signing = try Self.signing(configuration)
    do {
      let (storage, sealing) = try await Self.open(configuration)
      let isShared = configuration.shared != nil
      let signature = signing.map { apiID, secret in
        RequestSignature(apiID: apiID, secret: secret)
      }
      dataID = try await BackendDatabase.dataID(of: storage)
      let codeKey = try await BackendDatabase.codeKey(of: storage, sealing: sealing, isShared: isShared)
      let clock = try await BackendClock(wall: configuration.wall, storage: storage)
      let store = MessageStore(storage: storage, key: sealing)
      let messages = try await store.load(now: clock.now)
      inbox = isShared ? Inbox(messages) { try? await store.load(now: clock.now) } : Inbox(messages)
      self.clock = clock
      self.sealing = sealing
      services = BackendServices(
        storage: storage, isShared: isShared, clock: clock,
        delivery: MessageDelivery(to: inbox, store: store, clock: clock, log: configuration.logger),
        linkBase: LinkBase(configuration.linkBase),
        limits: LimitsSetting(configuration.limits), registration: configuration.registration, dialect: configuration.dialect,
        codeKey: codeKey, log: configuration.logger, audit: AccountAuditLog(log: configuration.auditLogger))
      let deletion = AccountDeletion(services: services, inbox: inbox, store: store)
      let now = clock.now
      _ = try await storage.write { transaction in try deletion.purge(transaction, now: now) }
      dispatcher = CallDispatcher(
        services: services, signature: signature, deletion: deletion, routes: Self.routes(configuration, services))
    } catch let error as BackendStartError {
      throw error
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

  /// The mode of the rate limits.
  package var limits: LimitsMode { services.limits.mode }

  /// Sets the mode of the rate limits until the process ends or `resetLimits()`; for all backends of a shared database, until the latter.
  package func setLimits(_ mode: LimitsMode) async throws(BackendStartError) {
    if services.isShared { try await write { try StoredValue.limitsMode.set($0, to: mode.rawValue) } }
    services.limits.mode = mode
  }

  /// Restores the configured mode and clears the counters.
  package func resetLimits() async throws(BackendStartError) {
    services.limits.reset()
    try await write { [services] transaction in
      if services.isShared { try StoredValue.limitsMode.set(transaction, to: "") }
      try transaction.execute("DELETE FROM login_send")
    }
  }

  /// Changes the origin of sign-in links, such as `http://localhost:8080`.
  package func setLinkBase(_ origin: String) { services.linkBase.set(origin) }

  /// Deletes accounts, sessions and messages, and resets limits and clock; `dataID` stays.
  package func reset() async throws(BackendStartError) {
    let time = try await write { [services] transaction in
      for table in DatabaseSchema.tablesToReset { try transaction.execute("DELETE FROM \(table)") }
      if services.isShared { try StoredValue.limitsMode.set(transaction, to: "") }
      return try BackendClock.Setting(transaction).changed(transaction, offset: 0)
    }
    clock.keep(time)
    services.limits.reset()
    inbox.clear()
  }

  /// Answers a request in the backend's dialect; in `strict`, every error has the JSON shape of `BackendErrorBody`.
  package func respond(_ request: Request) async -> Response { await dispatcher.respond(to: request) }

  @discardableResult
  private func write<Value: Sendable>(
    _ change: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws(BackendStartError) -> Value {
    do { return try await services.storage.write(change) } catch { throw .database(DatabaseFault.description(of: error)) }
  }

  /// The database with its tables, and the key that seals its secrets.
  private static func open(_ configuration: Configuration) async throws -> (any StorageEngine, SealingKey) {
    if let shared = configuration.shared {
      try await sharedMigrations.migrate(shared.storage)
      return shared
    }
    let storage = try await BackendDatabase.open(path: configuration.database, owner: configuration.databaseOwner)
    return (storage, try configuration.database.map { try KeyFile.loadOrCreate(path: $0 + ".key") } ?? .random())
  }

  private static func routes(_ configuration: Configuration, _ services: BackendServices) -> any CallRouting {
    if let recording = configuration.recording { return RecordedRoutes(recording, services: services) }
    return Router(BackendRoute.table(services))
  }

  private static func signing(_ configuration: Configuration) throws(BackendStartError) -> (apiID: String, secret: String)? {
    switch (configuration.apiID, configuration.apiSecret) {
    case (nil, nil): return nil
    case (let apiID?, let secret?) where !apiID.isEmpty && !secret.isEmpty: return (apiID, secret)
    default: throw .configuration("An API id needs an API secret, and an API secret needs an API id.")
    }
  }
}

extension ReferenceBackend {
  /// The sizes of the backend's growing data, with their limits.
  package func bounds() async -> [Bound] {
    let sends = try? await services.storage.read { transaction in try SendLimit.counts(transaction) }
    return [
      Bound("embedded_messages", limit: Inbox.capacity, used: inbox.count),
      Bound("embedded_rate_limit_keys", limit: SendLimit.capacity, used: sends?.total ?? 0),
      Bound("embedded_rate_limit_keys_of_a_client", limit: SendLimit.sendsPerAddress, used: sends?.largestAddress ?? 0),
      Bound("embedded_body_bytes", limit: Self.bodyLimit),
    ]
  }
}

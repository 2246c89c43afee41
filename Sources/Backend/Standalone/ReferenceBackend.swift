package import FoundationEssentials
import GRDB
import HTTPTypes
import JSON
package import Logging
import RPC
import Reactor
package import Server
import Vault

/// The backend that the console brings along: real accounts, sessions and messages in a SQLite database, told of by contract §3.
package final class ReferenceBackend: Sendable {
  /// What a backend is made of.
  package struct Configuration: Sendable {
    /// The path of its database file, beside which `<path>.key` is kept; nil for one in memory.
    package var database: String?
    /// What must live until the database file is closed, such as a lock on it.
    package var databaseOwner: (any Sendable)?
    /// The origin that links lead to, until `setLinkBase(_:)`.
    package var linkBase: String
    /// How often messages may be sent.
    package var limits: LimitsMode
    /// Who may sign in.
    package var registration: RegistrationMode
    /// With `apiSecret`: every call must be signed.
    package var apiID: String?
    /// The key of the signatures.
    package var apiSecret: String?
    /// The machine's wall clock.
    package var wall: @Sendable () -> Date
    /// Where events go, without secrets.
    package var logger: Logger
    /// Where what happens to accounts and sessions is written, without identifiers and secrets.
    package var auditLogger: Logger

    /// The embedded backend's defaults.
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

  /// The stable id of its data, a UUID made at first run; a reset keeps it.
  package let dataID: String
  /// The messages that it sent.
  package let inbox: Inbox
  /// Its clock.
  package let clock: BackendClock

  let services: BackendServices
  private let deletion: AccountDeletion
  private let routes: Router<BackendRoute>
  let signature: RequestSignature?

  /// Opens the data; blocks on the disk, so it is made at start and not on a loop.
  ///
  /// Throws `configuration` for half a signing credential, `database` where the file or its key cannot be used.
  package init(configuration: Configuration) throws(BackendError) {
    signature = try Self.signature(configuration)
    let database = try BackendDatabase.open(path: configuration.database, owner: configuration.databaseOwner)
    do {
      let sealing = try configuration.database.map { try KeyFile.loadOrCreate(path: $0 + ".key") } ?? .random()
      dataID = try BackendDatabase.dataID(of: database)
      clock = try BackendClock(wall: configuration.wall, database: database)
      let store = MessageStore(database: database, key: sealing)
      inbox = Inbox(try store.load(now: clock.now))
      services = BackendServices(
        database: database, clock: clock,
        delivery: MessageDelivery(to: inbox, store: store, clock: clock, log: configuration.logger),
        linkBase: LinkBase(configuration.linkBase),
        limits: LimitsSetting(configuration.limits), registration: configuration.registration,
        codeKey: try BackendDatabase.codeKey(of: database, sealing: sealing), log: configuration.logger,
        audit: AuditLog(log: configuration.auditLogger))
      let deletion = AccountDeletion(services: services, inbox: inbox, store: store)
      let now = clock.now
      _ = try database.write { db in try deletion.purge(db, now: now) }
      self.deletion = deletion
    } catch {
      throw .database(error is VaultError ? "key file: \(error)" : DatabaseFault.text(error))
    }
    routes = Router(BackendRoute.table(services))
    clock.follow { [deletion, log = configuration.logger] in
      do { try await deletion.purge() } catch {
        log.error("accounts not deleted yet", metadata: ["fault": "\(DatabaseFault.text(error))"])
      }
    }
  }

  /// How often messages may be sent; setting it holds until the process ends or `resetLimits()`.
  package var limits: LimitsMode {
    get { services.limits.mode }
    set { services.limits.mode = newValue }
  }

  /// Goes back to the configured mode and forgets what was counted.
  package func resetLimits() async throws(BackendError) {
    services.limits.reset()
    try await write { db in try db.execute(sql: "DELETE FROM login_send") }
  }

  /// Makes links lead to another origin, such as `http://localhost:8080`.
  package func setLinkBase(_ origin: String) { services.linkBase.set(origin) }

  /// Forgets accounts, sessions, messages, limits and the clock's offset; the data keeps its id.
  package func reset() async throws(BackendError) {
    try await write { [clock] db in
      for table in Schema.emptied { try db.execute(sql: "DELETE FROM \(table)") }
      try clock.set(db, offset: 0)
    }
    services.limits.reset()
    inbox.clear()
  }

  /// Answers one call; every failure has the contract's shape.
  package func respond(_ request: Request) async -> Response {
    let head = CallHead(method: request.method, path: request.path, query: request.query, fields: request.headers)
    do {
      let answer = try await answer(to: head, body: request.body, client: request.peer.client.host)
      services.audit.record(answer.events)
      return answer.response(to: head)
    } catch let failure as BackendFailure {
      return failure.response(to: head)
    } catch {
      let failure = DatabaseFault.isPassing(error) ? BackendFailure.unavailable : .internal
      services.log.error(
        "call failed", metadata: ["request_id": "\(head.requestID)", "fault": "\(DatabaseFault.text(error))"])
      return failure.response(to: head)
    }
  }

  private func answer(to head: CallHead, body: RequestBody, client: String) async throws -> Answer {
    let route = try routes.route(of: head)
    let bytes = try await Self.collect(body)
    if head.path != BackendRoute.swaggerPath { try signature?.check(head, body: bytes, real: clock.real) }
    if route.method == .post { try Self.checkMediaType(head, body: bytes) }
    var call = Call(request: head, body: bytes, now: clock.now, client: client)
    // Time passes without anybody advancing the clock: who is due goes before anybody looks.
    if route.usesData { try await deletion.purge() }
    switch route.access {
    case .open, .keyed: break
    case .device: _ = try call.requiredDeviceID()
    case .session: call.session = try await session(of: call)
    }
    return try await route.handler(call)
  }

  private func session(of call: Call) async throws -> Session {
    guard let token = call.request.bearerToken else { throw BackendFailure.invalidToken }
    return try await services.database.read { db in
      try Session.authorize(db, accessToken: token, deviceID: call.request.deviceID, now: call.now)
    }
  }

  private static func collect(_ body: RequestBody) async throws(BackendFailure) -> [UInt8] {
    do {
      return try await body.collect(upTo: bodyLimit)
    } catch {
      switch error {
      case .tooLarge: throw .payloadTooLarge
      case .overBudget: throw .unavailable
      case .disconnected, .malformed, .timedOut: throw .invalidRequest("The body did not arrive whole.")
      }
    }
  }

  /// A body must say that it is JSON; only a call that takes nothing may leave out both.
  private static func checkMediaType(_ head: CallHead, body: [UInt8]) throws(BackendFailure) {
    guard !body.isEmpty || head.fields[.contentType] != nil else { return }
    guard head.isJSON else { throw .unsupportedMediaType }
    guard !body.isEmpty else { return }
    // Looked at before the session: a call that takes nothing takes an object all the same.
    do throws(JSONError) {
      let document = try JSONDocument(parsing: body)
      guard document.root.kind == .object else { throw JSONError(.unexpectedValue, at: 0) }
    } catch {
      throw .invalidRequest("The body is not what the call takes: \(error.reason).")
    }
  }

  private func write(_ change: @escaping @Sendable (Database) throws -> Void) async throws(BackendError) {
    do {
      try await services.database.write(change)
    } catch {
      throw .database(DatabaseFault.text(error))
    }
  }

  private static func signature(_ configuration: Configuration) throws(BackendError) -> RequestSignature? {
    switch (configuration.apiID, configuration.apiSecret) {
    case (nil, nil): return nil
    case (let apiID?, let secret?) where !apiID.isEmpty && !secret.isEmpty: return RequestSignature(apiID: apiID, secret: secret)
    default: throw .configuration("An API id needs its secret, and a secret its id.")
    }
  }
}

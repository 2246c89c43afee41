import Client
import Console
import Domain
import Foundation
import HTTPTypes
import JSON
import Logging
import Reactor
import Server
import Storage
import Support
import Locking
import Vault
import Team

/// A console in memory with all its routes, whose devices call a scripted backend; back-off delays are skipped.
final class ConsoleHarness: Sendable {
  let backend = AccountBackend()
  let application: Application
  let registry: DeviceRegistry
  let persons: Persons?
  let storage: SQLiteStorage
  /// Where logs and timelines are saved: in memory.
  let savedLog: SavedLogStore
  private let folder: TemporaryFolder
  private let shift = Shift()
  private let peer: SocketAddress

  static let silent = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

  /// A console with its database in memory or at a path; `awakeLimit` of its devices can be awake at a time. Without `drift`,
  /// nothing is compared with a document.
  convenience init(
    logger: Logger = ConsoleHarness.silent, databasePath: String? = nil, awakeLimit: Int = DeviceRegistry.awakeLimit,
    drift: DriftDetector? = nil, proxy: PersonProxy? = nil, savedLog: SavedLogStore? = nil,
    earlierFault: EarlierFault = EarlierFault(note: nil), file: ActiveBackendFile? = nil
  ) async throws {
    try self.init(
      storage: try await ConsoleDatabase.open(path: databasePath, teamTables: PersonSchema.tables), logger: logger,
      awakeLimit: awakeLimit, drift: drift,
      proxy: proxy, savedLog: savedLog, earlierFault: earlierFault, file: file)
  }

  /// A console on a database, which need not have tables if only its routes are asked for.
  init(
    storage: SQLiteStorage, logger: Logger = ConsoleHarness.silent, awakeLimit: Int = DeviceRegistry.awakeLimit,
    drift: DriftDetector? = nil, proxy: PersonProxy? = nil, savedLog: SavedLogStore? = nil,
    earlierFault: EarlierFault = EarlierFault(note: nil), file: ActiveBackendFile? = nil
  ) throws {
    self.storage = storage
    folder = try TemporaryFolder()
    guard let peer = SocketAddress(host: "127.0.0.1", port: 40_000) else { throw CancellationError() }
    self.peer = peer
    let link = BackendLink(origin: AccountBackend.origin, id: "backend", linkHosts: ["backend.test"], embedded: nil, file: file)
    let home = Origin(scheme: "http", host: "localhost", port: 8080)
    let shift = shift
    var time = Time.system
    time.monotonic = { ContinuousClock.now + shift.passed }
    // Back-off is skipped; longer sleeps are deadlines and stay.
    time.sleep = { instant in
      let rest = instant - (ContinuousClock.now + shift.passed)
      if rest > .milliseconds(9500) {
        await untilCancelled()
        throw CancellationError()
      }
    }
    self.savedLog = try savedLog ?? .inMemory()
    registry = DeviceRegistry(
      dependencies: .init(
        storage: storage, key: .random(), tagKey: [1, 2, 3], backend: link, transport: backend.transport, apiID: nil,
        apiSecret: nil, version: "1", time: time, logger: logger, drift: drift,
        savedLog: SavedLogWriter(store: self.savedLog, time: time, logger: logger), onRemoval: Persons.leave,
        knowsPersons: proxy != nil), limit: awakeLimit
    )
    let cookie = BrowserCookie(home: home, key: [1, 2, 3])
    let registry = registry
    let wall = time.wall
    persons = proxy.map { Persons(proxy: $0, registry: registry, backendID: link.id, wall: wall) }
    let dependencies = Application.Dependencies(
      registry: registry, gate: Gate(home: home, listeningPort: 8080, publicOrigins: [], isBehindProxy: false),
      access: AccessControl(token: nil, cookie: cookie, localUsers: proxy == nil ? .everybody(owners: []) : .none),
      cookie: cookie, files: try StaticFiles(root: folder.path, logger: logger), backend: link, isLocal: true, metrics: { [] },
      version: "1", time: time, logger: logger, accessPolicy: persons ?? SingleUserAccess(), proxy: proxy,
      earlierFault: earlierFault)
    application = Application(dependencies: dependencies, teamRoutes: PersonRoutes.routes(dependencies, persons))
  }

  /// How far the devices' monotonic clock is ahead.
  private final class Shift: Sendable {
    private let ahead = Locked(Duration.zero)
    var passed: Duration { ahead.withLock { $0 } }
    func add(_ duration: Duration) { ahead.withLock { $0 += duration } }
  }

  /// Advances the devices' clock, so that a client that considers the backend offline tries again.
  func pass(_ duration: Duration = .seconds(10)) { shift.add(duration) }

  /// An answer with its JSON.
  struct Answer: Sendable {
    let status: Int
    let headers: HTTPFields
    let body: [UInt8]
    let json: JSONNode?
    var code: String? { json?["code"]?.string }
  }

  /// A browser's cookie and the key of its device.
  struct Caller: Sendable {
    var cookie = ""
    var key = ""
    /// What else the request carries.
    var fields: [(name: String, value: String)] = []
  }

  /// Creates a browser with a device.
  func caller() async throws -> Caller {
    let answer = await call(.post, "/api/devices", "{}", as: Caller())
    let cookie = answer.headers[.setCookie]?.split(separator: ";").first.map(String.init) ?? ""
    return Caller(cookie: cookie, key: answer.json?["device_key"]?.string ?? "")
  }

  /// Creates a browser with a device on which somebody is signed in.
  func signedIn() async throws -> Caller {
    var caller = try await caller()
    let answer = await call(
      .post, "/api/login/code/verify", #"{"identifier":"dana@example.com","code":"123456"}"#, as: caller)
    guard answer.status == 200 else { throw Failure(answer: answer) }
    if let cookie = answer.headers[.setCookie]?.split(separator: ";").first.map(String.init) { caller.cookie = cookie }
    return caller
  }

  /// An answer with which a test cannot continue.
  struct Failure: Error {
    let answer: Answer
  }

  /// Sends a call through gate, router and handler.
  func call(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, as caller: Caller) async -> Answer {
    var headers = HTTPFields()
    func add(_ name: String, _ value: String) {
      if let name = HTTPField.Name(name) { headers.append(HTTPField(name: name, value: value)) }
    }
    add("Host", "localhost:8080")
    if !caller.cookie.isEmpty { add("Cookie", caller.cookie) }
    if !caller.key.isEmpty { add("X-Device-Key", caller.key) }
    if body != nil { add("Content-Type", "application/json") }
    for field in caller.fields { add(field.name, field.value) }
    let parts = path.split(separator: "?", maxSplits: 1)
    let request = Request(
      method: method, path: String(parts[0]), query: parts.count > 1 ? String(parts[1]) : nil, headers: headers,
      body: RequestBody(Array((body ?? "").utf8)), peer: peer)
    let response = await application.respond(request)
    var bytes: [UInt8] = []
    if case .bytes(let sent) = response.body { bytes = sent }
    DescriptionCheck.hold(response, of: method, body: bytes)
    return Answer(
      status: response.status.code, headers: response.headers, body: bytes, json: (try? JSONDocument(parsing: bytes))?.root)
  }

  /// The device's timeline, oldest first.
  func timeline(_ caller: Caller) async -> [JSONNode] {
    await call(.get, "/api/timeline", as: caller).json?["entries"]?.elements ?? []
  }
}

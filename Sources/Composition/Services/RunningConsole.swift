import Backend
import Client
package import Console
import Domain
import Foundation
import HTTPTypes
import Logging
import Reactor
import Redaction
import Server
import Storage
import Vault

/// A listening console and its parts.
package final class RunningConsole: Sendable {
  /// The origin in the ready line.
  package let home: Origin
  /// The port that it listens on, which differs from the origin's in a container.
  package let listeningPort: UInt16
  /// The backend's name in the ready line.
  package let backendName: String
  /// The token that a browser must present once; nil if the owner's browsers are recognized without it.
  package let accessToken: String?
  /// The application that handles requests.
  package let application: Application

  private let folder: DataFolder?
  private let closeFiles: @Sendable () async -> Void
  private let backend: BackendDependencies
  private let registry: DeviceRegistry
  private let drainDelay: Duration
  private let server: HTTPServer
  private let relay: Task<Void, Never>?
  /// Fetches the OpenAPI document; nil if there is nothing to fetch.
  private let documentFetch: Task<Void, Never>?
  /// Deletes expired data.
  private let retention: Task<Void, Never>
  /// Reloads the certificate; nil without TLS.
  package let certificateReload: CertificateReload?
  /// Reloads the backend's pins; nil without a pin file.
  package var pinReload: PinReload? { backend.pinReload }

  private init(
    home: Origin, listeningPort: UInt16, accessToken: String?, application: Application, folder: DataFolder?,
    closeFiles: @escaping @Sendable () async -> Void, backend: BackendDependencies, registry: DeviceRegistry,
    drainDelay: Duration,
    server: HTTPServer, certificateReload: CertificateReload?, documentFetch: Task<Void, Never>?, retention: Task<Void, Never>
  ) {
    (self.documentFetch, self.retention) = (documentFetch, retention)
    self.home = home
    self.listeningPort = listeningPort
    self.accessToken = accessToken
    self.application = application
    self.folder = folder
    self.closeFiles = closeFiles
    self.backend = backend
    self.registry = registry
    self.drainDelay = drainDelay
    self.server = server
    self.certificateReload = certificateReload
    backendName = backend.embedded == nil ? backend.link.origin : "embedded"
    relay = backend.link.embedded.map { embedded in
      Task { await InboxRelay(registry: registry, embedded: embedded).run() }
    }
  }

  /// Opens the data, starts or connects to the backend, and listens; throws `StartFailure`.
  static func start(_ settings: ServeSettings, logger: Logger) async throws(StartFailure) -> RunningConsole {
    let folder: DataFolder? = if let path = settings.dataFolder { try DataFolder(path: path) } else { nil }
    try folder?.lockDatabase("console.sqlite")
    try folder?.lockDatabase("evidence.sqlite")
    let earlierFault = EarlierFault(note: folder.flatMap { CrashNote.report(in: $0, logger: logger) }) {
      if let folder { CrashNote.remove(from: folder) }
    }
    // A console whose key is gone goes on with a new one, and signs everybody out.
    let foreignKey = settings.vaultKey.isMissing ? nil : settings.vaultKey.foreignKey
    let old = try settings.vaultKey.loadOld()
    let (key, newKeyFile) = try settings.vaultKey.load()
    let storage: any StorageEngine = if let shared = settings.database { shared } else { try await openStorage(folder, logger) }
    let epoch = folder.map { DataEpoch(folder: $0.path, key: key, old: old) }
    var shared: SharedDatabase?
    if let database = settings.database {
      shared = try await .open(database, key: key, old: old, settings.redactionRules, logger: logger)
    }
    let tagKey = if let shared { shared.tagKey } else { try await vault(key, old, epoch, storage, folder, foreignKey, logger) }
    if let newKeyFile { try settings.vaultKey.keep(newKeyFile, logger: logger) }
    let files: StaticFiles
    do { files = try ConsolePages.files(folder: settings.publicFolder, logger: logger) } catch {
      switch error {
      case .noRoot(let path): throw .inputMissing("--public: \(path) cannot be read")
      case .invalidFile(let reason): throw .inputMissing("--public: \(reason)")
      }
    }
    // Listens before the backend starts, since links contain the port that the system chose. Early requests wait: a socket from
    // systemd may deliver complete ones from before the start.
    let startedApplication = Promise<Application?>()
    let tls = try tlsContext(settings)
    let (server, port) = try await listen(settings, tls, startedApplication, logger: logger)
    do throws(StartFailure) {
      let home = home(settings, port: port)
      let backend =
        if let remote = settings.remote { try BackendDependencies.remote(remote, settings, logger: logger) } else {
          try await BackendDependencies.embedded(settings, home: home, folder: folder, logger: logger)
        }
      backend.embedded?.backend.setLinkBase(home.text)
      let drift = DriftStart(settings.openAPI, backend: backend, rules: settings.redactionRules, logger: logger)
      let evidence =
        if let shared { shared.evidence } else { try await evidence(folder, tagKey, storage, settings.redactionRules, logger) }
      let registry = DeviceRegistry(
        dependencies: .init(
          storage: storage, key: key, cacheFolder: folder?.file("cache"), tagKey: tagKey, backend: backend.link,
          transport: backend.transport.transport, apiID: backend.signingKey?.id, apiSecret: backend.signingKey?.secret,
          version: Version.text,
          time: .system, logger: logger, drift: drift.detector, evidence: evidence,
          leases: shared?.leases, knowsPersons: settings.persons != nil, redactionRules: settings.redactionRules,
          backoff: Backoff(first: .milliseconds(settings.retryPause))),
        idleLimit: .seconds(settings.deviceIdle))
      do { try await registry.startCheckingLeases() } catch { throw StartFailure.unavailable("--database: it cannot be reached") }
      let retention = Retention(registry: registry, knowsPersons: settings.persons != nil, time: .system, logger: logger)
      if settings.persons != nil { await retention.remove() }
      let access = ConsoleAccess(settings)
      let cookie = BrowserCookie(home: home, key: tagKey)
      let guesses = GuessLimit()
      let application = Application(
        dependencies: .init(
          registry: registry,
          gate: Gate(
            home: home, listeningPort: port, publicOrigins: settings.publicOrigin, isBehindProxy: settings.isBehindProxy),
          access: AccessControl(token: access.token, cookie: cookie, localUsers: access.localUsers), cookie: cookie, files: files,
          backend: backend.link,
          isLocal: settings.isLocal,
          metrics: { await metrics(server, registry, backend, guesses, drift.detector) }, version: Version.text, time: .system,
          logger: logger,
          guesses: guesses,
          persons: settings.persons.map { PersonStore(proxy: $0, store: registry.store, wall: Time.system.wall) },
          earlierFault: earlierFault))
      startedApplication.fulfill(application)
      return RunningConsole(
        home: home, listeningPort: port, accessToken: access.isTokenNeeded ? access.token : nil, application: application,
        folder: folder,
        closeFiles: {
          do { try await epoch?.end(storage) } catch { logger.warning("the data folder's epoch could not be written") }
          guard folder != nil else { return }
          await storage.close()
          await evidence?.closeFile()
        }, backend: backend, registry: registry, drainDelay: .seconds(settings.drainDelay ?? (settings.database == nil ? 0 : 2)),
        server: server,
        certificateReload: reload(settings, tls, logger), documentFetch: drift.run(), retention: Task { await retention.run() })
    } catch {
      startedApplication.fulfill(nil)
      await server.stop(within: .zero)
      throw error
    }
  }

  /// Stops in order: accepts no new requests, finishes open ones within the limit, then stops devices, client and backend.
  package func stop(within limit: Duration) async {
    relay?.cancel()
    documentFetch?.cancel()
    retention.cancel()
    await registry.drain(for: drainDelay)
    // Streams end first, since a stream would keep the server busy for the whole limit.
    async let devices: Void = registry.stop()
    await server.stop(within: limit)
    await devices
    await backend.transport.shutdown()
    await backend.embedded?.listener.stop(within: .seconds(1))
    await closeFiles()
  }

  /// The metrics of server, clients and limits, as Prometheus text.
  private static func metrics(
    _ server: HTTPServer, _ registry: DeviceRegistry, _ backend: BackendDependencies, _ guesses: GuessLimit,
    _ drift: DriftDetector
  ) async -> [UInt8] {
    var bounds = server.bounds + (await registry.bounds())
    bounds += guesses.bounds(at: .now) + drift.bounds
    if let embedded = backend.embedded { bounds += await embedded.backend.bounds() }
    return server.metrics.prometheusText() + registry.metrics.prometheusText() + drift.prometheusText()
      + Bound.prometheusText(bounds)
  }

  private static func listen(
    _ settings: ServeSettings, _ tls: TLSContext?, _ application: Promise<Application?>, logger: Logger
  ) async throws(StartFailure) -> (HTTPServer, UInt16) {
    var addresses = settings.addresses
    while true {
      var configuration = HTTPServer.Configuration(addresses: addresses.map { ($0, settings.port) })
      configuration.loops = settings.loops ?? max(1, min(64, ProcessInfo.processInfo.activeProcessorCount))
      configuration.tls = tls
      configuration.inheritedSockets = settings.inheritedSockets
      configuration.accessLog = settings.accessLog ? Logger(label: ProgramOutput.accessLogLabel) : nil
      // A proxy connects for all clients from its own address, and names them.
      configuration.limits.isBehindProxy = settings.isBehindProxy
      configuration.limits.streamedPaths = Application.streamedPaths
      // Behind a proxy, requests are counted by client; sockets from systemd may or may not be encrypted.
      if !settings.isBehindProxy, settings.inheritedSockets.isEmpty {
        let isTLS = tls != nil
        configuration.inlineResponder = { view, instant in
          guard case let application?? = application.current else { return nil }
          return application.readyResponse(to: view, isTLS: isTLS, at: instant)
        }
      }
      configuration.responseHeaders = SecurityHeaders.fields
      configuration.refusal = { RefusedPage.refusal($0) }
      let server = HTTPServer(configuration: configuration, logger: logger) { request in
        guard let application = await application.value else { return .text("Not started\n", status: .serviceUnavailable) }
        return await application.respond(request)
      }
      do {
        let bound = try await server.start()
        let port = bound.first?.port ?? 0
        return (server, port == 0 ? settings.port : port)
      } catch {
        // A machine without IPv6 still has a localhost.
        if addresses.count > 1, case .listen(.addressUnavailable) = error {
          addresses.removeLast()
          continue
        }
        if case .listen(.addressInUse) = error { throw .unavailable("--port: \(settings.port) is in use") }
        throw .unavailable(
          "--host, --port: \(addresses.joined(separator: ", ")) port \(settings.port) is not an address of this machine, or not allowed"
        )
      }
    }
  }

  private static func tlsContext(_ settings: ServeSettings) throws(StartFailure) -> TLSContext? {
    guard let files = settings.tls else { return nil }
    do { return try TLSContext([files.certificate]) } catch {
      throw .configuration("--tls-certificate: the certificate does not match the key or is invalid")
    }
  }

  private static func reload(_ settings: ServeSettings, _ tls: TLSContext?, _ logger: Logger) -> CertificateReload? {
    guard let files = settings.tls, let tls else { return nil }
    return CertificateReload(context: tls, files: files, logger: logger)
  }

  private static func home(_ settings: ServeSettings, port: UInt16) -> Origin {
    // Consoles that share a database share its browsers' cookies, whose name contains the port.
    if settings.database != nil, let origin = settings.publicOrigin.first { return origin }
    if let origin = settings.publicOrigin.first(where: { !$0.isLoopback }) { return origin }
    if !settings.isLoopback, let origin = settings.publicOrigin.first { return origin }
    let host = settings.addresses.count == 1 && settings.addresses != ["127.0.0.1"] ? settings.addresses[0] : "localhost"
    return Origin(
      scheme: settings.tls == nil ? "http" : "https", host: host == "::1" ? "localhost" : host, port: port)
  }

  private static func openStorage(_ folder: DataFolder?, _ logger: Logger) async throws(StartFailure) -> any StorageEngine {
    for name in ["console.sqlite", "evidence.sqlite"] {
      guard let path = folder?.file(name), WriteAheadLog.isDamaged(of: path) else { continue }
      logger.warning("\(name)-wal is damaged; what was written to \(name) since its last checkpoint is lost")
    }
    do { return try await ConsoleDatabase.open(path: folder?.file("console.sqlite"), owner: folder) } catch {
      throw .inputMissing("--data: console.sqlite cannot be opened; move it away to start fresh")
    }
  }

  /// Opens the file of logs and timelines, and deletes the data of deleted devices; nil if nothing is kept on disk.
  private static func evidence(
    _ folder: DataFolder?, _ tagKey: [UInt8], _ storage: any StorageEngine, _ rules: RedactionRules, _ logger: Logger
  ) async throws(StartFailure) -> EvidenceWriter? {
    guard let folder, let key = EvidenceStore.key(tagKey: tagKey) else { return nil }
    let path = folder.file("evidence.sqlite")
    do {
      let store = EvidenceStore(
        storage: try await EvidenceSchema.open(path: path, owner: folder), key: key, redactionRules: rules)
      try await store.removeAll(but: BrowserStore.deviceIDs(in: storage))
      try await store.removeIncompleteRecordings()
      return EvidenceWriter(store: store, time: .system, logger: logger)
    } catch {
      throw .inputMissing("--data: evidence.sqlite cannot be opened; move it away to start with empty logs")
    }
  }

  /// Re-encrypts the data with the new key, begins a new epoch, and returns the key of the tags that replace identifiers; throws
  /// `foreignKey` if another key sealed the data.
  private static func vault(
    _ key: SealingKey, _ old: SealingKey?, _ epoch: DataEpoch?, _ storage: any StorageEngine, _ folder: DataFolder?,
    _ foreignKey: StartFailure?, _ logger: Logger
  ) async throws(StartFailure) -> [UInt8] {
    let cache = folder?.file("cache")
    do {
      if let old {
        let count = try await KeyRotation.reseal(storage, from: old, to: key)
        // The cache can be fetched again, and the old key may be compromised.
        if count > 0, let cache { try? FileManager.default.removeItem(atPath: cache) }
        logger.notice("re-encrypted with the new key what the old one had encrypted", metadata: ["count": "\(count)"])
      }
      // With the right key, which opens the epoch too, the row alone is damaged.
      if let foreignKey, epoch?.isReadable != true,
        case .foreign = try await KeyRotation.storedTagKey(storage, key: key)
      {
        throw foreignKey
      }
      let tagKey = try await KeyRotation.tagKey(storage, key: key, mayBeUnsigned: epoch?.isKept != true) {
        logger.warning("console.sqlite does not belong to this vault key; its encrypted data is discarded")
        if let cache { try? FileManager.default.removeItem(atPath: cache) }
      }
      switch try await epoch?.begin(storage) {
      case .copied:
        logger.notice("the data folder, or part of it, was restored from a copy; the backend is asked about each session")
      case .databaseBehind:
        logger.notice(
          "console.sqlite lacks its latest changes: it was restored from a copy, or console.sqlite-wal was lost or damaged; the backend is asked about each session"
        )
      case .continued, nil: break
      }
      return tagKey
    } catch let failure as StartFailure {
      throw failure
    } catch {
      throw .inputMissing("--data: console.sqlite cannot be written")
    }
  }
}

import Backend
import Client
package import Console
import Domain
import Foundation
import HTTPTypes
import Logging
import Reactor
import Server
import Team

/// A listening console and its parts.
package final class RunningConsole: Sendable {
  /// The origin in the ready line.
  package let home: Origin
  /// The port that it listens on, which differs from the origin's in a container.
  package let listeningPort: UInt16
  /// The backend's name in the ready line.
  package var backendName: String { backend.embedded == nil ? backend.link.origin : "embedded" }
  /// The generated token that a browser must present once; nil if the owner's browsers need none, or an operator's file has it.
  package let accessToken: String?
  /// The address of the console that used the data folder before; nil for new data, and without a data folder.
  let earlierHome: Origin?
  /// The address of its pages, with the access token if it was generated.
  var page: String { home.text + (accessToken.map { "/#access=\($0)" } ?? "") }
  /// The application that handles requests.
  package let application: Application
  /// Reloads the certificate; nil without TLS.
  package let certificateReload: CertificateReload?
  /// Reloads the backend's pins; nil without a pin file.
  package var pinReload: PinReload? { backend.pinReload }

  private let data: ConsoleData
  private let backend: BackendDependencies
  private let registry: DeviceRegistry
  private let server: HTTPServer
  private let drainDelay: Duration
  /// Background tasks that run until the console stops.
  private let tasks: [Task<Void, Never>]

  private init(
    home: Origin, listeningPort: UInt16, accessToken: String?, earlierHome: Origin?, application: Application,
    certificateReload: CertificateReload?,
    data: ConsoleData, backend: BackendDependencies, registry: DeviceRegistry, server: HTTPServer, drainDelay: Duration,
    tasks: [Task<Void, Never>]
  ) {
    self.home = home
    self.listeningPort = listeningPort
    self.accessToken = accessToken
    self.earlierHome = earlierHome
    self.application = application
    self.certificateReload = certificateReload
    self.data = data
    self.backend = backend
    self.registry = registry
    self.server = server
    self.drainDelay = drainDelay
    self.tasks = tasks
  }

  /// Opens the data, starts or connects to the backend, and listens; throws `StartFailure`.
  ///
  /// - Parameter locked: The data folder, if it is locked already.
  static func start(
    _ settings: ServeSettings, in locked: DataFolder? = nil, logger: Logger
  ) async throws(StartFailure) -> RunningConsole {
    var folder = locked
    if folder == nil, let path = settings.dataFolder { folder = try ConsoleData.lock(path) }
    let address = folder.map { AddressFile(folder: $0.path) }
    let earlierHome = address?.read()?.origin
    let earlierFault = CrashNote.earlierFault(in: folder, logger: logger)
    let data = try await ConsoleData.open(settings, in: folder, logger: logger)
    let files = try pages(settings, logger)
    let tls = try tlsContext(settings)
    // Listens before the backend starts, because links contain the port that the system chose. Early requests wait: a socket from
    // systemd may deliver complete ones from before the start.
    let started = Promise<Application?>()
    let (server, port) = try await listen(settings, tls, started, logger)
    do throws(StartFailure) {
      let home = home(settings, port: port)
      let backend = try await BackendDependencies.start(settings, home: home, folder: folder, logger: logger)
      let drift = DriftStart(settings.openAPI, backend: backend, rules: settings.redactionRules, logger: logger)
      let registry = try await registry(settings, data, backend, drift.detector, logger)
      let persons = settings.persons.map {
        Persons(proxy: $0, registry: registry, backendID: backend.link.id, wall: Time.system.wall)
      }
      let retention = await retention(persons, registry, logger)
      let access = ConsoleAccess(settings)
      let guesses = GuessLimit()
      let cookie = BrowserCookie(home: home, key: data.tagKey)
      let dependencies = Application.Dependencies(
        registry: registry, gate: gate(settings, home, port),
        access: AccessControl(token: access.token, cookie: cookie, localUsers: access.localUsers), cookie: cookie, files: files,
        backend: backend.link, isLocal: settings.isLocal,
        metrics: { await metrics(server, registry, backend, guesses, drift.detector) }, version: Version.text, time: .system,
        logger: logger, guesses: guesses, accessPolicy: persons ?? SingleUserAccess(), proxy: settings.persons,
        earlierFault: earlierFault)
      let application = Application(dependencies: dependencies, teamRoutes: PersonRoutes.routes(dependencies, persons))
      started.fulfill(application)
      address?.write(.init(origin: home, isReady: true))
      return RunningConsole(
        home: home, listeningPort: port, accessToken: access.generatedToken, earlierHome: earlierHome,
        application: application,
        certificateReload: certificateReload(settings, tls, logger), data: data, backend: backend, registry: registry,
        server: server, drainDelay: .seconds(settings.drainDelay ?? (settings.database == nil ? 0 : 2)),
        tasks: [
          inboxRelay(backend, registry), fileWatch(settings, registry, logger), drift.run(), Task { await retention.run() },
        ].compactMap(\.self))
    } catch {
      started.fulfill(nil)
      await server.stop(within: .zero)
      throw error
    }
  }

  /// Stops in order: accepts no new requests, finishes open ones within the limit, then stops devices, client and backend.
  package func stop(within limit: Duration) async {
    if let folder = data.folder { AddressFile(folder: folder.path).endReady() }
    for task in tasks { task.cancel() }
    await registry.drain(for: drainDelay)
    // Streams end at once, since a stream would keep the server busy for the whole limit.
    async let devices: Void = registry.stop(finishingCallsWithin: limit)
    await server.stop(within: limit)
    await devices
    await backend.transport.shutdown()
    await backend.embedded?.listener.stop(within: .seconds(1))
    await data.close()
  }

  /// Reads the folder of the pages.
  private static func pages(_ settings: ServeSettings, _ logger: Logger) throws(StartFailure) -> StaticFiles {
    if !FileManager.default.isReadableFile(atPath: "\(settings.publicFolder)/\(ConsolePages.viewerPath)") {
      logger.warning("--public: \(ConsolePages.viewerPath) is missing, so exports have no viewer")
    }
    do { return try ConsolePages.files(folder: settings.publicFolder, logger: logger) } catch {
      switch error {
      case .noRoot(let path): throw .inputMissing("--public: \(path) cannot be read")
      case .invalidFile(let reason): throw .inputMissing("--public: \(reason)")
      }
    }
  }

  /// The console's devices, all asleep; on a shared database, the console joins the others.
  private static func registry(
    _ settings: ServeSettings, _ data: ConsoleData, _ backend: BackendDependencies, _ drift: DriftDetector, _ logger: Logger
  ) async throws(StartFailure) -> DeviceRegistry {
    let registry = DeviceRegistry(
      dependencies: .init(
        storage: data.storage, key: data.key, cacheFolder: data.folder?.file("cache"), tagKey: data.tagKey, backend: backend.link,
        transport: backend.transport.transport, apiID: backend.signingKey?.id, apiSecret: backend.signingKey?.secret,
        version: Version.text,
        time: .system, logger: logger, drift: drift, savedLog: data.savedLog, placement: data.placement, onRemoval: Persons.leave,
        knowsPersons: settings.persons != nil, redactionRules: settings.redactionRules,
        backoff: Backoff(first: .milliseconds(settings.retryPause))),
      idleLimit: .seconds(settings.deviceIdle))
    do { try await registry.startCheckingPlaces() } catch { throw StartFailure.unavailable("--database: it cannot be reached") }
    return registry
  }

  /// Creates the task that deletes expired data; a console with people deletes it before the first request.
  private static func retention(_ persons: Persons?, _ registry: DeviceRegistry, _ logger: Logger) async -> Retention {
    let retention = Retention(registry: registry, time: .system, logger: logger) { try await persons?.removeExpired(registry) }
    if persons != nil { await retention.remove() }
    return retention
  }

  private static func gate(_ settings: ServeSettings, _ home: Origin, _ port: UInt16) -> Gate {
    Gate(home: home, listeningPort: port, publicOrigins: settings.publicOrigin, isBehindProxy: settings.isBehindProxy)
  }

  /// Passes the embedded backend's messages to the devices; nil with another backend.
  private static func inboxRelay(_ backend: BackendDependencies, _ registry: DeviceRegistry) -> Task<Void, Never>? {
    backend.link.embedded.map { embedded in Task { await InboxRelay(registry: registry, embedded: embedded).run() } }
  }

  /// Reloads the backend file when it changes; nil without `--watch`.
  private static func fileWatch(_ settings: ServeSettings, _ registry: DeviceRegistry, _ logger: Logger) -> Task<Void, Never>? {
    guard let remote = settings.remote, let source = remote.fileSource, source.isWatched, let file = remote.file else {
      return nil
    }
    let watch = BackendFileWatch(source: source, origin: remote.origin, active: file, registry: registry, logger: logger)
    return Task { await watch.run() }
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
    _ settings: ServeSettings, _ tls: TLSContext?, _ application: Promise<Application?>, _ logger: Logger
  ) async throws(StartFailure) -> (HTTPServer, UInt16) {
    var addresses = settings.addresses
    var ports = settings.ports[...]
    while true {
      let port = ports.first ?? settings.port
      var configuration = HTTPServer.Configuration(addresses: addresses.map { ($0, port) })
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
        let chosen = bound.first?.port ?? 0
        return (server, chosen == 0 ? port : chosen)
      } catch {
        // A machine without IPv6 still has a localhost.
        if addresses.count > 1, case .listen(.addressUnavailable) = error {
          addresses.removeLast()
          continue
        }
        if case .listen(.addressInUse) = error {
          guard ports.count > 1 else { throw .unavailable("--port: \(port) is in use") }
          (addresses, ports) = (settings.addresses, ports.dropFirst())
          continue
        }
        throw .unavailable(
          "--host, --port: \(addresses.joined(separator: ", ")) port \(port) is not an address of this machine, or not allowed"
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

  private static func certificateReload(_ settings: ServeSettings, _ tls: TLSContext?, _ logger: Logger) -> CertificateReload? {
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
}

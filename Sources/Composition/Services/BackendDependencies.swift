import Backend
import Client
import Console
import FoundationEssentials
import Locking
import Logging

/// The backend of a console, the transport that reaches it and, if it is embedded, the server that runs it.
struct BackendDependencies: Sendable {
  let link: BackendLink
  let transport: RotatingTransport
  /// How the transport was configured at the start.
  let configuration: TransportConfiguration
  let signingKey: SigningKey?
  let embedded: (backend: ReferenceBackend, listener: BackendListener)?
  /// Reloads the pin file; nil without one.
  var pinReload: PinReload?

  /// Connects to the backend in the settings, or starts the embedded one, whose links lead to `home`.
  static func start(
    _ settings: ServeSettings, home: Origin, folder: DataFolder?, logger: Logger
  ) async throws(StartFailure) -> BackendDependencies {
    if let remote = settings.remote { return try .remote(remote, settings, logger: logger) }
    return try await embedded(settings, home: home, folder: folder, logger: logger)
  }

  /// Connects to the backend in the settings.
  private static func remote(
    _ remote: RemoteBackend, _ settings: ServeSettings, logger: Logger
  ) throws(StartFailure) -> BackendDependencies {
    var configuration = try remote.configuration()
    if settings.pinReportOnly { configuration.pinMode = .report }
    let reports = PinReports(logger: logger)
    let transport = try transport(configuration) { reports.note($0) }
    var dependencies = BackendDependencies(
      link: remote.link, transport: transport, configuration: configuration, signingKey: settings.signingKey, embedded: nil)
    if remote.pins.path != nil { dependencies.pinReload = PinReload(source: remote.pins, transport: transport, logger: logger) }
    return dependencies
  }

  /// Starts the built-in backend on a free port of 127.0.0.1 and connects to it with pins and signatures.
  private static func embedded(
    _ settings: ServeSettings, home: Origin, folder: DataFolder?, logger: Logger
  ) async throws(StartFailure) -> BackendDependencies {
    let key = settings.signingKey ?? .random()
    let backendFolder = try folder?.folder("backend")
    try folder?.lockDatabase("backend/backend.sqlite")
    var configuration = ReferenceBackend.Configuration(
      database: backendFolder.map { "\($0)/backend.sqlite" }, limits: settings.limits, registration: settings.registration,
      apiID: key.id, apiSecret: key.secret, logger: logger)
    configuration.databaseOwner = folder
    do {
      let backend = try await ReferenceBackend(configuration: configuration)
      backend.setLinkBase(home.text)
      let listener = try await BackendListener.start(
        backend, identity: backendFolder.map { .folder($0) } ?? .ephemeral, logger: logger)
      let pins = Set([SPKIPin(listener.pin)].compactMap { $0 })
      let connection = TransportConfiguration(trust: .pem(listener.certificatePEM), pins: pins, proxy: .none)
      return BackendDependencies(
        link: BackendLink(
          origin: listener.origin, id: backend.dataID,
          linkHosts: settings.connection.linkHost.isEmpty ? [home.authority] : settings.connection.linkHost,
          embedded: handles(of: backend)),
        transport: try transport(connection), configuration: connection, signingKey: key,
        embedded: (backend, listener))
    } catch let failure as StartFailure {
      throw failure
    } catch BackendStartError.database {
      throw .inputMissing("--data: backend/backend.sqlite or its key cannot be used; move the backend folder away to start fresh")
    } catch BackendStartError.certificate {
      throw .configuration("--data: backend/certificate.pem or private-key.pem cannot be used, or others can read the key")
    } catch {
      throw .unavailable("the built-in backend cannot listen on 127.0.0.1, or the limit of open files is reached")
    }
  }

  private static func transport(
    _ configuration: TransportConfiguration, onPinReport: @escaping @Sendable ([String]) -> Void = { _ in }
  ) throws(StartFailure) -> RotatingTransport {
    do { return try RotatingTransport(configuration, onPinReport: onPinReport) } catch {
      throw .configuration("the HTTP client cannot start: \(error)")
    }
  }

  private static func handles(of backend: ReferenceBackend) -> EmbeddedBackend {
    EmbeddedBackend(
      messages: { recipients, after, wait in
        let messages = await backend.inbox.messages(to: recipients, after: after, wait: wait)
        // If the database fails, a message counts as live, because no state contradicts it.
        let states = (try? await backend.states(of: messages)) ?? [:]
        return messages.map { EmbeddedBackend.Message($0, state: states[$0.id] ?? .live) }
      },
      deliveries: {
        let deliveries = backend.inbox.deliveries()
        let (stream, continuation) = AsyncStream.makeStream(of: EmbeddedBackend.Message.self)
        let relay = Task {
          for await message in deliveries { continuation.yield(EmbeddedBackend.Message(message, state: .live)) }
          continuation.finish()
        }
        continuation.onTermination = { _ in relay.cancel() }
        return stream
      },
      advanceClock: { seconds in
        guard (try? await backend.clock.advance(seconds: seconds)) != nil else { return nil }
        return Int(backend.clock.offset.components.seconds)
      },
      resetClock: { try? await backend.clock.reset() },
      clockAhead: { Int(clamping: backend.clock.offset.components.seconds) },
      now: { backend.clock.now },
      setLimits: { word in
        guard let mode = LimitsMode(rawValue: word) else { return nil }
        return (try? await backend.setLimits(mode)).map { mode.rawValue }
      },
      resetLimits: {
        try? await backend.resetLimits()
        return backend.limits.rawValue
      },
      limits: { (try? await backend.limitsState()).map { EmbeddedBackend.Limits($0) } },
      scan: { id, fetch in
        (try? await backend.prefetchLink(messageID: id, fetch: fetch)).flatMap { $0 }.map { EmbeddedBackend.Scan($0) }
      },
      reset: { (try? await backend.reset()) != nil })
  }
}

extension EmbeddedBackend.Limits {
  /// Converts the limits for the console.
  init(_ state: LimitsState) {
    self.init(
      mode: state.mode.rawValue,
      entries: state.entries.map {
        Entry(identifier: $0.identifier, sent: $0.sent, lastSentAt: $0.lastSentAt, nextAt: $0.nextAt)
      })
  }
}

extension EmbeddedBackend.Scan {
  /// Converts a link prefetch for the console.
  init(_ scan: LinkPrefetch) {
    self.init(
      url: scan.url, steps: scan.steps.map { Step(method: $0.method, status: $0.status) }, isUnchanged: scan.isUnchanged)
  }
}

extension EmbeddedBackend.Message {
  /// Converts a message for the console, which does not import the backend.
  init(_ message: InboxMessage, state: MessageState) {
    self.init(
      id: message.id, to: message.to, kind: message.kind.rawValue, subject: message.subject, text: message.text,
      link: message.link, code: message.code, deliveredAt: message.deliveredAt, expiresAt: message.expiresAt,
      state: state.rawValue)
  }
}

/// Logs the pins that `--pin-report-only` reports, each set once a day.
final class PinReports: Sendable {
  private let limit = Locked(PinReportLimit())
  private let logger: Logger

  init(logger: Logger) { self.logger = logger }

  /// Reports a chain without a pinned key; `presented` are its pins, leaf first.
  func note(_ presented: [String]) {
    guard limit.withLock({ $0.admits(presented, now: .now) }) else { return }
    logger.warning(
      "no certificate of the backend's chain is pinned; the connection is used anyway: \(presented.joined(separator: " "))")
  }
}

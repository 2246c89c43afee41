import Backend
import Console
import Foundation
import Logging
import Reactor
import Storage
import Vault

/// A running backend; keeps its data folder, if it has one, locked until it stops.
struct BackendCommandService {
  let listener: BackendListener
  private let folder: DataFolder?
  private let drain: Duration
  private let logger: Logger

  /// Opens the data and starts listening; throws `StartFailure`.
  static func start(
    _ settings: BackendCommandSettings, drain: Duration, logger: Logger
  ) async throws(StartFailure) -> BackendCommandService {
    let folder = try settings.dataFolder.map { path throws(StartFailure) in try DataFolder(path: path) }
    var configuration = ReferenceBackend.Configuration(
      limits: settings.limits, registration: settings.registration, apiID: settings.signingKey?.id,
      apiSecret: settings.signingKey?.secret, logger: logger)
    if let folder {
      // Sessions of a replay outlive a restart too, but must not mix with real accounts.
      let database = settings.recording == nil ? "backend.sqlite" : "replay.sqlite"
      try folder.lockDatabase(database)
      configuration.database = folder.file(database)
      configuration.databaseOwner = folder
    }
    if let database = settings.database {
      configuration.shared = (database, try settings.vaultKey.load().key)
      do { try await ReferenceBackend.sharedMigrations.migrate(database) } catch { throw .database(error) }
    }
    let identity = try identity(settings, folder: folder)
    configuration.dialect = settings.dialect
    configuration.recording = settings.recording
    let backend: ReferenceBackend
    do throws(BackendStartError) {
      backend = try await ReferenceBackend(configuration: configuration)
    } catch {
      throw failure(error, settings)
    }
    let listener = try await listen(backend, identity, settings, logger: logger)
    backend.setLinkBase(settings.linkBase?.text ?? listener.origin)
    return BackendCommandService(listener: listener, folder: folder, drain: drain, logger: logger)
  }

  /// Prints the ready line, waits for a stop signal, then lets requests in progress end.
  func run(until signals: SignalStream) async {
    // Signals are handled from now on, so a reader of the line may stop the program at once.
    ProgramOutput.announce("understudy backend ready \(listener.origin) pin=\(listener.pin)", logger: logger)
    await signals.next()
    await listener.stop(within: drain)
  }

  private static func identity(
    _ settings: BackendCommandSettings, folder: DataFolder?
  ) throws(StartFailure) -> BackendListener.Identity {
    guard let pair = settings.tls?.certificate else { return folder.map { .folder($0.path) } ?? .shared }
    do {
      return .given(try ServerCertificate(certificatePEM: pair.certificatePEM, privateKeyPEM: pair.privateKeyPEM))
    } catch {
      throw .configuration("--tls-certificate: the file contains no certificate")
    }
  }

  private static func listen(
    _ backend: ReferenceBackend, _ identity: BackendListener.Identity, _ settings: BackendCommandSettings, logger: Logger
  ) async throws(StartFailure) -> BackendListener {
    var addresses = ServeSettings.addresses(of: settings.host)
    while true {
      do {
        return try await BackendListener.start(
          backend, identity: identity, addresses: addresses.map { ($0, settings.port) }, logger: logger,
          developerToken: settings.developerToken, isStandalone: true)
      } catch {
        // A machine without IPv6 still has a localhost.
        if addresses.count > 1, case .listener = error {
          addresses.removeLast()
          continue
        }
        throw failure(error, settings)
      }
    }
  }

  private static func failure(_ error: BackendStartError, _ settings: BackendCommandSettings) -> StartFailure {
    switch error {
    case .configuration(let text): .configuration(text)
    case .certificate(let text):
      .configuration("\(settings.tls == nil ? "--data" : "--tls-certificate"): the certificate cannot be used: \(text)")
    case .foreignKey: .configuration("--vault-key-file: the data of the database belongs to another key")
    case .database(let text) where settings.database != nil: .unavailable("--database: \(text)")
    case .listener: .unavailable("--port: \(settings.port) is in use or not allowed")
    default:
      .inputMissing(
        "--data: \(settings.recording == nil ? "backend" : "replay").sqlite cannot be opened; move it away to start fresh")
    }
  }
}

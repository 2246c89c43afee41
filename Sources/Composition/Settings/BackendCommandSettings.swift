import Backend
import Console
import Foundation
import Logging
import Reactor
import Storage

/// The validated settings of `understudy backend`, with the content of the files that it names; nothing is opened yet.
struct BackendCommandSettings: Sendable {
  /// The IP addresses to listen on; two for localhost.
  let addresses: [String]
  /// The port; 0 for a free one.
  let port: UInt16
  /// The data folder; nil with a database.
  let dataFolder: String?
  /// The database that several backends share; nil for the data folder.
  let database: PostgreSQLStorage?
  /// Where the key is that seals what is secret in the database.
  let vaultKey: VaultKeySource
  /// How often messages may be sent.
  let limits: LimitsMode
  /// Who may register.
  let registration: RegistrationMode
  /// The id of the signing key; if set, every call must be signed.
  let apiID: String?
  /// The key of the signatures.
  let apiSecret: String?
  /// PEM texts; nil for the pair in the data folder.
  let tls: (certificate: String, key: String)?
  /// The origin of sign-in links; nil for the backend's own.
  let linkBase: String?
  /// The token of the `/dev` routes; nil to disable them.
  let developerToken: String?
  /// How answers are spelled.
  let dialect: BackendDialect
  /// The calls to answer from; nil for a backend with data of its own.
  let recording: ReplayedRecording?
  /// The log level.
  let logLevel: Logger.Level

  /// Resolves flags and environment; throws `StartFailure`.
  init(
    _ options: BackendCommandOptions, environment: EnvironmentFlags,
    variables: [String: String] = ProcessInfo.processInfo.environment
  ) throws(StartFailure) {
    let host = options.host ?? environment.text("host") ?? "127.0.0.1"
    if host == "localhost" {
      addresses = ["127.0.0.1", "::1"]
    } else {
      guard SocketAddress(host: host, port: 0) != nil else {
        throw .usage("--host: '\(host)' is neither localhost nor an IP address")
      }
      addresses = [host]
    }
    port = try environment.number("port", given: options.port) ?? 8443
    database = try Self.database(options, environment)
    dataFolder = database == nil ? options.data ?? environment.text("data") ?? "\(ServeSettings.stateFolder())-backend" : nil
    vaultKey = VaultKeySource(
      path: options.vaultKeyFile ?? environment.text("vault-key-file"), oldPath: nil,
      credentials: variables["CREDENTIALS_DIRECTORY"], dataFolder: nil)
    guard database == nil || vaultKey.isGiven else {
      throw .configuration("--database requires --vault-key-file, the same for every backend")
    }
    let limits = options.limits ?? environment.text("limits") ?? "relaxed"
    guard let mode = LimitsMode(rawValue: limits) else { throw .usage("--limits: '\(limits)' is not prod, relaxed or off") }
    self.limits = mode
    let registration = options.registration ?? environment.text("registration") ?? "open"
    guard let registrationMode = RegistrationMode(rawValue: registration) else {
      throw .usage("--registration: '\(registration)' is not open or closed")
    }
    self.registration = registrationMode
    apiID = options.apiID ?? environment.text("api-id")
    apiSecret = try SecretFile.read(
      options.apiSecretFile ?? environment.text("api-secret-file"), flag: "--api-secret-file")
    guard (apiID == nil) == (apiSecret == nil) else {
      throw .configuration("--api-id and --api-secret-file must be given together")
    }
    tls = try Self.tls(options, environment)
    linkBase = try Self.linkBase(options.linkBase ?? environment.text("link-base"))
    developerToken = try SecretFile.read(
      options.devTokenFile ?? environment.text("dev-token-file"), flag: "--dev-token-file")
    let dialect = options.dialect ?? environment.text("dialect") ?? "strict"
    guard let knownDialect = BackendDialect(rawValue: dialect) else {
      throw .usage("--dialect: '\(dialect)' is not strict, seed, camel or problem")
    }
    self.dialect = knownDialect
    let level = options.logLevel ?? environment.text("log-level") ?? "notice"
    guard let logLevel = Logger.Level(rawValue: level) else { throw .usage("--log-level: '\(level)' is not a log level") }
    self.logLevel = logLevel
    recording = try Self.recording(options, environment)
  }

  /// The schema of the backend in the database; nil without one.
  private static func database(
    _ options: BackendCommandOptions, _ environment: EnvironmentFlags
  ) throws(StartFailure) -> PostgreSQLStorage? {
    guard let storage = try options.database.open(environment) else {
      guard options.vaultKeyFile == nil else {
        throw .usage("--vault-key-file requires --database; without one, the key is in the data folder")
      }
      return nil
    }
    guard options.data == nil else { throw .usage("--database cannot be combined with --data") }
    guard options.replay == nil, environment.text("replay") == nil else {
      throw .usage("--database cannot be combined with --replay: each backend answers from a recording by itself")
    }
    return storage.inSchema(ReferenceBackend.schema)
  }

  /// Reads the recording; what it says about answers and messages cannot be set as well.
  private static func recording(
    _ options: BackendCommandOptions, _ environment: EnvironmentFlags
  ) throws(StartFailure) -> ReplayedRecording? {
    guard let path = options.replay ?? environment.text("replay") else { return nil }
    let others = [
      ("dialect", options.dialect), ("limits", options.limits), ("registration", options.registration),
      ("link-base", options.linkBase),
    ]
    for (flag, given) in others where given != nil || environment.text(flag) != nil {
      throw .usage("--\(flag) cannot be used with --replay: the recording says how the backend answers")
    }
    return try RecordingFile.read(path, flag: "--replay")
  }

  private static func tls(
    _ options: BackendCommandOptions, _ environment: EnvironmentFlags
  ) throws(StartFailure) -> (certificate: String, key: String)? {
    switch (options.tlsCertificate ?? environment.text("tls-certificate"), options.tlsKey ?? environment.text("tls-key")) {
    case (nil, nil): return nil
    case (let certificate?, let key?):
      return (
        try ServeSettings.file(certificate, flag: "--tls-certificate"), try ServeSettings.file(key, flag: "--tls-key")
      )
    default: throw .configuration("--tls-certificate and --tls-key must be given together")
    }
  }

  private static func linkBase(_ text: String?) throws(StartFailure) -> String? {
    guard let text else { return nil }
    guard let origin = Origin(text.hasSuffix("/") ? String(text.dropLast()) : text) else {
      throw .usage("--link-base: '\(StartFailure.quoted(text))' is not scheme://host[:port]")
    }
    return origin.text
  }
}

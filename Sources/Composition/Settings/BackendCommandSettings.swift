import Backend
import Console
import Logging
import Reactor

/// What `understudy backend` was told, checked and read from its files; nothing is opened yet.
struct BackendCommandSettings: Sendable {
  /// Where to listen, IP addresses; more than one for localhost.
  let addresses: [String]
  /// 0 for a free one.
  let port: UInt16
  /// Where everything is kept.
  let dataFolder: String
  /// How often messages may be sent.
  let limits: LimitsMode
  /// Who may sign in.
  let registration: RegistrationMode
  /// With `apiSecret`: every call must be signed.
  let apiID: String?
  /// The key of the signatures.
  let apiSecret: String?
  /// PEM texts; nil for a pair of the data folder's own.
  let tls: (certificate: String, key: String)?
  /// The origin that links lead to; nil for the backend's own.
  let linkBase: String?
  /// What `/dev/*` asks for; nil for no such routes.
  let developerToken: String?
  /// From which level on is logged.
  let logLevel: Logger.Level

  /// Settles flags and environment; throws `StartFailure` with the exit code of the contract.
  init(_ options: BackendCommandOptions, environment: EnvironmentFlags) throws(StartFailure) {
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
    dataFolder = options.data ?? environment.text("data") ?? "\(ServeSettings.stateFolder())-backend"
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
    guard (apiID == nil) == (apiSecret == nil) else { throw .configuration("--api-id and --api-secret-file go together") }
    tls = try Self.tls(options, environment)
    linkBase = try Self.linkBase(options.linkBase ?? environment.text("link-base"))
    developerToken = try SecretFile.read(
      options.devTokenFile ?? environment.text("dev-token-file"), flag: "--dev-token-file")
    let level = options.logLevel ?? environment.text("log-level") ?? "notice"
    guard let logLevel = Logger.Level(rawValue: level) else { throw .usage("--log-level: '\(level)' is none of the levels") }
    self.logLevel = logLevel
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
    default: throw .configuration("--tls-certificate and --tls-key go together")
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

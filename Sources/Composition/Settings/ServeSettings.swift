import Backend
import Client
import Console
import Foundation
import Logging
package import Reactor
import Redaction
import Storage

/// The validated settings of `understudy serve`, with the content of the files that it names; nothing is opened yet.
package struct ServeSettings: Sendable {
  /// A backend other than the embedded one.
  struct Remote: Sendable {
    let origin: String
    let pins: PinSource
    let pinMode: TransportConfiguration.PinMode
    let ca: String?
    let proxy: String?
  }

  let addresses: [String]
  let port: UInt16
  /// The sockets that systemd passed to this process, used instead of host and port.
  let inheritedSockets: [InheritedSocket]
  let dataFolder: String?
  let publicFolder: String
  let loops: Int
  let logLevel: Logger.Level
  let logsRequests: Bool
  let remote: Remote?
  /// The database that several consoles share; nil for the data folder.
  let database: PostgreSQLStorage?
  /// The OpenAPI document to compare with; nil for the backend's own.
  let openAPI: OpenAPISource?
  let apiID: String?
  let apiSecret: String?
  let linkHosts: [String]
  /// What is masked in rows.
  let redactionRules: RedactionRules
  let tls: TLSFiles?
  let publicOrigins: [Origin]
  let isBehindProxy: Bool
  let accessToken: String?
  /// Whether other users of this machine need no access token.
  let allowsLocalUsers: Bool
  let vaultKey: VaultKeySource
  /// The proxy that tells who sends a request; nil without one.
  let persons: PersonSettings?
  let limits: LimitsMode
  /// How long a device stays awake unused.
  let deviceIdleSeconds: Int
  /// The pauses of the devices' clients.
  let backoff: Backoff
  /// How long a console that stops still answers after it reports that it is not ready.
  let drainDelaySeconds: Int
  let registration: RegistrationMode

  /// The label of the access log's logger, which logs at info whatever `--log-level` says.
  static let accessLogLabel = "understudy.access"

  /// Whether only this machine can reach the console.
  var isLoopback: Bool {
    addresses.allSatisfy { SocketAddress(host: $0, port: 0)?.isLoopback == true }
      && inheritedSockets.allSatisfy { $0.localAddress?.isLoopback == true }
  }

  /// Whether only browsers on this machine can reach the console: it listens on loopback only, and no proxy lets others in.
  var isLocal: Bool { isLoopback && !isBehindProxy && publicOrigins.allSatisfy(\.isLoopback) }

  /// Resolves flags and environment; throws `StartFailure`.
  package init(
    _ options: ServeOptions, environment: EnvironmentFlags, inheritedSockets: [InheritedSocket] = [],
    variables: [String: String] = ProcessInfo.processInfo.environment
  ) throws(StartFailure) {
    self.inheritedSockets = inheritedSockets
    let host = options.host ?? environment.text("host") ?? "localhost"
    if !inheritedSockets.isEmpty {
      guard inheritedSockets.allSatisfy({ $0.localAddress != nil }) else {
        throw .inputMissing("LISTEN_FDS: the descriptors are not sockets")
      }
      addresses = []
    } else if host == "localhost" {
      addresses = ["127.0.0.1", "::1"]
    } else {
      guard SocketAddress(host: host, port: 0) != nil else {
        throw .usage("--host: '\(host)' is neither localhost nor an IP address")
      }
      addresses = [host]
    }
    port = try environment.number("port", given: options.port) ?? 8080
    let isEphemeral = try environment.isOn("ephemeral", given: options.ephemeral)
    let data = options.data ?? environment.text("data")
    guard data?.isEmpty != true else { throw .usage("--data: the path is empty") }
    if isEphemeral, options.data != nil { throw .usage("--ephemeral and --data cannot be combined") }
    let shared = try options.database.open(environment)
    if shared != nil {
      guard !isEphemeral, options.data == nil else { throw .usage("--database cannot be combined with --data or --ephemeral") }
    }
    database = shared?.inSchema(SharedDatabase.schema)
    dataFolder = isEphemeral || shared != nil ? nil : data ?? Self.stateFolder()
    publicFolder = try Self.publicFolder(options.public ?? environment.text("public"))
    loops = try environment.number("loops", given: options.loops) ?? max(1, min(64, ProcessInfo.processInfo.activeProcessorCount))
    guard (1...64).contains(loops) else { throw .usage("--loops: \(loops) is not between 1 and 64") }
    logsRequests = try environment.isOn("access-log", given: options.accessLog)
    let level = options.logLevel ?? environment.text("log-level") ?? "notice"
    guard let logLevel = Logger.Level(rawValue: level) else { throw .usage("--log-level: '\(level)' is not a log level") }
    self.logLevel = logLevel
    remote = try Self.remote(options, environment, variables)
    openAPI = try OpenAPISource(options.openapi ?? environment.text("openapi"))
    apiID = options.apiID ?? environment.text("api-id")
    apiSecret = try SecretFile.read(options.apiSecretFile ?? environment.text("api-secret-file"), flag: "--api-secret-file")
    guard (apiID == nil) == (apiSecret == nil) else {
      throw .configuration("--api-id and --api-secret-file must be given together")
    }
    redactionRules = try options.masks.rules(environment)
    linkHosts = options.linkHost.isEmpty ? environment.list("link-host") : options.linkHost
    tls = try Self.tls(options, environment)
    publicOrigins = try Self.origins(options.publicOrigin.isEmpty ? environment.list("public-origin") : options.publicOrigin)
    persons = try PersonSettings(options.persons, environment)
    // Whoever the proxy names nobody for must not count as the user of this machine, from which the proxy connects.
    isBehindProxy = try environment.isOn("behind-proxy", given: options.behindProxy) || persons != nil
    accessToken = try SecretFile.read(
      options.accessTokenFile ?? environment.text("access-token-file"), flag: "--access-token-file")
    try AccessTokenStrength.check(accessToken)
    allowsLocalUsers = try environment.isOn("allow-local-users", given: options.allowLocalUsers)
    vaultKey = VaultKeySource(
      path: options.vaultKeyFile ?? environment.text("vault-key-file"),
      oldPath: options.vaultOldKeyFile ?? environment.text("vault-old-key-file"),
      credentials: variables["CREDENTIALS_DIRECTORY"], dataFolder: dataFolder)
    let limits = options.limits ?? environment.text("limits") ?? "relaxed"
    guard let mode = LimitsMode(rawValue: limits) else { throw .usage("--limits: '\(limits)' is not prod, relaxed or off") }
    self.limits = mode
    deviceIdleSeconds = try environment.number("device-idle", given: options.deviceIdle) ?? 1800
    guard (1...86_400).contains(deviceIdleSeconds) else {
      throw .usage("--device-idle: \(deviceIdleSeconds) is not between 1 and 86400")
    }
    drainDelaySeconds = try environment.number("drain-delay", given: options.drainDelay) ?? (shared == nil ? 0 : 2)
    guard (0...300).contains(drainDelaySeconds) else {
      throw .usage("--drain-delay: \(drainDelaySeconds) is not between 0 and 300")
    }
    let pause = try environment.number("retry-pause", given: options.retryPause) ?? 1000
    guard (1...1000).contains(pause) else { throw .usage("--retry-pause: \(pause) is not between 1 and 1000") }
    backoff = Backoff(first: .milliseconds(pause))
    let registration = options.registration ?? environment.text("registration") ?? "open"
    guard let registrationMode = RegistrationMode(rawValue: registration) else {
      throw .usage("--registration: '\(registration)' is not open or closed")
    }
    self.registration = registrationMode
    try checkExposure()
    try checkSharing()
  }

  /// Consoles that share a database need the same key, backend and access token.
  private func checkSharing() throws(StartFailure) {
    guard database != nil else { return }
    guard vaultKey.isGiven else { throw .configuration("--database requires --vault-key-file, the same for every console") }
    guard remote != nil else {
      throw .configuration("--database requires --backend; the embedded backend belongs to one console")
    }
    guard accessToken != nil || persons != nil || !ConsoleAccess(self).isTokenNeeded else {
      throw .configuration("--database requires --access-token-file, the same for every console")
    }
  }

  /// Beyond loopback, the console needs encryption and its public origins, unless these are all loopback (a container).
  private func checkExposure() throws(StartFailure) {
    guard !isLoopback else { return }
    guard !publicOrigins.isEmpty else { throw .configuration("--host beyond loopback requires --public-origin") }
    guard publicOrigins.allSatisfy(\.isLoopback) || tls != nil || isBehindProxy else {
      throw .configuration("--host beyond loopback requires --tls-certificate and --tls-key, or --behind-proxy")
    }
  }
}

extension ServeSettings {
  /// `$XDG_STATE_HOME/understudy`, else `~/.local/state/understudy` (XDG Base Directory).
  static func stateFolder() -> String {
    let variables = ProcessInfo.processInfo.environment
    if let state = variables["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/understudy" }
    return "\(variables["HOME"] ?? NSHomeDirectory())/.local/state/understudy"
  }

  /// The folder of the pages: the given one, else `Public` in the working folder, else beside the program.
  static func publicFolder(_ given: String?) throws(StartFailure) -> String {
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
    let candidates = given.map { [$0] } ?? ["Public", "\(program)/Public", "\(program)/../share/understudy/Public"]
    guard let found = candidates.first(where: { FileManager.default.fileExists(atPath: "\($0)/login.html") }) else {
      throw .inputMissing("--public: no pages in \(candidates.joined(separator: ", "))")
    }
    return found
  }

  /// Reads a text file that a flag names; throws `StartFailure` (66) if that fails.
  static func file(_ path: String, flag: String) throws(StartFailure) -> String {
    guard let data = FileManager.default.contents(atPath: path), data.count <= 1 << 20 else {
      throw .inputMissing("\(flag): \(path) cannot be read")
    }
    guard let text = String(data: data, encoding: .utf8) else { throw .inputMissing("\(flag): \(path) is not text") }
    return text
  }

  static func tls(
    _ options: ServeOptions, _ environment: EnvironmentFlags
  ) throws(StartFailure) -> TLSFiles? {
    switch (options.tlsCertificate ?? environment.text("tls-certificate"), options.tlsKey ?? environment.text("tls-key")) {
    case (nil, nil): return nil
    case (let certificate?, let key?):
      return try TLSFiles(certificatePath: certificate, keyPath: key)
    default: throw .configuration("--tls-certificate and --tls-key must be given together")
    }
  }

  static func origins(_ texts: [String]) throws(StartFailure) -> [Origin] {
    var origins: [Origin] = []
    for text in texts {
      guard let origin = Origin(text) else {
        throw .usage("--public-origin: '\(StartFailure.quoted(text))' is not scheme://host[:port]")
      }
      origins.append(origin)
    }
    return origins
  }

  static func remote(
    _ options: ServeOptions, _ environment: EnvironmentFlags, _ variables: [String: String]
  ) throws(StartFailure) -> Remote? {
    let pinTexts = options.pin.isEmpty ? environment.list("pin") : options.pin
    let pinFile = options.pinFile ?? environment.text("pin-file")
    let reportsOnly = try environment.isOn("pin-report-only", given: options.pinReportOnly)
    let caFile = options.ca ?? environment.text("ca")
    let proxy = options.proxy ?? environment.text("proxy")
    guard let text = options.backend ?? environment.text("backend") else {
      guard pinTexts.isEmpty, pinFile == nil, !reportsOnly, caFile == nil, proxy == nil else {
        throw .configuration("--pin, --pin-file, --ca and --proxy require --backend; the embedded backend has its own")
      }
      return nil
    }
    guard let origin = Origin(text.hasSuffix("/") ? String(text.dropLast()) : text) else {
      throw .usage("--backend: '\(StartFailure.quoted(text))' is not https://host[:port]")
    }
    guard origin.scheme == "https" else { throw .configuration("--backend: \(origin.text) is not https") }
    let pins = try PinSource(texts: pinTexts, path: pinFile)
    let current = try pins.read()
    guard !reportsOnly || !current.isEmpty else { throw .configuration("--pin-report-only requires --pin or --pin-file") }
    var ca: String?
    if let caFile { ca = try file(caFile, flag: "--ca") }
    return Remote(
      origin: origin.text, pins: pins, pinMode: reportsOnly ? .report : .enforce, ca: ca,
      proxy: try ProxyURL.resolve(flag: proxy, variables: variables))
  }
}

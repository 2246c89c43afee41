import Console
import Foundation
import Reactor
import Redaction
import Storage

/// The flags of `understudy serve` with the content of the files that they name; nothing is opened yet.
@dynamicMemberLookup
struct ServeSettings: Sendable {
  private let command: ServeCommand
  /// The sockets that systemd passed to this process, used instead of host and port.
  let inheritedSockets: [InheritedSocket]
  /// The ports that are tried in order; the last one must be free.
  let ports: [UInt16]
  /// The data folder; nil with a database, or if nothing is stored.
  let dataFolder: String?
  let publicFolder: String
  /// A backend other than the embedded one.
  let remote: RemoteBackend?
  /// The database that several consoles share; nil for the data folder.
  let database: PostgreSQLStorage?
  /// The OpenAPI document to compare with; nil for the backend's own.
  let openAPI: OpenAPISource?
  let signingKey: SigningKey?
  /// The rules for masking rows.
  let redactionRules: RedactionRules
  let tls: TLSFiles?
  let accessToken: String?
  let vaultKey: VaultKeySource
  /// The proxy that identifies the sender of a request; nil without one.
  let persons: PersonProxy?

  /// A flag's value.
  subscript<Value>(dynamicMember flag: KeyPath<ServeCommand, Value>) -> Value { command[keyPath: flag] }

  /// The IP addresses to listen on; none with inherited sockets.
  var addresses: [String] { inheritedSockets.isEmpty ? Self.addresses(of: command.host) : [] }

  /// Whether only this machine can reach the console.
  var isLoopback: Bool {
    addresses.allSatisfy { SocketAddress(host: $0, port: 0)?.isLoopback == true }
      && inheritedSockets.allSatisfy { $0.localAddress?.isLoopback == true }
  }

  /// Whether only browsers on this machine can reach the console: it listens on loopback only, and no proxy admits others.
  var isLocal: Bool { isLoopback && !isBehindProxy && command.publicOrigin.allSatisfy(\.isLoopback) }

  /// Whether a proxy connects for all clients. It connects from this machine, so a request without a person must not count as
  /// this machine's user.
  var isBehindProxy: Bool { command.behindProxy || persons != nil }

  /// Reads the files and checks the flags together; throws `StartFailure`.
  ///
  /// - Parameter ports: The ports that are tried in order; nil for the flag's alone.
  init(
    _ command: ServeCommand, inheritedSockets: [InheritedSocket] = [], ports: [UInt16]? = nil,
    variables: [String: String] = ProcessInfo.processInfo.environment
  ) throws(StartFailure) {
    guard inheritedSockets.allSatisfy({ $0.localAddress != nil }) else {
      throw .inputMissing("LISTEN_FDS: the descriptors are not sockets")
    }
    self.command = command
    self.inheritedSockets = inheritedSockets
    self.ports = ports ?? [command.port]
    database = try command.database.storage()?.inSchema(SharedDatabase.schema)
    dataFolder = command.ephemeral || database != nil ? nil : command.data ?? Self.stateFolder()
    publicFolder = try Self.publicFolder(command.public)
    guard command.connection.backend != nil || (command.pinFile == nil && !command.pinReportOnly) else {
      throw .configuration("--pin-file and --pin-report-only require --backend; the built-in backend has its own pin")
    }
    guard !command.pinReportOnly || !command.connection.pin.isEmpty || command.pinFile != nil else {
      throw .configuration("--pin-report-only requires --pin or --pin-file")
    }
    remote = try command.connection.remote(pinFile: command.pinFile, variables: variables)
    openAPI = try OpenAPISource(command.openapi)
    signingKey = try command.signing.key()
    redactionRules = try command.masks.rules()
    tls = try command.tls.files()
    persons = try command.persons.proxy()
    accessToken = try SecretFile.read(command.accessTokenFile, flag: "--access-token-file")
    try AccessTokenStrength.check(accessToken)
    vaultKey = VaultKeySource(path: command.vaultKeyFile, oldPath: command.vaultOldKeyFile, dataFolder: dataFolder)
    try checkExposure()
    try checkSharing()
  }

  /// Consoles that share a database need the same key, backend and access token.
  private func checkSharing() throws(StartFailure) {
    guard database != nil else { return }
    guard vaultKey.isGiven else { throw .configuration("--database requires --vault-key-file, the same for every console") }
    guard remote != nil else {
      throw .configuration("--database requires --backend; the built-in backend belongs to one console")
    }
    guard accessToken != nil || persons != nil || !ConsoleAccess(self).isTokenNeeded else {
      throw .configuration("--database requires --access-token-file, the same for every console")
    }
  }

  /// Beyond loopback, the console needs encryption and its public origins, unless these are all loopback (a container).
  private func checkExposure() throws(StartFailure) {
    guard !isLoopback else { return }
    guard !command.publicOrigin.isEmpty else { throw .configuration("--host beyond loopback requires --public-origin") }
    guard command.publicOrigin.allSatisfy(\.isLoopback) || tls != nil || isBehindProxy else {
      throw .configuration("--host beyond loopback requires --tls-certificate and --tls-key, or --behind-proxy")
    }
  }
}

extension ServeSettings {
  /// The IP addresses of a host: two for localhost.
  static func addresses(of host: String) -> [String] { host == "localhost" ? ["127.0.0.1", "::1"] : [host] }

  /// `$XDG_STATE_HOME/understudy`, else `~/.local/state/understudy` (XDG Base Directory).
  static func stateFolder() -> String {
    let variables = ProcessInfo.processInfo.environment
    if let state = variables["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/understudy" }
    return "\(variables["HOME"] ?? NSHomeDirectory())/.local/state/understudy"
  }

  /// The folder of the pages: the given one, else `Public` in the `program`'s folder, else where a package installs it.
  ///
  /// The working folder is not searched: scripts of another user's folder would run on the console's origin.
  static func publicFolder(_ given: String?, program: String = programFolder) throws(StartFailure) -> String {
    let installed = URL(fileURLWithPath: program).deletingLastPathComponent().path + "/share/understudy/Public"
    let candidates = given.map { [$0] } ?? ["\(program)/Public", installed]
    guard let found = candidates.first(where: { FileManager.default.fileExists(atPath: "\($0)/login.html") }) else {
      throw .inputMissing("--public: no pages in \(candidates.joined(separator: ", "))")
    }
    return found
  }

  /// The folder of the running program, without links.
  private static var programFolder: String {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
  }

  /// Reads a text file that a flag names; throws `StartFailure` (66) if that fails.
  static func file(_ path: String, flag: String) throws(StartFailure) -> String {
    guard let data = FileManager.default.contents(atPath: path), data.count <= 1 << 20 else {
      throw .inputMissing("\(flag): \(path) cannot be read")
    }
    guard let text = String(data: data, encoding: .utf8) else { throw .inputMissing("\(flag): \(path) is not text") }
    return text
  }
}

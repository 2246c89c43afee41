import ArgumentParser
import Backend
import Console
import Foundation
import Logging
import Reactor

/// `understudy serve`: the console.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve the console on localhost.",
    discussion:
      "Every flag can also be set in the environment as UNDERSTUDY_<FLAG>, such as UNDERSTUDY_PORT=0; a flag takes precedence.")

  static let usualPort: UInt16 = 8080

  @Option(help: "Address to listen on: localhost, or an IP address.", read: .host) var host = "localhost"
  @Option(help: "Port to listen on; 0 picks a free one.", read: .port) var port = usualPort
  @Option(help: "Folder for devices, tokens and the built-in backend. (default: $XDG_STATE_HOME/understudy)", read: .path)
  var data: String?
  @Flag(help: "Store nothing on disk.") var ephemeral = false
  @Option(help: "Folder of the web pages. (default: Public beside the program, or where a package installs it)") var `public`:
    String?
  @Option(help: "Number of event loops, one thread each. (default: one per core)", read: .number(1...64)) var loops: Int?
  @Option(help: "Log level: \(Logger.Level.names).", read: .name) var logLevel = Logger.Level.notice
  @Flag(help: "Log every request, without query and headers.") var accessLog = false
  @OptionGroup var connection: RemoteOptions
  @OptionGroup var signing: SigningOptions
  @Option(help: "File of pins, one per line; reloaded on SIGHUP.") var pinFile: String?
  @Flag(help: "Log a key that matches no pin, but use it anyway.") var pinReportOnly = false
  @Option(help: "OpenAPI document to compare the calls with: a file or URL. (default: /swagger.json of the backend)")
  var openapi: String?
  @OptionGroup var tls: TLSOptions
  @Option(help: "Another origin of this console; can be repeated.", read: .origin) var publicOrigin: [Origin] = []
  @Flag(help: "This console is behind a proxy that terminates TLS and forwards the client's address.") var behindProxy = false
  @Option(help: "File with the access token. It is required beyond loopback, and on loopback for other users of this machine.")
  var accessTokenFile: String?
  @Flag(help: "Let every user of this machine in without the access token, not only the one who runs the console.")
  var allowLocalUsers = false
  @Option(
    help:
      "File with the 32-byte key that encrypts tokens. (default: systemd's credential vault-key, else vault.key in the data folder)"
  )
  var vaultKeyFile: String?
  @Option(help: "File with the previous key; data that it encrypted is re-encrypted at the start.") var vaultOldKeyFile: String?
  @Option(help: "Rate limits of the built-in backend: \(LimitsMode.names).", read: .name) var limits = LimitsMode.relaxed
  @OptionGroup var masks: MaskOptions
  @OptionGroup var database: DatabaseOptions
  @OptionGroup var persons: PersonOptions
  @Option(help: "Seconds after which a device that nobody uses may be put to sleep.", read: .number(1...86_400))
  var deviceIdle = 1800
  @Option(
    help:
      "Seconds for which a console that stops still answers while it reports that it is not ready, so that balancers notice. (default: 2 with --database, else 0)",
    read: .number(0...300))
  var drainDelay: Int?
  @Option(
    help:
      "Pause before the second attempt of a call, in milliseconds; the later ones grow with it. For automated tests.",
    read: .number(1...1000))
  var retryPause = 1000
  @Option(help: "Who may register with the built-in backend: \(RegistrationMode.names).", read: .name)
  var registration = RegistrationMode.open
  @Flag(help: "Open no browser. Only a start on a terminal without a subcommand and without other flags opens one.")
  var noOpen = false

  /// How long requests in progress may take after a stop signal.
  private static let drain = Duration.seconds(10)

  /// Serves until SIGTERM or SIGINT; throws `StartFailure`.
  func run() async throws {
    // Files are only for this user.
    umask(0o077)
    let inherited = InheritedSocket.announced(ProcessInfo.processInfo.environment, process: getpid())
    try await Self.run(try ServeSettings(self, inheritedSockets: inherited))
  }

  /// Serves with these settings until SIGTERM or SIGINT; throws `StartFailure`. `onReady` is called after the ready line.
  ///
  /// - Parameter folder: The data folder, if it is locked already.
  static func run(
    _ settings: ServeSettings, in folder: DataFolder? = nil, onReady: (RunningConsole) -> Void = { _ in }
  ) async throws {
    let logger = ProgramOutput.logger(level: settings.logLevel)
    // Before the start, so that an early signal also stops it in order.
    let signals = await SignalStream.catching(SIGTERM, SIGINT)
    // A second signal while requests end must not end the process either.
    defer { withExtendedLifetime(signals) {} }
    CrashNote.begin(folder: settings.dataFolder)
    let console = try await RunningConsole.start(settings, in: folder, logger: logger)
    // Before the ready line, after which a signal needs a handler.
    let reloads = await Self.reloads(console)
    announce(console, logger)
    onReady(console)
    await signals.next()
    reloads?.cancel()
    await console.stop(within: drain)
  }

  /// Reloads the certificate and the pins at each SIGHUP; nil if there is nothing to reload: then closing the terminal ends the
  /// console, as usual.
  private static func reloads(_ console: RunningConsole) async -> Task<Void, Never>? {
    let certificate = console.certificateReload
    let pins = console.pinReload
    guard certificate != nil || pins != nil else { return nil }
    let signals = await SignalStream.catching(SIGHUP)
    return Task {
      while await signals.next() != nil {
        certificate?.run()
        pins?.run()
      }
      withExtendedLifetime(signals) {}
    }
  }

  private static func announce(_ console: RunningConsole, _ logger: Logger) {
    ProgramOutput.announce("understudy ready \(console.page) backend=\(console.backendName)", logger: logger)
  }
}

extension ServeCommand: CheckedFlags {
  static func check(_ given: inout GivenFlags) throws(StartFailure) {
    guard !(given["database"] && given["ephemeral"]) else { throw .usage("--database cannot be combined with --ephemeral") }
    try given.remove("data", beside: "ephemeral")
    try given.remove("data", beside: "database")
  }
}

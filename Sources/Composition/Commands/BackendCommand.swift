import ArgumentParser
import Backend
import Console
import Foundation
import Logging
import Reactor

/// `understudy backend`: the reference backend as a server of its own.
struct BackendCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backend", abstract: "Serve the reference backend over HTTPS.",
    discussion:
      "Every flag can also be set in the environment as UNDERSTUDY_<FLAG>, such as UNDERSTUDY_PORT=0; a flag takes precedence.")

  @Option(help: "Address to listen on: localhost, or an IP address.", read: .host) var host = "127.0.0.1"
  @Option(help: "Port to listen on; 0 picks a free one.", read: .port) var port: UInt16 = 8443
  @Option(help: "Folder for accounts, sessions and the certificate. (default: $XDG_STATE_HOME/understudy-backend)", read: .path)
  var data: String?
  @OptionGroup var database: DatabaseOptions
  @Option(help: "File with the 32-byte key that seals what is secret in the database; the same for every backend on it.")
  var vaultKeyFile: String?
  @Option(help: "Rate limits for messages: \(LimitsMode.names).", read: .name) var limits = LimitsMode.relaxed
  @Option(help: "Who may register: \(RegistrationMode.names).", read: .name) var registration = RegistrationMode.open
  @OptionGroup var signing: SigningOptions
  @OptionGroup var tls: TLSOptions
  @Option(help: "Origin of sign-in links, scheme://host[:port]. (default: the origin in the ready line)", read: .origin)
  var linkBase: Origin?
  @Option(help: "File with the token for /dev/inbox, /dev/clock and /dev/limits. (default: none, which disables them)")
  var devTokenFile: String?
  @Option(help: "How answers are spelled: \(BackendDialect.names).", read: .name) var dialect = BackendDialect.strict
  @Option(help: "Exported bundle or HAR file to answer from, instead of accounts and cues of its own.") var replay: String?
  @Option(help: "Log level: \(Logger.Level.names).", read: .name) var logLevel = Logger.Level.notice

  /// How long requests in progress may take after a stop signal.
  private static let drain = Duration.seconds(10)

  /// Serves until SIGTERM or SIGINT; throws `StartFailure`.
  func run() async throws {
    // Files are only for this user.
    umask(0o077)
    let signals = await SignalStream.catching(SIGTERM, SIGINT)
    // A second signal while requests end must not end the process either.
    defer { withExtendedLifetime(signals) {} }
    let settings = try BackendCommandSettings(self)
    let logger = ProgramOutput.logger(level: settings.logLevel)
    try await BackendCommandService.start(settings, drain: Self.drain, logger: logger).run(until: signals)
  }
}

extension BackendCommand: CheckedFlags {
  static func check(_ given: inout GivenFlags) throws(StartFailure) {
    try given.remove("data", beside: "database")
    guard given["database"] || !given.flags.contains("vault-key-file") else {
      throw .usage("--vault-key-file requires --database; without one, the key is in the data folder")
    }
    guard given["replay"] else { return }
    guard !given["database"] else {
      throw .usage("--database cannot be combined with --replay: each backend answers from a recording by itself")
    }
    for flag in ["dialect", "limits", "registration", "link-base"] where given[flag] {
      throw .usage("--\(flag) cannot be used with --replay: the recording says how the backend answers")
    }
  }
}

import ArgumentParser
import Console
import Foundation
import Locking
import Logging

/// `understudy check`: runs every account flow, headless, through the same use cases as the console.
struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Run every account flow against a backend and report what passes, fails or is skipped.",
    discussion: """
      Without --backend, a built-in backend is started for the run. Exits with 0 if nothing failed and 1 if a check failed; \
      other codes mean that the run could not start. Every flag can also be set in the environment as UNDERSTUDY_<FLAG>, such as UNDERSTUDY_FORMAT=junit; a flag takes precedence.
      """)

  @OptionGroup var connection: RemoteOptions
  @OptionGroup var signing: SigningOptions
  @Option(
    help: ArgumentHelp(
      "Run the Ith of N parts of the flows, so that N machines share a run; together they are the whole run.", valueName: "I/N"),
    read: FlagReader("I/N with 1 ≤ I ≤ N ≤ \(CheckCase.flows.count), the number of flows") { CheckShard($0) })
  var shard: CheckShard?
  @Option(
    help: """
      Email address or phone number to sign in with; with --shard, {shard} stands for I. (default, if there is an \
      inbox: a new address)
      """)
  var identifier: String?
  @Option(help: "File with the token for the backend's /dev/inbox and /dev/clock, where codes are read.") var devTokenFile:
    String?
  @Option(
    help: """
      Shell command that prints the code or link that was sent; $1 is the identifier, $2 the kind of message, \
      login_code or magic_link.
      """) var codeCommand: String?
  @Option(help: "File with the password to sign in with, for a backend file that asks for one.") var passwordFile: String?
  @Flag(help: "Also delete the account.") var allowDeletion = false
  @Option(help: "OpenAPI document, a file or URL: the run fails if a call or answer differs from it.") var openapi: String?
  @Flag(help: "With --openapi: report differences without failing.") var allowDrift = false
  @OptionGroup var masks: MaskOptions
  @Option(help: "Format of the report: \(CheckSettings.Format.names).", read: .name) var format = CheckSettings.Format.text
  @Option(help: "File for the report. (default: standard output)") var report: String?
  @Option(help: "Timeout of one check in seconds, 1 to 600.", read: .number(1...600)) var timeout = 30
  @Option(help: "Log level: \(Logger.Level.names).", read: .name) var logLevel = Logger.Level.critical

  /// Runs the checks and writes the report; exits with 1 if a check failed.
  func run() async throws {
    // Files are only for this user.
    umask(0o077)
    let settings = try CheckSettings(self)
    let logger = ProgramOutput.logger(level: settings.logLevel)
    let output = try ReportOutput(settings)
    let isText = settings.format == .text
    let text = TextReport(isColoured: output.isTerminal && ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty)
    let header = text.header(backend: settings.remote?.origin.text ?? "the built-in backend", shard: settings.shard)
    let run = CheckRun(settings: settings, logger: logger)
    let report = try await run.run { result in
      // Results are written as they arrive: a backend may require long waits.
      guard isText else { return }
      output.write((result.id == run.cases.first?.id ? header : "") + text.line(result))
    }
    switch settings.format {
    case .text: output.write(text.footer(report))
    case .json: output.write(JSONReport(report).text)
    case .junit: output.write(JUnitReport(report).text)
    }
    try output.check()
    if !report.hasPassed { throw ExitCode(1) }
  }
}

/// Where the report is written.
final class ReportOutput: Sendable {
  private let handle: FileHandle
  private let name: String
  /// Why the report is incomplete.
  private let failure = Locked<StartFailure?>(nil)
  /// Whether it is a terminal.
  let isTerminal: Bool

  /// Opens standard output or the report file; throws `StartFailure` (66) if the file cannot be written.
  init(_ settings: CheckSettings) throws(StartFailure) {
    guard let path = settings.report else {
      handle = .standardOutput
      name = "standard output"
      isTerminal = isatty(STDOUT_FILENO) == 1
      return
    }
    name = "--report: \(path)"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .inputMissing("\(name) cannot be written") }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    isTerminal = false
  }

  /// Writes without buffering, even into a pipe; `check` reports a failure, because a run ends in order without its report.
  func write(_ text: String) {
    failure.withLock { failure in
      guard failure == nil else { return }
      do throws(StartFailure) { try ProgramOutput.write(text, to: handle, named: name) } catch { failure = error }
    }
  }

  /// Throws `StartFailure` (66) if something could not be written.
  func check() throws(StartFailure) { if let failure = failure.withLock({ $0 }) { throw failure } }
}

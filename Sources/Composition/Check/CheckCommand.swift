package import ArgumentParser
import Foundation
import Locking
import Logging

/// `understudy check`: runs every account flow, headless, through the same use cases as the console.
package struct CheckCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Run every account flow against a backend and report what passes, fails or is skipped.",
    discussion: """
      Without --backend, an embedded backend is started for the run. Exits with 0 if nothing failed, otherwise \
      1. Every flag \
      can also be set in the environment as UNDERSTUDY_<FLAG>, such as UNDERSTUDY_FORMAT=junit; a flag takes precedence.
      """)

  @OptionGroup package var options: CheckOptions
  package init() {}

  /// Runs the checks and writes the report; exits with 1 if a check failed.
  package func run() async throws {
    // Files are only for this user.
    umask(0o077)
    let hasPassed: Bool
    do throws(StartFailure) {
      let settings = try CheckSettings(options, environment: EnvironmentFlags())
      let level = settings.logLevel
      LoggingSystem.bootstrap { label in
        var handler = StreamLogHandler.standardError(label: label)
        handler.logLevel = level
        return handler
      }
      hasPassed = try await Self.run(settings, logger: Logger(label: "understudy"))
    } catch {
      throw error.reported()
    }
    if !hasPassed { throw ExitCode(1) }
  }

  /// Runs the checks and writes the report; returns whether none failed. Throws `StartFailure`.
  private static func run(_ settings: CheckSettings, logger: Logger) async throws(StartFailure) -> Bool {
    let output = try ReportOutput(settings)
    let isText = settings.format == .text
    let text = TextReport(isColoured: output.isTerminal && ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty)
    let header = text.header(backend: settings.remote?.origin ?? "the embedded backend", shard: settings.shard)
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
    return report.hasPassed
  }
}

/// Where the report is written.
final class ReportOutput: Sendable {
  private let handle: FileHandle
  private let name: String
  /// Why the report is not whole.
  private let failure = Locked<StartFailure?>(nil)
  /// Whether it is a terminal.
  let isTerminal: Bool

  /// Opens standard output or the report file; throws `StartFailure` (66) if the file cannot be written.
  init(_ settings: CheckSettings) throws(StartFailure) {
    guard let path = settings.reportPath else {
      (handle, name) = (.standardOutput, "standard output")
      isTerminal = isatty(STDOUT_FILENO) == 1
      return
    }
    name = "--report: \(path)"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .inputMissing("\(name) cannot be written") }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    isTerminal = false
  }

  /// Writes without buffering, even into a pipe; a failure is told by `check`, since a run ends in order without its report.
  func write(_ text: String) {
    failure.withLock { failure in
      guard failure == nil else { return }
      do throws(StartFailure) { try ProgramOutput.write(text, to: handle, named: name) } catch { failure = error }
    }
  }

  /// Throws `StartFailure` (66) if something could not be written.
  func check() throws(StartFailure) { if let failure = failure.withLock({ $0 }) { throw failure } }
}

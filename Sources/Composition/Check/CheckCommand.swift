package import ArgumentParser
import Foundation
import Logging

/// `understudy check`: every account flow, headless, through the same use cases as the console's.
package struct CheckCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Try every account flow against a backend, and tell what passes, fails and was skipped.",
    discussion: """
      Without --backend an embedded one is made for the run. Exit 0 if nothing failed, 1 if something did. Every flag is also \
      UNDERSTUDY_<FLAG> in the environment, as UNDERSTUDY_FORMAT=junit; a flag wins.
      """)

  @OptionGroup package var options: CheckOptions

  /// Makes the command for ArgumentParser to fill.
  package init() {}

  /// Runs, reports, and exits 1 where a check failed.
  package func run() async throws {
    // Whatever is written is for this user alone.
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

  /// Makes the checks and writes the report; returns whether nothing failed. Throws `StartFailure`.
  private static func run(_ settings: CheckSettings, logger: Logger) async throws(StartFailure) -> Bool {
    let output = try ReportOutput(settings)
    let isText = settings.format == .text
    let text = TextReport(isColoured: output.isTerminal && ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty)
    let header = text.header(backend: settings.remote?.origin ?? "the embedded backend")
    let outcome = try await CheckRun(settings: settings, logger: logger).run { result in
      // As they come: a backend may ask for long waits.
      guard isText else { return }
      output.write((result.id == CheckCase.all.first?.id ? header : "") + text.line(result))
    }
    var report = outcome.report
    if settings.comparesWithEmbedded {
      let reference = try await CheckRun(settings: CheckSettings(comparedWith: settings), logger: logger).run()
      report.parity = ParityReport(outcome, reference: reference)
    }
    switch settings.format {
    case .text: output.write(text.footer(report))
    case .json: output.write(JSONReport(report).text)
    case .junit: output.write(JUnitReport(report).text)
    }
    return report.hasPassed
  }
}

/// Where the report goes.
private struct ReportOutput: Sendable {
  private let handle: FileHandle
  /// Whether somebody reads along.
  let isTerminal: Bool

  /// Standard output, or the file, made or emptied; throws `StartFailure` (66) where it cannot be written.
  init(_ settings: CheckSettings) throws(StartFailure) {
    guard let path = settings.reportPath else {
      handle = .standardOutput
      isTerminal = isatty(STDOUT_FILENO) == 1
      return
    }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .inputMissing("--report: \(path) cannot be written") }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    isTerminal = false
  }

  /// Writes at once, even into a pipe.
  func write(_ text: String) { handle.write(Data(text.utf8)) }
}

import Foundation
import Locking

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

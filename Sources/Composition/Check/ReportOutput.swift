import Foundation

/// Where the report is written.
struct ReportOutput: Sendable {
  private let handle: FileHandle
  /// Whether it is a terminal.
  let isTerminal: Bool

  /// Opens standard output or the report file; throws `StartFailure` (66) if the file cannot be written.
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

  /// Writes without buffering, even into a pipe.
  func write(_ text: String) { handle.write(Data(text.utf8)) }
}

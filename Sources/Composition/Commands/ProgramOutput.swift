import Foundation
import Logging

/// The program's printed output, without buffering, even into a pipe.
///
/// `FileHandle.write(_:)` and `print` are unsuitable: the first traps on a full disk or a closed pipe, and the second hides the
/// error.
package enum ProgramOutput {
  /// Writes to standard output; throws `StartFailure` (66) if it cannot be written.
  package static func write(_ text: String) throws(StartFailure) {
    try write(text, to: .standardOutput, named: "standard output")
  }

  /// Writes to a file that messages call by this name; throws `StartFailure` (66) if it cannot be written.
  static func write(_ text: String, to handle: FileHandle, named name: String) throws(StartFailure) {
    do { try handle.write(contentsOf: Data(text.utf8)) } catch { throw .inputMissing("\(name) cannot be written") }
  }

  /// The label of the access log's logger, which logs at info regardless of `--log-level`.
  static let accessLogLabel = "understudy.access"

  /// Sends logs of at least the level to standard error; returns the program's logger.
  static func logger(level: Logger.Level) -> Logger {
    LoggingSystem.bootstrap { label in
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = label == accessLogLabel ? .info : level
      return handler
    }
    return Logger(label: "understudy")
  }

  /// Prints that a server is ready; if that fails, the server logs a warning and continues.
  static func announce(_ line: String, logger: Logger) {
    do throws(StartFailure) { try write(line + "\n") } catch { logger.warning("\(error.message)") }
  }

  /// Prints a line to standard error; ignores a failure, because no other output is left.
  package static func complain(_ line: String) { complain(ofFile: "understudy: \(line)") }

  /// Prints a line that begins with the name of the file it is about.
  static func complain(ofFile line: String) { tell(line) }

  /// Prints a line for a person to standard error.
  static func tell(_ line: String) {
    try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
  }
}

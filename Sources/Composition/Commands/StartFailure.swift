package import ArgumentParser
import Foundation

/// Why the program cannot start: one line for a person, and an exit code of sysexits.h (contract §1).
package struct StartFailure: Error, Hashable, Sendable {
  package let exitCode: Int32
  package let message: String

  /// Something about the command line (64, `EX_USAGE`).
  package static func usage(_ message: String) -> StartFailure { StartFailure(exitCode: 64, message: message) }
  /// A file that is not there or cannot be read (66, `EX_NOINPUT`).
  package static func inputMissing(_ message: String) -> StartFailure { StartFailure(exitCode: 66, message: message) }
  /// A port or folder that somebody else holds (69, `EX_UNAVAILABLE`).
  package static func unavailable(_ message: String) -> StartFailure { StartFailure(exitCode: 69, message: message) }
  /// Settings that do not go together or are not safe (78, `EX_CONFIG`).
  package static func configuration(_ message: String) -> StartFailure { StartFailure(exitCode: 78, message: message) }

  /// An address as it may be quoted: whatever stands before its `@` can be a password.
  static func quoted(_ address: String) -> String {
    address.lastIndex(of: "@").map { "…" + address[$0...] } ?? address
  }
}

extension StartFailure {
  /// Prints the one line to standard error and becomes the exit code.
  package func reported() -> ExitCode {
    FileHandle.standardError.write(Data("understudy: \(message)\n".utf8))
    return ExitCode(exitCode)
  }
}

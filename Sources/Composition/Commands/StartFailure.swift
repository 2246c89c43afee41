package import ArgumentParser

/// Why the program cannot start: a one-line message and an exit code of sysexits.h.
package struct StartFailure: Error, Hashable, Sendable {
  package let exitCode: Int32
  package let message: String

  /// An error in the command line (64, `EX_USAGE`).
  package static func usage(_ message: String) -> StartFailure { StartFailure(exitCode: 64, message: message) }
  /// A file that is missing or unreadable (66, `EX_NOINPUT`).
  package static func inputMissing(_ message: String) -> StartFailure { StartFailure(exitCode: 66, message: message) }
  /// A port or folder that is in use (69, `EX_UNAVAILABLE`).
  package static func unavailable(_ message: String) -> StartFailure { StartFailure(exitCode: 69, message: message) }
  /// Settings that contradict each other or are not safe (78, `EX_CONFIG`).
  package static func configuration(_ message: String) -> StartFailure { StartFailure(exitCode: 78, message: message) }

  /// Text that is safe to quote: in an address, everything before the `@` may be a password.
  static func quoted(_ address: String) -> String {
    address.lastIndex(of: "@").map { "…" + address[$0...] } ?? address
  }
}

extension StartFailure {
  /// Prints the message to standard error and returns the exit code.
  package func reported() -> ExitCode {
    ProgramOutput.complain(message)
    return ExitCode(exitCode)
  }
}

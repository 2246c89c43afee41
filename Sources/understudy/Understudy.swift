import ArgumentParser
import CLinux
import Composition
import Foundation
import Reactor

/// The program's entry point.
@main
enum Understudy {
  /// Parses the command line and runs what it names; a mistake in it is one line and exit code 64 (contract §1).
  static func main() async {
    ProcessHardening.disableBacktraces()
    ProcessHardening.forbidDumps()
    clinux_limit_arenas()
    TLSLibrary.keepUntilTheEnd()
    do {
      var command = try UnderstudyCommand.parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      // An exit code was thrown by a command that has said why.
      if !(error is ExitCode), UnderstudyCommand.exitCode(for: error) == .validationFailure {
        let line = UnderstudyCommand.message(for: error).split(separator: "\n").first ?? "wrong use"
        FileHandle.standardError.write(Data("understudy: \(line) (see understudy --help)\n".utf8))
        UnderstudyCommand.exit(withError: ExitCode.validationFailure)
      }
      UnderstudyCommand.exit(withError: error)
    }
  }
}

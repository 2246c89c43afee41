import ArgumentParser
import CLinux
import Composition
import Reactor

/// The program's entry point.
@main
enum Understudy {
  /// Parses the command line and runs the command; prints a mistake in it as one line and exits with 64 (`EX_USAGE`).
  static func main() async {
    ProcessHardening.disableBacktraces()
    ProcessHardening.forbidDumps()
    clinux_limit_arenas()
    TLSLibrary.keepUntilTheEnd()
    do {
      var command = try UnderstudyCommand.parsed(CommandLine.arguments.dropFirst())
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      // A command that throws an exit code has printed why.
      if !(error is ExitCode), UnderstudyCommand.exitCode(for: error) == .validationFailure {
        let line = UnderstudyCommand.message(for: error).split(separator: "\n").first ?? "invalid usage"
        ProgramOutput.complain("\(line) (see understudy --help)")
        UnderstudyCommand.exit(withError: ExitCode.validationFailure)
      }
      UnderstudyCommand.exit(withError: error)
    }
  }
}

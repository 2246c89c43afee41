import ArgumentParser
import CLinux
import Composition
import Reactor

/// The program's entry point.
@main
enum Understudy {
  /// Parses the command line and runs the command; prints a failure as one line.
  static func main() async {
    ProcessHardening.disableBacktraces()
    ProcessHardening.forbidDumps()
    clinux_limit_arenas()
    TLSLibrary.disableExitCleanup()
    do {
      var command = try UnderstudyCommand.parsed(CommandLine.arguments.dropFirst())
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      UnderstudyCommand.exit(withError: (error as? StartFailure)?.reported() ?? error)
    }
  }
}

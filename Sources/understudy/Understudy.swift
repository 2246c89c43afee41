import ArgumentParser
import Composition

/// The program's entry point.
@main
enum Understudy {
  /// Parses the command line and runs what it names.
  static func main() async { await UnderstudyCommand.main() }
}

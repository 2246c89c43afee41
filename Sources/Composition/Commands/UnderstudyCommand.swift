package import ArgumentParser

/// The program: its subcommands, of which `serve` is the one that is meant where none is named.
package struct UnderstudyCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "understudy",
    abstract: "A stand-in for the phone: the app's account flows and every request of them, in a browser.",
    version: Version.text,
    subcommands: [
      ServeCommand.self, BackendCommand.self, CheckCommand.self, HealthcheckCommand.self, VersionCommand.self,
    ], defaultSubcommand: ServeCommand.self)

  /// Makes the command for ArgumentParser to fill.
  package init() {}
}

/// `understudy version`.
package struct VersionCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(commandName: "version", abstract: "Print the version.")

  /// Makes the command for ArgumentParser to fill.
  package init() {}

  /// Prints the version.
  package func run() { print(Version.text) }
}

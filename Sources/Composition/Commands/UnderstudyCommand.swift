package import ArgumentParser

/// The program and its subcommands; `serve` is the default.
package struct UnderstudyCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "understudy",
    abstract: "A stand-in for the phone app: its account flows and every request they make, in a browser.",
    version: Version.text,
    subcommands: [
      ServeCommand.self, BackendCommand.self, CheckCommand.self, CompareCommand.self, ImportCommand.self,
      DatabaseCommand.self, HealthcheckCommand.self, VersionCommand.self,
    ], defaultSubcommand: ServeCommand.self)
  package init() {}
}

/// `understudy version`.
package struct VersionCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(commandName: "version", abstract: "Print the version.")
  package init() {}

  /// Prints the version.
  package func run() throws {
    do throws(StartFailure) { try ProgramOutput.write(Version.text + "\n") } catch { throw error.reported() }
  }
}

/// The version of this build.
package enum Version {
  /// Semantic version (semver.org).
  package static let text = "0.1.0"
}

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

  /// The command that the arguments name, with its flags; throws what `ArgumentParser` prints, such as a mistake or the help.
  ///
  /// Flags of a server are parsed by themselves first: on the way from the root, `ArgumentParser` describes all of them five times.
  package static func parsed(_ arguments: some Sequence<String>) throws -> any ParsableCommand {
    let arguments = Array(arguments)
    let servers: [any ParsableCommand.Type] = [ServeCommand.self, BackendCommand.self]
    if let server = servers.first(where: { $0.configuration.commandName == arguments.first }),
      let command = try? server.parse(Array(arguments.dropFirst()))
    {
      return command
    }
    return try parseAsRoot(arguments)
  }
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

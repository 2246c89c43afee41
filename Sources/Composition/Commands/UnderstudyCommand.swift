package import ArgumentParser

/// The program and its subcommands; `serve` is the default.
package struct UnderstudyCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "understudy",
    abstract: "A stand-in for the phone app: its account flows and every request they make, in a browser.",
    version: Version.text,
    subcommands: [
      ServeCommand.self, BackendCommand.self, BackendFileCommand.self, CheckCommand.self, CompareCommand.self, DriftCommand.self,
      ExplainCommand.self, ImportCommand.self, DatabaseCommand.self, DoctorCommand.self, HealthcheckCommand.self,
      VersionCommand.self,
    ], defaultSubcommand: ServeCommand.self)
  package init() {}

  /// The command that the arguments name, with its flags and the variables that stand in for others.
  ///
  /// Its flags are parsed alone first: parsing from the root, `ArgumentParser` describes all of them five times.
  ///
  /// Throws `StartFailure`: 64 for a mistake, and otherwise the errors that `ArgumentParser` prints, such as the help.
  ///
  /// - Parameter isTerminal: Whether a person typed the arguments on a terminal, which matters only without arguments.
  package static func parsed(
    _ arguments: some Sequence<String>, _ environment: EnvironmentFlags = EnvironmentFlags(),
    isTerminal: Bool = Surroundings.isTerminal
  ) throws -> any ParsableCommand {
    let arguments = Array(arguments)
    var command: any ParsableCommand.Type = Self.self
    var words: ArraySlice<String> = arguments[...]
    while let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == words.first }) {
      (command, words) = (next, words.dropFirst())
    }
    if command == Self.self {
      let isAlone = words.allSatisfy { $0 == "--no-open" } && environment.isEmpty(except: "no-open")
      command = isAlone && isTerminal ? StartCommand.self : ServeCommand.self
    }
    do {
      return try command.parse(try environment.arguments(for: command, beside: words) + words)
    } catch {
      do { _ = try command.parse(Array(words)) } catch {
        if let refusal = refusal(error, of: command, name: { "--\($0)" }) { throw refusal }
        return try parsedAsRoot(arguments)
      }
      // The arguments alone are valid: the mistake is in a variable.
      throw error as? StartFailure ?? refusal(error, of: command, name: EnvironmentFlags.name) ?? error
    }
  }

  /// The failure for a flag's invalid value, with the flag's `name`; nil for another error.
  private static func refusal(
    _ error: any Error, of command: any ParsableCommand.Type, name: (String) -> String
  ) -> StartFailure? {
    let line = line(command.message(for: error))
    guard let (_, text, flag, reason) = line.wholeMatch(of: /The value '(.*)' is invalid for '--(\S+) <.*>': (.*)/)?.output else {
      return nil
    }
    return .usage("\(name(String(flag))): '\(StartFailure.quoted(String(text)).prefix(100))' \(reason)")
  }

  private static func parsedAsRoot(_ arguments: [String]) throws -> any ParsableCommand {
    do { return try parseAsRoot(arguments) } catch {
      guard exitCode(for: error) == .validationFailure else { throw error }
      throw StartFailure.usage("\(line(message(for: error))) (see understudy --help)")
    }
  }

  private static func line(_ message: String) -> String { message.split(whereSeparator: \.isNewline).joined(separator: " ") }
}

/// `understudy version`.
struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "version", abstract: "Print the version.")

  /// Prints the version.
  func run() throws { try ProgramOutput.write(Version.text + "\n") }
}

/// The version of this build.
package enum Version {
  /// Semantic version (semver.org).
  package static let text = "0.1.0"
}

import ArgumentParser
import BackendFile
import Console
import Observability

/// `understudy backend-file`: checks a backend file, or begins one.
struct BackendFileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backend-file", abstract: "Check or begin a file that describes another backend.",
    subcommands: [CheckBackendFileCommand.self, NewBackendFileCommand.self])

  /// Reads a file; throws `StartFailure` (66) if it cannot be read, and `BackendFileError`.
  static func read(_ path: String) throws -> BackendDefinition {
    guard let file = FileBytes(path: path),
      let bytes = try? file.read(at: 0, min(file.count, BackendDefinition.maximumBytes + 1))
    else { throw StartFailure.inputMissing("\(path) cannot be read") }
    return try BackendDefinition(parsing: bytes, file: path)
  }

  /// Reads a file. If it is wrong, prints why and throws the exit code 78.
  static func readOrReport(_ path: String) throws -> BackendDefinition { try reporting { try read(path) } }

  /// Returns the result of `make`. If the file is wrong, prints why and throws the exit code 78.
  fileprivate static func reporting<Result>(_ make: () throws -> Result) throws -> Result {
    do { return try make() } catch let error as BackendFileError {
      // Without the program's name, so that an editor finds file, line and column.
      ProgramOutput.complain(ofFile: error.text)
      throw ExitCode(StartFailure.configuration("").exitCode)
    }
  }
}

/// `understudy backend-file check`: prints the file's content and exits with 0; or prints one line about the mistake, and exits
/// with 78, or 66 if the file cannot be read.
struct CheckBackendFileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check a backend file and print a summary, or the first error.",
    discussion: """
      With --backend, requests may go to that backend and to the hosts of --backend-file-host only, as when the console starts. \
      Without it, their hosts are listed.
      """)

  @Argument(help: "The backend file.") var file: String
  @Option(help: "Origin of the backend, https://host[:port].", read: .origin) var backend: Origin?
  @Option(help: "Host that requests may go to, host[:port]; can be repeated.", read: .allowedHost) var backendFileHost:
    [AllowedHost] = []

  func run() throws {
    let definition = try BackendFileCommand.reporting {
      let definition = try BackendFileCommand.read(file)
      guard let backend else { return definition }
      guard let (origin, _) = WebOrigin.read(backend.text) else {
        throw StartFailure.configuration("--backend: write https and a host name")
      }
      return try definition.bound(to: origin, others: backendFileHost)
    }
    try ProgramOutput.write(definition.summary)
  }
}

/// `understudy backend-file new`: prints a file to begin with; exits with 66 if a recording cannot be read, or shows no sign-in.
struct NewBackendFileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Print a commented backend file to begin with.",
    discussion: """
      With --from, the sign-in, the refresh, the call for the account and the sign-out of a recorded session are filled in: \
      requests, members of bodies, captures, and how the token is sent. Comments say what the session does not show. No value of the \
      session is printed.
      """)

  @Option(help: "Recorded session: an exported zip, its rows.json, or a HAR file of any program.") var from: String?

  func run() throws {
    try ProgramOutput.write(try from.map { path in try RecordingFile.draft(path) } ?? StarterFile.text)
  }
}

extension FlagReader where Value == AllowedHost {
  static var allowedHost: Self { FlagReader("a host name with an optional port") { AllowedHost($0) } }
}

package import ArgumentParser
import Console
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// `understudy serve`: the console.
package struct ServeCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve the console on localhost.",
    discussion: "Every flag is also UNDERSTUDY_<FLAG> in the environment, as UNDERSTUDY_PORT=0; a flag wins.")

  @OptionGroup package var options: ServeOptions

  /// Makes the command for ArgumentParser to fill.
  package init() {}

  /// How long requests under way may take once a stop was asked for.
  private static let drain = Duration.seconds(10)

  /// Serves until SIGTERM or SIGINT.
  package func run() async throws {
    let settings: ServeSettings
    do throws(StartFailure) {
      settings = try ServeSettings(options, environment: EnvironmentFlags())
    } catch {
      throw error.reported()
    }
    let level = settings.logLevel
    LoggingSystem.bootstrap { label in
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = level
      return handler
    }
    let logger = Logger(label: "understudy")
    let console: RunningConsole
    do throws(StartFailure) { console = try await RunningConsole.start(settings, logger: logger) } catch {
      throw error.reported()
    }
    Self.announce(console)
    let group = ServiceGroup(
      configuration: .init(
        services: [.init(service: ConsoleService(console: console, drain: Self.drain))],
        gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
    try await group.run()
  }

  /// Prints the ready line of the contract (§1), at once even into a pipe.
  private static func announce(_ console: RunningConsole) {
    let access = console.accessToken.map { "/#access=\($0)" } ?? ""
    let line = "understudy ready \(console.home.text)\(access) backend=\(console.backendName)\n"
    FileHandle.standardOutput.write(Data(line.utf8))
  }
}

/// A running console as a service that ends when it is asked to.
private struct ConsoleService: Service {
  let console: RunningConsole
  let drain: Duration

  func run() async throws {
    try? await gracefulShutdown()
    await console.stop(within: drain)
  }
}

extension StartFailure {
  /// Prints the one line to standard error and becomes the exit code.
  package func reported() -> ExitCode {
    FileHandle.standardError.write(Data("understudy: \(message)\n".utf8))
    return ExitCode(exitCode)
  }
}

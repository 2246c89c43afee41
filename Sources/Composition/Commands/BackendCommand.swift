package import ArgumentParser
import Backend
import Foundation
import Logging
import Reactor

/// `understudy backend`: the reference backend as a server of its own.
package struct BackendCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "backend", abstract: "Serve the reference backend over HTTPS.",
    discussion:
      "Every flag can also be set in the environment as UNDERSTUDY_<FLAG>, such as UNDERSTUDY_PORT=0; a flag takes precedence.")

  @OptionGroup package var options: BackendCommandOptions
  package init() {}

  /// How long requests in progress may take after a stop signal.
  private static let drain = Duration.seconds(10)

  /// Serves until SIGTERM or SIGINT.
  package func run() async throws {
    // Files are only for this user.
    umask(0o077)
    let signals = await SignalStream.catching(SIGTERM, SIGINT)
    // A second signal while requests end must not end the process either.
    defer { withExtendedLifetime(signals) {} }
    let running: BackendCommandService
    let logger: Logger
    do throws(StartFailure) {
      let settings = try BackendCommandSettings(options, environment: EnvironmentFlags())
      let level = settings.logLevel
      LoggingSystem.bootstrap { label in
        var handler = StreamLogHandler.standardError(label: label)
        handler.logLevel = level
        return handler
      }
      logger = Logger(label: "understudy")
      running = try await BackendCommandService.start(settings, drain: Self.drain, logger: logger)
    } catch {
      throw error.reported()
    }
    await running.run(until: signals)
  }
}

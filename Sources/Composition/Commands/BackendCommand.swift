package import ArgumentParser
import Backend
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// `understudy backend`: the reference backend alone.
package struct BackendCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "backend", abstract: "Serve the reference backend alone, over HTTPS.",
    discussion: "Every flag is also UNDERSTUDY_<FLAG> in the environment, as UNDERSTUDY_PORT=0; a flag wins.")

  @OptionGroup package var options: BackendCommandOptions

  /// Makes the command for ArgumentParser to fill.
  package init() {}

  /// How long requests under way may take once a stop was asked for.
  private static let drain = Duration.seconds(10)

  /// Serves until SIGTERM or SIGINT.
  package func run() async throws {
    // Whatever is written is for this user alone.
    umask(0o077)
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
    let group = ServiceGroup(
      configuration: .init(
        services: [.init(service: running)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
    try await group.run()
  }
}

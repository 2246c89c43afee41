package import ArgumentParser
import Console
import Foundation
import Logging
import Reactor
import ServiceLifecycle
import UnixSignals

/// `understudy serve`: the console.
package struct ServeCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve the console on localhost.",
    discussion:
      "Every flag can also be set in the environment as UNDERSTUDY_<FLAG>, such as UNDERSTUDY_PORT=0; a flag takes precedence.")

  @OptionGroup package var options: ServeOptions
  package init() {}

  /// How long requests in progress may take after a stop signal.
  private static let drain = Duration.seconds(10)

  /// Serves until SIGTERM or SIGINT.
  package func run() async throws {
    // Files are only for this user.
    umask(0o077)
    let settings: ServeSettings
    do throws(StartFailure) {
      let inherited = InheritedSocket.announced(ProcessInfo.processInfo.environment, process: getpid())
      settings = try ServeSettings(options, environment: EnvironmentFlags(), inheritedSockets: inherited)
    } catch {
      throw error.reported()
    }
    let level = settings.logLevel
    LoggingSystem.bootstrap { label in
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = label == ServeSettings.accessLogLabel ? .info : level
      return handler
    }
    let logger = Logger(label: "understudy")
    let service = ConsoleService(settings: settings, drain: Self.drain, logger: logger)
    let group = ServiceGroup(
      configuration: .init(
        services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
        gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
    do { try await group.run() } catch let failure as StartFailure { throw failure.reported() }
  }
}

/// A console as a service that starts, prints the ready line and stops on request.
///
/// It starts within the service group, which handles signals already, so that an early one also stops it in order.
private struct ConsoleService: Service, CustomStringConvertible {
  let settings: ServeSettings
  let drain: Duration
  let logger: Logger

  /// What the service group logs: the settings contain secrets, and a value without a description shows all its members.
  var description: String { "console" }

  func run() async throws {
    let console = try await RunningConsole.start(settings, logger: logger)
    Self.announce(console)
    let (certificate, pins) = (console.certificateReload, console.pinReload)
    var reloads: Task<Void, Never>?
    if certificate != nil || pins != nil {
      reloads = Task {
        // Handled only if there is something to reload: otherwise closing the terminal ends the console, as usual.
        for await _ in await UnixSignalsSequence(trapping: .sighup) {
          certificate?.run()
          pins?.run()
        }
      }
    }
    try? await gracefulShutdown()
    reloads?.cancel()
    await console.stop(within: drain)
  }

  /// Prints the ready line, without buffering even into a pipe.
  private static func announce(_ console: RunningConsole) {
    let access = console.accessToken.map { "/#access=\($0)" } ?? ""
    let line = "understudy ready \(console.home.text)\(access) backend=\(console.backendName)\n"
    FileHandle.standardOutput.write(Data(line.utf8))
  }
}

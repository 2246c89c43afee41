package import ArgumentParser
import Console
import Foundation
import Logging
import Reactor

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
    // Before the start, so that an early signal also stops it in order.
    let signals = await SignalStream.catching(SIGTERM, SIGINT)
    // A second signal while requests end must not end the process either.
    defer { withExtendedLifetime(signals) {} }
    CrashNote.begin(folder: settings.dataFolder)
    let console: RunningConsole
    do throws(StartFailure) {
      console = try await RunningConsole.start(settings, logger: logger)
    } catch {
      throw error.reported()
    }
    // Before the ready line, after which a signal must find somebody who waits for it.
    let reloads = await Self.reloads(console)
    Self.announce(console, logger)
    await signals.next()
    reloads?.cancel()
    await console.stop(within: Self.drain)
  }

  /// Reloads the certificate and the pins at each SIGHUP; nil if there is nothing to reload: then closing the terminal ends the
  /// console, as usual.
  private static func reloads(_ console: RunningConsole) async -> Task<Void, Never>? {
    let (certificate, pins) = (console.certificateReload, console.pinReload)
    guard certificate != nil || pins != nil else { return nil }
    let signals = await SignalStream.catching(SIGHUP)
    return Task {
      while await signals.next() != nil {
        certificate?.run()
        pins?.run()
      }
      withExtendedLifetime(signals) {}
    }
  }

  private static func announce(_ console: RunningConsole, _ logger: Logger) {
    let access = console.accessToken.map { "/#access=\($0)" } ?? ""
    ProgramOutput.announce(
      "understudy ready \(console.home.text)\(access) backend=\(console.backendName)", logger: logger)
  }
}

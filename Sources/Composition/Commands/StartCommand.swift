import ArgumentParser
import Console
import Foundation
import Reactor

/// `understudy` without arguments, typed on a terminal: starts the console and opens its page, or opens the page of the console
/// that runs already.
struct StartCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "understudy", shouldDisplay: false)

  /// The console, all of whose flags but `--no-open` have their defaults.
  @OptionGroup var serve: ServeCommand

  /// The ports that are tried in order.
  static let ports = Array(ServeCommand.usualPort..<ServeCommand.usualPort + 20)
  /// How long to wait for a process that uses the data folder without being a ready console: it may be starting or stopping.
  private static let patience = Duration.seconds(10)

  /// Serves until SIGTERM or SIGINT, if no console uses the data yet; throws `StartFailure`.
  func run() async throws {
    // Files are only for this user.
    let fileMask = umask(0o077)
    guard InheritedSocket.announced(ProcessInfo.processInfo.environment, process: getpid()).isEmpty else {
      return try await serve.run()
    }
    let browser = serve.noOpen ? nil : WebBrowser(Surroundings(), fileMask: fileMask)
    let settings = try ServeSettings(serve, ports: Self.ports)
    guard let path = settings.dataFolder else { return try await serve.run() }
    guard let folder = try await Self.lock(path, browser) else { return }
    try await ServeCommand.run(settings, in: folder) { console in
      // Without a token in the arguments, which other users can read.
      let isOpened = console.accessToken == nil && browser?.open(console.home.text) == true
      StartNotice(
        home: console.home, page: console.page, earlier: console.earlierHome, dataFolder: path, opensBrowser: isOpened
      ).lines.forEach(ProgramOutput.tell)
    }
  }

  /// Locks the data folder; nil if a ready console uses it, whose page is opened instead. Throws `StartFailure`.
  private static func lock(_ path: String, _ browser: WebBrowser?) async throws -> DataFolder? {
    let deadline = ContinuousClock.now + patience
    var isTold = false
    while true {
      let failure: StartFailure
      do throws(StartFailure) { return try ConsoleData.lock(path) } catch {
        guard error.exitCode == StartFailure.unavailable("").exitCode else { throw error }
        failure = error
      }
      if let home = AddressFile(folder: path).read(), home.isReady, home.origin.isLoopback,
        HealthProbe(port: home.origin.port).isHealthy(ofOwnUser: true)
      {
        let address = home.origin.text
        let isOpened = browser?.open(address) == true
        ProgramOutput.tell(
          "Understudy runs already, at \(address)" + (isOpened ? ", which opens in the browser." : ". Open it in a browser."))
        return nil
      }
      guard ContinuousClock.now < deadline else { throw failure }
      if !isTold { ProgramOutput.tell("Waiting for the process that uses \(path).") }
      isTold = true
      try await Task.sleep(for: .milliseconds(100))
    }
  }
}

import ArgumentParser

/// `understudy healthcheck`: checks the console on this machine; for containers.
struct HealthcheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "healthcheck", abstract: "Exit with 0 if the console on this machine is healthy.")

  @Option(help: "Port of the console.", read: .port) var port = ServeCommand.usualPort

  /// Probes once, in plain text and then over TLS; exits with 69 without a 200.
  func run() throws {
    guard HealthProbe(port: port).isHealthy() else { throw StartFailure.unavailable("no healthy console on port \(port)") }
  }
}

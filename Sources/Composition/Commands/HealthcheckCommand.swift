package import ArgumentParser

/// `understudy healthcheck`: checks the console on this machine; for containers.
package struct HealthcheckCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "healthcheck", abstract: "Exit with 0 if the console on this machine is healthy.")

  @Option(help: "Port of the console. (default: UNDERSTUDY_PORT or 8080)") package var port: UInt16?
  package init() {}

  /// Probes once, in plain text and then over TLS; exits with 69 without a 200.
  package func run() throws {
    let port: UInt16
    do throws(StartFailure) {
      port = try EnvironmentFlags().number("port", given: self.port) ?? 8080
    } catch {
      throw error.reported()
    }
    guard HealthProbe(port: port).isHealthy() else {
      throw StartFailure.unavailable("no healthy console on port \(port)").reported()
    }
  }
}

package import ArgumentParser

/// `understudy healthcheck`: asks the console of this machine whether it answers; for containers.
package struct HealthcheckCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "healthcheck", abstract: "Exit 0 if the console on this machine answers.")

  @Option(help: "Port of the console. (default: UNDERSTUDY_PORT or 8080)") package var port: UInt16?

  /// Makes the command for ArgumentParser to fill.
  package init() {}

  /// Asks once, plainly and then over TLS; exits 69 where there is no 200.
  package func run() throws {
    let port: UInt16
    do throws(StartFailure) {
      port = try EnvironmentFlags().number("port", given: self.port) ?? 8080
    } catch {
      throw error.reported()
    }
    guard HealthProbe(port: port).isHealthy() else {
      throw StartFailure.unavailable("nothing healthy on port \(port)").reported()
    }
  }
}

import Client
import Logging

/// Takes changed pins into use without a restart, as SIGHUP asks for.
package struct PinReload: Sendable {
  let source: PinSource
  let transport: RotatingTransport
  let logger: Logger

  /// Reads the file again; pins that cannot be read leave those before in use, and one line tells why.
  package func run() {
    do {
      try transport.rotate(to: try source.read())
      logger.notice("pins reloaded")
    } catch let failure as StartFailure {
      logger.error("pins kept: \(failure.message)")
    } catch {
      logger.error("pins kept: the HTTP client cannot start anew")
    }
  }
}

import Client
import Logging
import Reactor

/// Replaces the certificate without a restart, on SIGHUP.
package struct CertificateReload: Sendable {
  let context: TLSContext
  let files: TLSFiles
  let logger: Logger

  /// Reads the files again; if the pair is unusable, keeps the old one and logs why.
  package func run() {
    do {
      try context.replace([try files.reread()])
      logger.notice("certificate reloaded")
    } catch let failure as StartFailure {
      logger.error("certificate kept: \(failure.message)")
    } catch {
      logger.error("certificate kept: --tls-certificate: the certificate does not match the key or is invalid")
    }
  }
}

/// Replaces the pins without a restart, on SIGHUP.
package struct PinReload: Sendable {
  let source: PinSource
  let transport: RotatingTransport
  let logger: Logger

  /// Reads the file again; if it is invalid, keeps the old pins and logs why.
  package func run() {
    do {
      try transport.rotate(to: try source.read())
      logger.notice("pins reloaded")
    } catch let failure as StartFailure {
      logger.error("pins kept: \(failure.message)")
    } catch {
      logger.error("pins kept: the HTTP client cannot be restarted")
    }
  }
}

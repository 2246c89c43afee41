import Client
import Logging
import Reactor

/// Takes a renewed certificate into use without a restart, as SIGHUP asks for.
package struct CertificateReload: Sendable {
  let context: TLSContext
  let files: TLSFiles
  let logger: Logger

  /// Reads the files again; a pair that cannot be used leaves the old one in use, and one line tells why.
  package func run() {
    do {
      try context.replace([try files.reread()])
      logger.notice("certificate reloaded")
    } catch let failure as StartFailure {
      logger.error("certificate kept: \(failure.message)")
    } catch {
      logger.error("certificate kept: --tls-certificate: certificate and key cannot be used together")
    }
  }
}

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

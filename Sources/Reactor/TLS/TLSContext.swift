import COpenSSL
import Locking

/// A server's TLS settings: TLS 1.2 and 1.3, ALPN `http/1.1`, certificate selection by server name (SNI), and session tickets; no
/// renegotiation, compression or early data.
package final class TLSContext: Sendable {
  private let current: Locked<TLSCertificateTable>
  private let now: @Sendable () -> ContinuousClock.Instant

  /// - Parameters:
  ///   - certificates: the first is used for clients that name no server, or a server without a certificate.
  ///   - now: the clock for replacing the session ticket keys.
  /// - Throws: ``ReactorError/badCertificate``, also for an empty array; ``ReactorError/badPrivateKey``,
  ///   ``ReactorError/tlsSetup``.
  package init(
    _ certificates: [TLSCertificate], now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) throws(ReactorError) {
    self.now = now
    current = Locked(try TLSCertificateTable(certificates, now: now))
  }

  /// Uses one certificate for every client; throws like ``init(_:now:)``.
  package convenience init(certificatePEM: String, privateKeyPEM: String) throws(ReactorError) {
    try self.init([TLSCertificate(certificatePEM: certificatePEM, privateKeyPEM: privateKeyPEM)])
  }

  /// Replaces the certificates for new connections; on failure the old ones stay.
  ///
  /// Earlier sessions cannot be resumed, so none outlives its certificate.
  ///
  /// - Throws: Like ``init(_:now:)``.
  package func replace(_ certificates: [TLSCertificate]) throws(ReactorError) {
    let new = try TLSCertificateTable(certificates, now: now)
    current.withLock { $0 = new }
  }

  /// The certificates for a new connection.
  var table: TLSCertificateTable { current.withLock { $0 } }
}

/// Process-wide settings of OpenSSL.
package enum TLSLibrary {
  /// Keeps OpenSSL from freeing its memory at `exit`.
  ///
  /// A thread that ends at that moment frees its own part too, which crashes (OPENSSL_init_crypto(3)). A program must call this
  /// before any use of the library.
  package static func disableExitCleanup() {
    OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
  }
}

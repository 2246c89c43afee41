import COpenSSL
import Synchronization

/// A server's certificate, key and TLS settings: TLS 1.2 and 1.3, ALPN `http/1.1`, session tickets; no renegotiation, no
/// compression, no early data.
package final class TLSContext: Sendable {
  private let current: Mutex<TLSContextHandle>

  /// - Parameters:
  ///   - certificatePEM: the server's certificate first, then its intermediate ones.
  ///   - privateKeyPEM: the first certificate's key, not encrypted.
  /// - Throws: ``ReactorError/badCertificate``, ``ReactorError/badPrivateKey``, ``ReactorError/tlsSetup``.
  package init(certificatePEM: String, privateKeyPEM: String) throws(ReactorError) {
    current = Mutex(try TLSContextHandle(certificatePEM: certificatePEM, privateKeyPEM: privateKeyPEM))
  }

  /// Uses another certificate for connections that begin from now on; on failure the old one stays.
  ///
  /// - Throws: as ``init(certificatePEM:privateKeyPEM:)``.
  package func replace(certificatePEM: String, privateKeyPEM: String) throws(ReactorError) {
    let new = try TLSContextHandle(certificatePEM: certificatePEM, privateKeyPEM: privateKeyPEM)
    current.withLock { $0 = new }
  }

  /// The settings for one more connection.
  var handle: TLSContextHandle { current.withLock { $0 } }
}

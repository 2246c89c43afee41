import Locking

/// A server's certificates, keys and TLS settings: TLS 1.2 and 1.3, ALPN `http/1.1`, a certificate by the client's server name,
/// session tickets under keys of its own; no renegotiation, no compression, no early data.
package final class TLSContext: Sendable {
  private let current: Locked<TLSCertificateTable>
  private let now: @Sendable () -> ContinuousClock.Instant

  /// - Parameters:
  ///   - certificates: the first is used for clients that name no server, or one that no certificate is for.
  ///   - now: the clock by which the keys of session tickets are replaced.
  /// - Throws: ``ReactorError/badCertificate``, also where there is none; ``ReactorError/badPrivateKey``,
  ///   ``ReactorError/tlsSetup``.
  package init(
    _ certificates: [TLSCertificate], now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) throws(ReactorError) {
    self.now = now
    current = Locked(try TLSCertificateTable(certificates, now: now))
  }

  /// One certificate for every client; throws as ``init(_:now:)``.
  package convenience init(certificatePEM: String, privateKeyPEM: String) throws(ReactorError) {
    try self.init([TLSCertificate(certificatePEM: certificatePEM, privateKeyPEM: privateKeyPEM)])
  }

  /// Uses other certificates for connections that begin from now on; on failure the old ones stay.
  ///
  /// Sessions made before are not resumed: none outlives the certificate that it was made under.
  ///
  /// - Throws: as ``init(_:now:)``.
  package func replace(_ certificates: [TLSCertificate]) throws(ReactorError) {
    let new = try TLSCertificateTable(certificates, now: now)
    current.withLock { $0 = new }
  }

  /// Uses one other certificate; see ``replace(_:)``.
  package func replace(certificatePEM: String, privateKeyPEM: String) throws(ReactorError) {
    try replace([TLSCertificate(certificatePEM: certificatePEM, privateKeyPEM: privateKeyPEM)])
  }

  /// What one more connection is served with.
  var table: TLSCertificateTable { current.withLock { $0 } }
}

import COpenSSL

/// An immutable set of certificates with their session ticket keys.
///
/// OpenSSL's callbacks reach it through a connection's `SSL`, so the connection retains it.
final class TLSCertificateTable: Sendable {
  private let contexts: [TLSContextHandle]
  /// Used before the client has sent a server name, and if no certificate matches the name.
  let fallback: TLSContextHandle
  /// The session ticket keys.
  let tickets: TicketKeyRing

  /// - Throws: ``ReactorError/badCertificate``, ``ReactorError/badPrivateKey``, ``ReactorError/tlsSetup``.
  init(_ certificates: [TLSCertificate], now: @escaping @Sendable () -> ContinuousClock.Instant) throws(ReactorError) {
    var contexts: [TLSContextHandle] = []
    for certificate in certificates { contexts.append(try TLSContextHandle(certificate)) }
    guard let fallback = contexts.first else { throw .badCertificate }
    guard let tickets = TicketKeyRing(now: now) else { throw .tlsSetup }
    self.contexts = contexts
    self.fallback = fallback
    self.tickets = tickets
    for context in contexts { context.useCallbacks() }
  }

  /// The first certificate for exactly this host, then the first with a matching wildcard; nil if there is none.
  func context(for host: UnsafePointer<CChar>) -> TLSContextHandle? {
    contexts.first { copenssl_names_host($0.pointer, host, 0) == 1 }
      ?? contexts.first { copenssl_names_host($0.pointer, host, 1) == 1 }
  }

  /// Attaches this table, which must outlive the connection, for OpenSSL's callbacks.
  func attach(to ssl: OpaquePointer) -> Bool {
    SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque()) == 1
  }

  /// The table attached to a connection.
  static func of(_ ssl: OpaquePointer?) -> TLSCertificateTable? {
    guard let ssl, let data = SSL_get_ex_data(ssl, 0) else { return nil }
    return Unmanaged<TLSCertificateTable>.fromOpaque(data).takeUnretainedValue()
  }
}

extension TLSContextHandle {
  /// Makes OpenSSL ask the connection's table for a certificate and for ticket keys.
  func useCallbacks() {
    copenssl_set_server_name_callback(pointer) { ssl, _, _ in
      guard let ssl, let host = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name) else { return SSL_TLSEXT_ERR_NOACK }
      // An unknown server name is not an error (RFC 6066 §3): the client checks the certificate it gets.
      guard let found = TLSCertificateTable.of(ssl)?.context(for: host) else { return SSL_TLSEXT_ERR_NOACK }
      return SSL_set_SSL_CTX(ssl, found.pointer) == nil ? SSL_TLSEXT_ERR_ALERT_FATAL : SSL_TLSEXT_ERR_OK
    }
    SSL_CTX_set_tlsext_ticket_key_evp_cb(pointer) { ssl, name, iv, cipher, mac, encrypts in
      guard let tickets = TLSCertificateTable.of(ssl)?.tickets, let name else { return 0 }
      let found =
        encrypts == 1 ? tickets.sealing() : tickets.opening(UnsafeRawBufferPointer(start: name, count: TicketKey.nameSize))
      // 0: create no ticket, or the client's ticket is unknown and a full handshake follows.
      guard let found else { return 0 }
      if encrypts == 1 { name.update(from: found.key.name, count: TicketKey.nameSize) }
      guard copenssl_prepare_ticket(found.key.secret, iv, cipher, mac, encrypts) == 1 else { return -1 }
      // 2: the ticket is valid, and the client gets a new one.
      return encrypts == 1 || found.isCurrent ? 1 : 2
    }
  }
}

/// A server's certificate with its private key, as PEM text. Descriptions omit the key.
package struct TLSCertificate: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The server's certificate, followed by its intermediate certificates.
  package let certificatePEM: String
  /// The unencrypted private key of the first certificate.
  package let privateKeyPEM: String

  /// Stores the texts; ``TLSContext`` parses them.
  package init(certificatePEM: String, privateKeyPEM: String) {
    self.certificatePEM = certificatePEM
    self.privateKeyPEM = privateKeyPEM
  }

  /// A description without the key.
  package var description: String { "TLSCertificate" }
  /// A description without the key.
  package var debugDescription: String { description }
  /// A mirror without the key.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

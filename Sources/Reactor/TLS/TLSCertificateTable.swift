import COpenSSL

/// The certificates of one time with the ticket keys of that time; it never changes.
///
/// OpenSSL's callbacks reach it through the `SSL` of a connection, which therefore holds it.
final class TLSCertificateTable: Sendable {
  private let contexts: [TLSContextHandle]
  /// Used until the client has named a server, and where no certificate is for that name.
  let fallback: TLSContextHandle
  /// The keys of session tickets.
  let tickets: TicketKeyRing

  /// - Throws: ``ReactorError/badCertificate``, ``ReactorError/badPrivateKey``, ``ReactorError/tlsSetup``.
  init(_ certificates: [TLSCertificate], now: @escaping @Sendable () -> ContinuousClock.Instant) throws(ReactorError) {
    var contexts: [TLSContextHandle] = []
    for certificate in certificates { contexts.append(try TLSContextHandle(certificate)) }
    guard let fallback = contexts.first else { throw .badCertificate }
    guard let tickets = TicketKeyRing(now: now) else { throw .tlsSetup }
    (self.contexts, self.fallback, self.tickets) = (contexts, fallback, tickets)
    for context in contexts { context.useCallbacks() }
  }

  /// The first certificate that names the host itself, else the first with a wildcard for it, else nil.
  func context(for host: UnsafePointer<CChar>) -> TLSContextHandle? {
    contexts.first { copenssl_names_host($0.pointer, host, 0) == 1 }
      ?? contexts.first { copenssl_names_host($0.pointer, host, 1) == 1 }
  }

  /// Lets the callbacks of a connection find this table, which must outlive it.
  func attach(to ssl: OpaquePointer) -> Bool {
    SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque()) == 1
  }

  /// The table of a connection.
  static func of(_ ssl: OpaquePointer?) -> TLSCertificateTable? {
    guard let ssl, let data = SSL_get_ex_data(ssl, 0) else { return nil }
    return Unmanaged<TLSCertificateTable>.fromOpaque(data).takeUnretainedValue()
  }
}

extension TLSContextHandle {
  /// Has OpenSSL ask the connection's table for a certificate and for ticket keys.
  func useCallbacks() {
    copenssl_set_server_name_callback(pointer) { ssl, _, _ in
      guard let ssl, let host = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name) else { return SSL_TLSEXT_ERR_NOACK }
      // A name that no certificate is for is not an error (RFC 6066 §3): the client judges what it gets.
      guard let found = TLSCertificateTable.of(ssl)?.context(for: host) else { return SSL_TLSEXT_ERR_NOACK }
      return SSL_set_SSL_CTX(ssl, found.pointer) == nil ? SSL_TLSEXT_ERR_ALERT_FATAL : SSL_TLSEXT_ERR_OK
    }
    SSL_CTX_set_tlsext_ticket_key_evp_cb(pointer) { ssl, name, iv, cipher, mac, encrypts in
      guard let tickets = TLSCertificateTable.of(ssl)?.tickets, let name else { return 0 }
      let found =
        encrypts == 1 ? tickets.sealing() : tickets.opening(UnsafeRawBufferPointer(start: name, count: TicketKey.nameSize))
      // 0: no ticket is made, or the client's is not known and a whole handshake follows.
      guard let found else { return 0 }
      if encrypts == 1 { name.update(from: found.key.name, count: TicketKey.nameSize) }
      guard copenssl_prepare_ticket(found.key.secret, iv, cipher, mac, encrypts) == 1 else { return -1 }
      // 2: good, and the client gets a new one.
      return encrypts == 1 || found.isCurrent ? 1 : 2
    }
  }
}

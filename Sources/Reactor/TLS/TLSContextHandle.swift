import COpenSSL

/// Owns an `SSL_CTX`.
///
/// `@unchecked Sendable`: the handle is not changed after connections use it, and OpenSSL counts references and locks itself.
final class TLSContextHandle: @unchecked Sendable {
  /// The `SSL_CTX`.
  let pointer: OpaquePointer

  /// Only ciphers with forward secrecy and authenticated encryption, which excludes the list in RFC 7540 appendix A.
  private static let ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20"

  /// - Throws: ``ReactorError/badCertificate``, ``ReactorError/badPrivateKey``, ``ReactorError/tlsSetup``.
  init(_ certificate: TLSCertificate) throws(ReactorError) {
    ERR_clear_error()
    defer { ERR_clear_error() }
    guard let pointer = SSL_CTX_new(TLS_server_method()) else { throw .tlsSetup }
    self.pointer = pointer
    let sessionContext: [UInt8] = Array("reactor".utf8)
    guard copenssl_set_minimum_tls12(pointer) == 1, SSL_CTX_set_cipher_list(pointer, Self.ciphers) == 1,
      SSL_CTX_set_session_id_context(pointer, sessionContext, UInt32(sessionContext.count)) == 1,
      SSL_CTX_set_max_early_data(pointer, 0) == 1
    else { throw .tlsSetup }
    copenssl_set_server_options(pointer)
    copenssl_set_stream_modes(pointer)
    copenssl_use_tickets_only(pointer)
    copenssl_use_alpn_http11(pointer)
    try useCertificates(certificate.certificatePEM)
    try useKey(certificate.privateKeyPEM)
  }

  deinit { SSL_CTX_free(pointer) }

  private func useCertificates(_ text: String) throws(ReactorError) {
    let bytes = Array(text.utf8)
    let isUsed = bytes.withUnsafeBytes { bytes in
      guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return false }
      defer { BIO_free(bio) }
      var count = 0
      while let certificate = PEM_read_bio_X509(bio, nil, nil, nil) {
        defer { X509_free(certificate) }
        let isTaken =
          count == 0
          ? SSL_CTX_use_certificate(pointer, certificate) == 1 : copenssl_add_chain_certificate(pointer, certificate) == 1
        guard isTaken else { return false }
        count += 1
      }
      return count > 0
    }
    guard isUsed else { throw .badCertificate }
  }

  private func useKey(_ text: String) throws(ReactorError) {
    var bytes = Array(text.utf8)
    defer { bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
    let isUsed = bytes.withUnsafeBytes { bytes in
      guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return false }
      defer { BIO_free(bio) }
      guard let key = copenssl_read_private_key(bio) else { return false }
      defer { EVP_PKEY_free(key) }
      return SSL_CTX_use_PrivateKey(pointer, key) == 1 && SSL_CTX_check_private_key(pointer) == 1
    }
    guard isUsed else { throw .badPrivateKey }
  }
}

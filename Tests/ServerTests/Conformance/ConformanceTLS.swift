import COpenSSL
import Glibc
import Vault

/// TLS on a client's socket, which trusts only the server's certificate.
///
/// `@unchecked Sendable`: it owns C handles, and only one thread at a time uses it.
final class ConformanceTLS: @unchecked Sendable {
  private let context: OpaquePointer
  private let ssl: OpaquePointer

  /// Performs the handshake; nil if it fails.
  init?(_ client: RawClient, trusting certificate: ServerCertificate) {
    // OpenSSL writes to the socket without MSG_NOSIGNAL.
    signal(SIGPIPE, SIG_IGN)
    guard let context = SSL_CTX_new(TLS_client_method()) else { return nil }
    guard let ssl = SSL_new(context) else {
      SSL_CTX_free(context)
      return nil
    }
    self.context = context
    self.ssl = ssl
    let pem = Array(certificate.certificatePEM.utf8)
    let trusted = pem.withUnsafeBytes { bytes -> OpaquePointer? in
      let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
      defer { BIO_free(bio) }
      return PEM_read_bio_X509(bio, nil, nil, nil)
    }
    defer { X509_free(trusted) }
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), trusted)
    X509_VERIFY_PARAM_set_flags(SSL_get0_param(ssl), UInt(X509_V_FLAG_PARTIAL_CHAIN))
    SSL_set_verify(ssl, SSL_VERIFY_PEER, nil)
    // A session ticket must not make a read wait for what follows it.
    SSL_ctrl(ssl, SSL_CTRL_CLEAR_MODE, Int(SSL_MODE_AUTO_RETRY), nil)
    SSL_set_fd(ssl, client.descriptor)
    guard SSL_connect(ssl) == 1 else { return nil }
  }

  deinit {
    SSL_free(ssl)
    SSL_CTX_free(context)
  }

  /// Sends all bytes; returns false if the server has closed the connection.
  func send(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.withUnsafeBufferPointer { SSL_write(ssl, $0.baseAddress, Int32($0.count)) } == Int32(bytes.count)
  }

  /// Receives once: nil at the end or on a failure; empty if only protocol messages arrived.
  func receive() -> [UInt8]? {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = SSL_read(ssl, &chunk, Int32(chunk.count))
    if count > 0 { return Array(chunk[..<Int(count)]) }
    return SSL_get_error(ssl, count) == SSL_ERROR_WANT_READ ? [] : nil
  }

  /// Whether the next read needs nothing from the socket.
  var hasPending: Bool { SSL_has_pending(ssl) == 1 }

  /// Closes the sending side.
  func shutdownWrite() { SSL_shutdown(ssl) }
}

import COpenSSL
import Foundation

/// The certificate of a TLS server on 127.0.0.1; nothing is verified.
struct ServedCertificate {
  /// Why there was no certificate.
  enum Failure: Error {
    case notConnected(Int32)
    case noHandshake
  }

  /// The certificate as PEM text.
  let pem: String

  /// Connects and performs the handshake; at most 30 s for each read or write.
  init(port: UInt16) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Failure.notConnected(errno) }
    defer { close(descriptor) }
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw Failure.notConnected(errno) }
    guard let context = SSL_CTX_new(TLS_client_method()) else { throw Failure.noHandshake }
    defer { SSL_CTX_free(context) }
    guard let ssl = SSL_new(context) else { throw Failure.noHandshake }
    defer { SSL_free(ssl) }
    guard SSL_set_fd(ssl, descriptor) == 1, SSL_connect(ssl) == 1, let certificate = SSL_get1_peer_certificate(ssl) else {
      throw Failure.noHandshake
    }
    defer { X509_free(certificate) }
    guard let bio = BIO_new(BIO_s_mem()) else { throw Failure.noHandshake }
    defer { BIO_free(bio) }
    PEM_write_bio_X509(bio, certificate)
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = BIO_read(bio, &bytes, Int32(bytes.count))
    pem = String(decoding: bytes.prefix(Int(max(count, 0))), as: UTF8.self)
  }
}

import COpenSSL
import Dispatch
import Glibc

/// Why a step of an exchange failed.
struct TLSExchangeError: Error {
  let step: String
}

/// One request and its answer over TLS to 127.0.0.1, trusting a single certificate; times out after 10 s.
enum TLSExchange {
  /// Sends `request`, which must ask the server to close the connection, and returns the answer.
  static func run(port: UInt16, trusting pem: String, request: String) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "tls exchange").async {
        continuation.resume(with: Result { try exchange(port: port, trusting: pem, request: Array(request.utf8)) })
      }
    }
  }

  private static func exchange(port: UInt16, trusting pem: String, request: [UInt8]) throws -> String {
    let descriptor = try connected(to: port)
    defer { close(descriptor) }
    guard let context = SSL_CTX_new(TLS_client_method()) else { throw TLSExchangeError(step: "context") }
    defer { SSL_CTX_free(context) }
    // Copied, since a memory BIO over a Swift string would outlive the string.
    guard let bio = BIO_new(BIO_s_mem()), BIO_write(bio, pem, Int32(pem.utf8.count)) > 0 else {
      throw TLSExchangeError(step: "bio")
    }
    defer { BIO_free(bio) }
    guard let certificate = PEM_read_bio_X509(bio, nil, nil, nil) else { throw TLSExchangeError(step: "pem") }
    defer { X509_free(certificate) }
    guard X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate) == 1, let ssl = SSL_new(context) else {
      throw TLSExchangeError(step: "trust")
    }
    defer { SSL_free(ssl) }
    X509_VERIFY_PARAM_set_flags(SSL_get0_param(ssl), UInt(X509_V_FLAG_PARTIAL_CHAIN))
    guard X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), "127.0.0.1") == 1 else { throw TLSExchangeError(step: "name") }
    SSL_set_verify(ssl, SSL_VERIFY_PEER, nil)
    SSL_set_fd(ssl, descriptor)
    guard SSL_connect(ssl) == 1 else { throw TLSExchangeError(step: "handshake") }
    guard SSL_write(ssl, request, Int32(request.count)) == Int32(request.count) else { throw TLSExchangeError(step: "write") }
    var answer: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = SSL_read(ssl, &chunk, Int32(chunk.count))
      if count <= 0 { break }
      answer += chunk[..<Int(count)]
    }
    return String(decoding: answer, as: UTF8.self)
  }

  private static func connected(to port: UInt16) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw TLSExchangeError(step: "socket") }
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    let result = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
    guard result == 0 else {
      close(descriptor)
      throw TLSExchangeError(step: "connect")
    }
    return descriptor
  }
}

import COpenSSL
import Foundation

/// Why an exchange with the backend failed.
struct BackendConnectionError: Error {
  /// The step that failed.
  let step: String
}

/// A blocking TLS connection to 127.0.0.1 that trusts one certificate; times out after 30 s.
final class BackendConnection {
  private let descriptor: Int32
  private let context: OpaquePointer
  private let ssl: OpaquePointer
  private var received: [UInt8] = []

  /// Connects and verifies the certificate for 127.0.0.1; `newest` is the newest TLS version offered.
  init(port: UInt16, trusting pem: String, newest: Int32 = TLS1_3_VERSION) throws {
    // A server may respond and close before it has read everything; that must not end the test process.
    signal(SIGPIPE, SIG_IGN)
    descriptor = try Self.connected(to: port)
    guard let context = SSL_CTX_new(TLS_client_method()) else { throw BackendConnectionError(step: "context") }
    self.context = context
    // Old versions require the lowest security level: the server has to reject them, not this side.
    if newest < TLS1_2_VERSION { SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0") }
    SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(min(newest, TLS1_2_VERSION)), nil)
    SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(newest), nil)
    guard let ssl = SSL_new(context) else { throw BackendConnectionError(step: "session") }
    self.ssl = ssl
    let certificate = try Self.certificate(pem)
    defer { X509_free(certificate) }
    guard X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate) == 1 else {
      throw BackendConnectionError(step: "trust")
    }
    X509_VERIFY_PARAM_set_flags(SSL_get0_param(ssl), UInt(X509_V_FLAG_PARTIAL_CHAIN))
    guard X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), "127.0.0.1") == 1 else { throw BackendConnectionError(step: "name") }
    SSL_set_verify(ssl, SSL_VERIFY_PEER, nil)
    SSL_set_fd(ssl, descriptor)
    guard SSL_connect(ssl) == 1 else { throw BackendConnectionError(step: "handshake") }
  }

  deinit {
    SSL_free(ssl)
    SSL_CTX_free(context)
    close(descriptor)
  }

  /// Writes a request's bytes.
  func send(_ request: [UInt8]) throws {
    guard SSL_write(ssl, request, Int32(request.count)) == Int32(request.count) else {
      throw BackendConnectionError(step: "write")
    }
  }

  /// Reads one response; responses to HEAD have no body. Skips interim responses.
  func answer(toHead isHead: Bool = false) throws -> BackendReply {
    while true {
      while headEnd == nil { try receive() }
      let end = headEnd ?? 0
      let reply = BackendReply(head: String(decoding: received[..<end], as: UTF8.self))
      received.removeFirst(end + 4)
      guard reply.status >= 200 else { continue }
      let length =
        isHead || reply.status == 204 || reply.status == 304 ? 0 : reply.field("content-length").flatMap { Int($0) } ?? 0
      while received.count < length { try receive() }
      defer { received.removeFirst(length) }
      return reply.with(body: Array(received.prefix(length)))
    }
  }

  private var headEnd: Int? {
    guard received.count >= 4 else { return nil }
    return (0...(received.count - 4)).first { received[$0..<($0 + 4)].elementsEqual([13, 10, 13, 10]) }
  }

  private func receive() throws {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = SSL_read(ssl, &chunk, Int32(chunk.count))
    guard count > 0 else { throw BackendConnectionError(step: "read") }
    received += chunk[..<Int(count)]
  }

  /// The first certificate of a PEM text; the caller frees it.
  static func certificate(_ pem: String) throws -> OpaquePointer {
    // Copied, since a memory buffer over a Swift string would outlive it.
    guard let bio = BIO_new(BIO_s_mem()), BIO_write(bio, pem, Int32(pem.utf8.count)) > 0 else {
      throw BackendConnectionError(step: "bio")
    }
    defer { BIO_free(bio) }
    guard let certificate = PEM_read_bio_X509(bio, nil, nil, nil) else { throw BackendConnectionError(step: "pem") }
    return certificate
  }

  private static func connected(to port: UInt16) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw BackendConnectionError(step: "socket") }
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
    guard result == 0 else {
      close(descriptor)
      throw BackendConnectionError(step: "connect")
    }
    return descriptor
  }
}

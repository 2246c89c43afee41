import COpenSSL
import Glibc
import Reactor

/// A TLS client on a blocking socket.
///
/// `@unchecked Sendable`: it owns C handles, and only one thread at a time uses it.
final class BlockingTLSClient: @unchecked Sendable {
  /// What the client offers.
  struct Offer: Sendable {
    var minimum = TLS1_2_VERSION
    var maximum = TLS1_3_VERSION
    var protocols: [String] = ["h2", "http/1.1"]
    /// The server name to request.
    var serverName: String?
    /// The only trusted certificate.
    var trusted: String
  }

  let socket: BlockingClient
  private let context: OpaquePointer
  private let ssl: OpaquePointer

  /// Connects and performs the handshake; `session` is one that an earlier client received.
  init(_ address: SocketAddress, _ tryConsume: Offer, session: OpaquePointer? = nil) throws {
    socket = try BlockingClient(address)
    guard let context = SSL_CTX_new(TLS_client_method()), let ssl = SSL_new(context) else {
      throw ClientError(call: "SSL_new", code: 0)
    }
    self.context = context
    self.ssl = ssl
    // Old versions are offered only at security level 0.
    SSL_set_security_level(ssl, tryConsume.minimum < TLS1_2_VERSION ? 0 : 1)
    SSL_ctrl(ssl, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(tryConsume.minimum), nil)
    SSL_ctrl(ssl, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(tryConsume.maximum), nil)
    let alpn = tryConsume.protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    if !alpn.isEmpty { SSL_set_alpn_protos(ssl, alpn, UInt32(alpn.count)) }
    if let name = tryConsume.serverName {
      _ = name.withCString { text in
        SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), UnsafeMutableRawPointer(mutating: text))
      }
    }
    try trust(tryConsume.trusted)
    SSL_set_verify(ssl, SSL_VERIFY_PEER, nil)
    SSL_set_fd(ssl, socket.fd)
    if let session { SSL_set_session(ssl, session) }
    try check("SSL_connect", SSL_connect(ssl))
  }

  deinit {
    SSL_free(ssl)
    SSL_CTX_free(context)
  }

  private func trust(_ pem: String) throws {
    let store = SSL_CTX_get_cert_store(context)
    let bytes = Array(pem.utf8)
    let certificate = bytes.withUnsafeBytes { bytes -> OpaquePointer? in
      let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
      defer { BIO_free(bio) }
      return PEM_read_bio_X509(bio, nil, nil, nil)
    }
    guard let certificate else { throw ClientError(call: "PEM_read_bio_X509", code: 0) }
    defer { X509_free(certificate) }
    try check("X509_STORE_add_cert", X509_STORE_add_cert(store, certificate))
    X509_VERIFY_PARAM_set_flags(SSL_get0_param(ssl), UInt(X509_V_FLAG_PARTIAL_CHAIN))
  }

  private func check(_ call: String, _ result: Int32) throws {
    guard result == 1 else { throw ClientError(call: call, code: SSL_get_error(ssl, result)) }
  }

  var version: String { String(cString: SSL_get_version(ssl)) }

  var isResumed: Bool { SSL_session_reused(ssl) == 1 }

  var chosenProtocol: String {
    var bytes: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &bytes, &count)
    return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
  }

  /// The session for a later client, which the caller frees.
  func session() -> OpaquePointer? { SSL_get1_session(ssl) }

  func send(_ bytes: [UInt8]) throws {
    guard !bytes.isEmpty else { return }
    try check("SSL_write", SSL_write(ssl, bytes, Int32(bytes.count)) == Int32(bytes.count) ? 1 : 0)
  }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// At most `count` bytes; empty after a close_notify alert.
  func receive(atMost count: Int = 65536) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    let got = SSL_read(ssl, &buffer, Int32(count))
    if got > 0 { return Array(buffer.prefix(Int(got))) }
    guard SSL_get_error(ssl, got) == SSL_ERROR_ZERO_RETURN else {
      throw ClientError(call: "SSL_read", code: SSL_get_error(ssl, got))
    }
    return []
  }

  func receive(exactly count: Int) throws -> [UInt8] {
    var all: [UInt8] = []
    while all.count < count {
      let more = try receive(atMost: min(65536, count - all.count))
      if more.isEmpty { break }
      all += more
    }
    return all
  }

  func receiveToEnd() throws -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let more = try receive()
      if more.isEmpty { return all }
      all += more
    }
  }

  func sendCloseNotify() { SSL_shutdown(ssl) }

  /// Updates the keys and requests an update from the server (TLS 1.3).
  func updateKeys() throws { try check("SSL_key_update", SSL_key_update(ssl, Int32(SSL_KEY_UPDATE_REQUESTED))) }

  /// Requests a renegotiation (TLS 1.2).
  func renegotiate() throws {
    try check("SSL_renegotiate", SSL_renegotiate(ssl))
    try check("SSL_do_handshake", SSL_do_handshake(ssl))
  }
}

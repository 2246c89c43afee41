import CLinux
import COpenSSL
import Glibc
import Testing
import Vault

@testable import Reactor

@Suite(.timeLimit(.minutes(1)))
struct TLSSessionTests {
  /// A session and its client over a connected pair of non-blocking sockets, after the handshake.
  private final class Pair {
    let server: Int32
    private(set) var client: Int32
    let session: TLSSession
    let ssl: OpaquePointer
    private let clientContext: OpaquePointer

    init(_ version: Int32) throws {
      signal(SIGPIPE, SIG_IGN)
      var ends: [Int32] = [-1, -1]
      try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
      server = ends[0]
      client = ends[1]
      let certificate = try ServerCertificate.selfSigned(commonName: "localhost", names: ["localhost"], addresses: [], days: 2)
      let context = try TLSContext(certificatePEM: certificate.certificatePEM, privateKeyPEM: certificate.privateKeyPEM)
      session = try #require(TLSSession(table: context.table, fd: server))
      clientContext = try #require(SSL_CTX_new(TLS_client_method()))
      ssl = try #require(SSL_new(clientContext))
      SSL_ctrl(ssl, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(version), nil)
      SSL_set_fd(ssl, client)
      SSL_set_connect_state(ssl)
      var outcome = TLSSession.Outcome.wantsRead
      for _ in 0..<10 where outcome != .done(0) {
        SSL_do_handshake(ssl)
        outcome = session.handshake()
      }
      try #require(outcome == .done(0) && SSL_do_handshake(ssl) == 1)
    }

    deinit {
      SSL_free(ssl)
      SSL_CTX_free(clientContext)
      close(server)
      closeClient()
    }

    func closeClient() {
      if client >= 0 { close(client) }
      client = -1
    }
  }

  private static func fill(_ socket: Int32) {
    let bytes = [UInt8](repeating: 0, count: 4096)
    for size in [4096, 1] { while write(socket, bytes, size) > 0 {} }
  }

  /// If there was no space for the alert about a broken connection, OpenSSL keeps reporting that it waits for space. The
  /// connection was then woken forever, because the socket stays writable.
  @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION]) func whatHasFailedStaysFailed(version: Int32) throws {
    let pair = try Pair(version)
    let session = pair.session
    Self.fill(pair.server)
    shutdown(pair.client, Int32(SHUT_WR))
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
    defer { room.deallocate() }
    for _ in 0..<3 { #expect(session.read(into: room) == .failed(.reset)) }
    #expect(session.write(UnsafeRawBufferPointer(room)) == .failed(.reset))
  }

  /// OpenSSL reports an earlier close_notify for every failed write, which says "no bytes" and not "never again".
  @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION]) func aWriteFailsOnceThePeerIsGone(version: Int32) throws {
    let pair = try Pair(version)
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
    defer { room.deallocate() }
    SSL_shutdown(pair.ssl)
    #expect(pair.session.read(into: room) == .ended)
    // The peer may still read.
    #expect(pair.session.write(UnsafeRawBufferPointer(room)) == .done(100))
    pair.closeClient()
    for _ in 0..<2 { #expect(pair.session.write(UnsafeRawBufferPointer(room)) == .failed(.reset)) }
  }
}

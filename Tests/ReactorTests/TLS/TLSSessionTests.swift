import CLinux
import COpenSSL
import Glibc
import Testing
import Vault

@testable import Reactor

@Suite(.timeLimit(.minutes(1)))
struct TLSSessionTests {
  /// The two ends of a connected pair of non-blocking sockets.
  private static func pair() throws -> (server: Int32, client: Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
    return (ends[0], ends[1])
  }

  private static func fill(_ socket: Int32) {
    let bytes = [UInt8](repeating: 0, count: 4096)
    for size in [4096, 1] { while write(socket, bytes, size) > 0 {} }
  }

  /// If there was no space for the alert about a broken connection, OpenSSL keeps reporting that it waits for space. The
  /// connection was then woken forever, because the socket stays writable.
  @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION]) func whatHasFailedStaysFailed(version: Int32) throws {
    let certificate = try ServerCertificate.selfSigned(commonName: "localhost", names: ["localhost"], addresses: [], days: 2)
    let context = try TLSContext(certificatePEM: certificate.certificatePEM, privateKeyPEM: certificate.privateKeyPEM)
    let (server, client) = try Self.pair()
    defer {
      close(server)
      close(client)
    }
    let session = try #require(TLSSession(table: context.table, fd: server))
    let clientContext = try #require(SSL_CTX_new(TLS_client_method()))
    defer { SSL_CTX_free(clientContext) }
    let ssl = try #require(SSL_new(clientContext))
    defer { SSL_free(ssl) }
    SSL_ctrl(ssl, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(version), nil)
    SSL_set_fd(ssl, client)
    SSL_set_connect_state(ssl)
    var outcome = TLSSession.Outcome.wantsRead
    for _ in 0..<10 where outcome != .done(0) {
      SSL_do_handshake(ssl)
      outcome = session.handshake()
    }
    try #require(outcome == .done(0))
    Self.fill(server)
    shutdown(client, Int32(SHUT_WR))
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
    defer { room.deallocate() }
    for _ in 0..<3 { #expect(session.read(into: room) == .failed(.reset)) }
    #expect(session.write(UnsafeRawBufferPointer(room)) == .failed(.reset))
  }
}

import COpenSSL
import Glibc
import Synchronization

/// What a scripted server shows: a certificate, its key, and more certificates to send along.
struct TLSIdentity: Sendable {
  var certificatePEM: String
  var privateKeyPEM: String
  var extraPEM: [String] = []
}

/// A TLS server on 127.0.0.1 with one blocking thread a connection, whose every byte is a test's own.
///
/// `@unchecked`: the TLS context is only read once the threads run; all else is behind the lock.
final class ScriptedTLSServer: @unchecked Sendable {
  /// What happened, in order.
  enum Event: Sendable, Equatable {
    case connected(Int)
    case request(Int)
    case closed(Int)
  }

  struct Failure: Error {
    var step: String
  }

  private struct State {
    var descriptors: Set<Int32> = []
    var threads: [pthread_t] = []
    var requests: [ScriptedRequest] = []
    var connections = 0
    var handshakes = 0
    var resumptions = 0
    var applicationBytes = 0
    var isListening = true
    var isStopped = false
  }

  let port: UInt16
  let events: AsyncStream<Event>
  private let publish: AsyncStream<Event>.Continuation
  private let listener: Int32
  private let context: OpaquePointer
  private let script: @Sendable (ScriptedConnection) -> Void
  private let state = Mutex(State())

  /// Starts to listen; `script` runs for each connection before its handshake, on its own thread.
  init(_ identity: TLSIdentity, script: @escaping @Sendable (ScriptedConnection) -> Void) throws {
    (listener, port) = try Self.listen()
    context = try Self.makeContext(identity)
    self.script = script
    (events, publish) = AsyncStream.makeStream()
    let thread = startThread { [self] in acceptConnections() }
    state.withLock { $0.threads.append(thread) }
  }

  deinit {
    SSL_CTX_free(context)
  }

  var url: String { "https://127.0.0.1:\(port)" }
  var requests: [ScriptedRequest] { state.withLock { $0.requests } }
  var connections: Int { state.withLock { $0.connections } }
  var handshakes: Int { state.withLock { $0.handshakes } }
  var resumptions: Int { state.withLock { $0.resumptions } }
  var applicationBytes: Int { state.withLock { $0.applicationBytes } }

  /// Waits for an event; each is seen once.
  func reached(_ event: Event) async {
    for await next in events where next == event { return }
  }

  // A descriptor is shut down and closed under the lock: its number may be another test's a moment later.

  /// Refuses new connections and keeps the old ones.
  func stopListening() { state.withLock { Self.stopListening(&$0, listener) } }

  private static func stopListening(_ state: inout State, _ listener: Int32) {
    if state.isListening { shutdown(listener, Int32(SHUT_RDWR)) }
    state.isListening = false
  }

  /// Ends every connection and thread.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      Self.stopListening(&state, listener)
      for descriptor in state.descriptors { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
    while let thread = state.withLock({ $0.threads.popLast() }) { pthread_join(thread, nil) }
    publish.finish()
  }

  private func acceptConnections() {
    while true {
      let descriptor = accept(listener, nil, nil)
      guard descriptor >= 0 else { break }
      let number: Int? = state.withLock { state in
        guard !state.isStopped else { return nil }
        state.descriptors.insert(descriptor)
        state.connections += 1
        return state.connections
      }
      guard let number else {
        close(descriptor)
        continue
      }
      publish.yield(.connected(number))
      let thread = startThread { [self] in
        if let connection = ScriptedConnection(server: self, descriptor: descriptor, number: number, context: context) {
          script(connection)
        }
        state.withLock { state in
          state.descriptors.remove(descriptor)
          close(descriptor)
        }
        publish.yield(.closed(number))
      }
      state.withLock { $0.threads.append(thread) }
    }
    state.withLock { state in
      state.isListening = false
      close(listener)
    }
  }

  fileprivate func noteHandshake(resumed: Bool) {
    state.withLock { state in
      state.handshakes += 1
      state.resumptions += resumed ? 1 : 0
    }
  }

  fileprivate func note(bytes: Int) { state.withLock { $0.applicationBytes += bytes } }

  fileprivate func note(_ request: ScriptedRequest) {
    let count = state.withLock { state in
      state.requests.append(request)
      return state.requests.count
    }
    publish.yield(.request(count))
  }

  private static func listen() throws -> (Int32, UInt16) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard listener >= 0 else { throw Failure(step: "socket") }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard bind(listener, address, length) == 0, Glibc.listen(listener, 512) == 0 else { return Int32(-1) }
        return getsockname(listener, address, &length)
      }
    }
    guard status == 0 else { throw Failure(step: "bind") }
    return (listener, UInt16(bigEndian: address.sin_port))
  }

  private static func makeContext(_ identity: TLSIdentity) throws -> OpaquePointer {
    guard let context = SSL_CTX_new(TLS_server_method()) else { throw Failure(step: "context") }
    let certificate = try PEM.certificate(identity.certificatePEM)
    defer { X509_free(certificate) }
    let key = try PEM.key(identity.privateKeyPEM)
    defer { EVP_PKEY_free(key) }
    guard SSL_CTX_use_certificate(context, certificate) == 1, SSL_CTX_use_PrivateKey(context, key) == 1 else {
      throw Failure(step: "certificate")
    }
    for text in identity.extraPEM {
      // The context takes it over.
      let extra = try PEM.certificate(text)
      guard SSL_CTX_ctrl(context, SSL_CTRL_EXTRA_CHAIN_CERT, 0, UnsafeMutableRawPointer(extra)) == 1 else { throw Failure(step: "chain") }
    }
    return context
  }
}

/// A request as it was read off the wire.
struct ScriptedRequest: Sendable, Equatable {
  /// The request line and the header lines.
  var lines: [String]
  var body: [UInt8]

  var requestLine: String { lines.first ?? "" }

  /// The values of a header field, by its lower-case name.
  func values(_ name: String) -> [String] {
    lines.dropFirst().compactMap { line in
      guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name else { return nil }
      return String(line[line.index(after: colon)...].drop { $0 == " " })
    }
  }
}

/// One connection in a script's hands, on its thread only.
final class ScriptedConnection {
  /// Counts from 1.
  let number: Int
  private let server: ScriptedTLSServer
  private let descriptor: Int32
  private let ssl: OpaquePointer
  private var buffer: [UInt8] = []

  fileprivate init?(server: ScriptedTLSServer, descriptor: Int32, number: Int, context: OpaquePointer) {
    guard let ssl = SSL_new(context) else { return nil }
    self.server = server
    self.descriptor = descriptor
    self.number = number
    self.ssl = ssl
    SSL_set_fd(ssl, descriptor)
  }

  deinit { SSL_free(ssl) }

  /// The TLS handshake; false when the client refused it.
  func handshake() -> Bool {
    guard SSL_accept(ssl) == 1 else { return false }
    server.noteHandshake(resumed: SSL_session_reused(ssl) == 1)
    return true
  }

  /// The next request, which the server counts; nil at the connection's end.
  func readRequest() -> ScriptedRequest? {
    let end = Array("\r\n\r\n".utf8)
    while true {
      if let head = buffer.firstRange(of: end) {
        let lines = String(decoding: buffer[..<head.lowerBound], as: UTF8.self).split(separator: "\r\n").map(String.init)
        var request = ScriptedRequest(lines: lines, body: [])
        let length = request.values("content-length").first.flatMap { Int($0) } ?? 0
        while buffer.count < head.upperBound + length { guard fill() else { return nil } }
        request.body = Array(buffer[head.upperBound..<head.upperBound + length])
        buffer.removeFirst(head.upperBound + length)
        server.note(request)
        return request
      }
      guard fill() else { return nil }
    }
  }

  /// Sends bytes through TLS; false when the client is gone.
  @discardableResult
  func write(_ bytes: [UInt8]) -> Bool { bytes.isEmpty || SSL_write(ssl, bytes, Int32(bytes.count)) > 0 }

  /// Sends text through TLS.
  @discardableResult
  func write(_ text: String) -> Bool { write(Array(text.utf8)) }

  /// Sends a whole response with a length.
  @discardableResult
  func respond(_ status: String = "200 OK", _ headers: [String] = [], body: [UInt8] = []) -> Bool {
    let head = (["HTTP/1.1 \(status)", "Content-Length: \(body.count)"] + headers).map { $0 + "\r\n" }.joined() + "\r\n"
    return write(Array(head.utf8) + body)
  }

  /// Answers every request alike until the client goes.
  func serve(_ answer: (ScriptedRequest) -> Void) {
    guard handshake() else { return }
    while let request = readRequest() { answer(request) }
  }

  /// Waits until the client has gone.
  func waitForEnd() {
    var byte: UInt8 = 0
    while recv(descriptor, &byte, 1, 0) > 0 {}
  }

  /// Sends bytes beside TLS.
  func writeRaw(_ text: String) { _ = send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }

  private func fill() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = SSL_read(ssl, &chunk, Int32(chunk.count))
    guard count > 0 else { return false }
    server.note(bytes: Int(count))
    buffer.append(contentsOf: chunk[..<Int(count)])
    return true
  }
}

/// Runs `body` on a new thread in which a dead peer is an error and no signal.
func startThread(_ body: @escaping @Sendable () -> Void) -> pthread_t {
  final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  pthread_create(
    &thread, nil,
    { context in
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &signals, nil)
      if let context { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body() }
      return nil
    }, Unmanaged.passRetained(Box(body)).toOpaque())
  return thread
}

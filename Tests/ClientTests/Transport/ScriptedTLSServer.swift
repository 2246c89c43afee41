import COpenSSL
import Glibc
import Locking

/// A scripted server's certificate, key, and further certificates to send.
struct TLSIdentity: Sendable {
  var certificatePEM: String
  var privateKeyPEM: String
  var extraPEM: [String] = []
}

/// A TLS server on 127.0.0.1 with one blocking thread per connection, controlled byte by byte by a test.
///
/// `@unchecked`: the TLS context is only read once the threads run; everything else is protected by the lock.
final class ScriptedTLSServer: @unchecked Sendable {
  /// What happened, in order.
  enum Event: Sendable, Equatable {
    case connected(Int)
    /// Some bytes of a request that a script reads piece by piece.
    case bytes
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
  private let state = Locked(State())

  /// Starts listening; `script` runs for each connection before its handshake, on its own thread.
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

  /// Waits for an event; each is delivered once.
  func reached(_ event: Event) async {
    for await next in events where next == event { return }
  }

  // A descriptor is shut down and closed under the lock: another test may reuse its number a moment later.

  /// Rejects new connections and keeps existing ones.
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

  func noteHandshake(resumed: Bool) {
    state.withLock { state in
      state.handshakes += 1
      state.resumptions += resumed ? 1 : 0
    }
  }

  func note(bytes: Int) { state.withLock { $0.applicationBytes += bytes } }

  func noteSome() { publish.yield(.bytes) }

  func note(_ request: ScriptedRequest) {
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
      // The context takes ownership of it.
      let extra = try PEM.certificate(text)
      guard SSL_CTX_ctrl(context, SSL_CTRL_EXTRA_CHAIN_CERT, 0, UnsafeMutableRawPointer(extra)) == 1 else {
        throw Failure(step: "chain")
      }
    }
    return context
  }
}

/// Runs `body` on a new thread with SIGPIPE blocked.
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

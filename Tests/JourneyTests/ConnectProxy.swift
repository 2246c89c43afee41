import Glibc
import Locking

/// A proxy on 127.0.0.1 that supports only `CONNECT` and records each target and the first byte sent to it.
final class ConnectProxy: Sendable {
  private struct State {
    var targets: [String] = []
    var firstBytes: [UInt8] = []
  }

  let port: UInt16
  private let listener: Int32
  private let state = Locked(State())

  /// Listens on a free port; each tunnel has a thread per direction until one side closes.
  init() throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = Self.loopback(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard bind(descriptor, address, length) == 0, listen(descriptor, 16) == 0 else { return Int32(-1) }
        return getsockname(descriptor, address, &length)
      }
    }
    guard status == 0 else { throw ConsoleProcess.Failure.ended(status: errno, error: "no proxy") }
    port = UInt16(bigEndian: address.sin_port)
    Self.detach { [self] in
      while true {
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else { break }
        Self.detach { [self] in serve(client) }
      }
      close(descriptor)
    }
  }

  /// The targets, as `host:port`.
  var targets: [String] { state.withLock { $0.targets } }
  /// The first byte through each tunnel.
  var firstBytes: [UInt8] { state.withLock { $0.firstBytes } }

  /// Stops accepting connections.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func serve(_ client: Int32) {
    defer { close(client) }
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
      var byte: UInt8 = 0
      guard head.count < 8192, recv(client, &byte, 1, 0) == 1 else { return }
      head.append(byte)
    }
    let words = String(decoding: head.prefix { $0 != 13 }, as: UTF8.self).split(separator: " ").map(String.init)
    guard words.count == 3, words[0] == "CONNECT", let port = words[1].split(separator: ":").last.flatMap({ UInt16($0) }) else {
      return
    }
    state.withLock { $0.targets.append(words[1]) }
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(server) }
    var address = Self.loopback(port: port)
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
    guard status == 0 else { return }
    Self.write(client, Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8))
    let back = Self.start { Self.relay(from: server, to: client) { _ in } }
    var isFirst = true
    Self.relay(from: client, to: server) { bytes in
      if isFirst, let byte = bytes.first { state.withLock { $0.firstBytes.append(byte) } }
      isFirst = false
    }
    pthread_join(back, nil)
  }

  private static func relay(from source: Int32, to target: Int32, note: ([UInt8]) -> Void) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(source, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      note(Array(buffer[..<count]))
      write(target, Array(buffer[..<count]))
    }
    shutdown(target, Int32(SHUT_WR))
    shutdown(source, Int32(SHUT_RD))
  }

  private static func write(_ descriptor: Int32, _ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private static func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  private static func detach(_ body: @escaping @Sendable () -> Void) { pthread_detach(start(body)) }

  private static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t {
    final class Box: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body() }
        return nil
      }, Unmanaged.passRetained(Box(body)).toOpaque())
    return thread
  }
}

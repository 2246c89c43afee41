import COpenSSL
import Glibc

/// One connection of a scripted server; used on its thread only.
final class ScriptedConnection {
  /// Counts from 1.
  let number: Int
  private let server: ScriptedTLSServer
  private let descriptor: Int32
  private let ssl: OpaquePointer
  private var buffer: [UInt8] = []

  init?(server: ScriptedTLSServer, descriptor: Int32, number: Int, context: OpaquePointer) {
    guard let ssl = SSL_new(context) else { return nil }
    self.server = server
    self.descriptor = descriptor
    self.number = number
    self.ssl = ssl
    SSL_set_fd(ssl, descriptor)
  }

  deinit { SSL_free(ssl) }

  /// Performs the TLS handshake; false if the client aborted it.
  func handshake() -> Bool {
    guard SSL_accept(ssl) == 1 else { return false }
    server.noteHandshake(resumed: SSL_session_reused(ssl) == 1)
    return true
  }

  /// Reads and records the next request; nil at the end of the connection.
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

  /// Reads available bytes of a request, without waiting for its end; false at the end of the connection.
  func readSome() -> Bool {
    guard fill() else { return false }
    server.noteSome()
    return true
  }

  /// Sends bytes over TLS; false if the client has closed.
  @discardableResult
  func write(_ bytes: [UInt8]) -> Bool { bytes.isEmpty || SSL_write(ssl, bytes, Int32(bytes.count)) > 0 }

  /// Sends text over TLS.
  @discardableResult
  func write(_ text: String) -> Bool { write(Array(text.utf8)) }

  /// Sends a complete response with a length.
  @discardableResult
  func respond(_ status: String = "200 OK", _ headers: [String] = [], body: [UInt8] = []) -> Bool {
    let head = (["HTTP/1.1 \(status)", "Content-Length: \(body.count)"] + headers).map { $0 + "\r\n" }.joined() + "\r\n"
    return write(Array(head.utf8) + body)
  }

  /// Answers every request in the same way until the client closes.
  func serve(_ answer: (ScriptedRequest) -> Void) {
    guard handshake() else { return }
    while let request = readRequest() { answer(request) }
  }

  /// Waits until the client has closed.
  func waitForEnd() {
    var byte: UInt8 = 0
    while recv(descriptor, &byte, 1, 0) > 0 {}
  }

  /// Closes the connection properly, as servers do after an idle timeout.
  func closeWhenIdle(milliseconds: Int32) {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&entry, 1, milliseconds)
    SSL_shutdown(ssl)
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Makes the connection end with a reset when the script ends.
  func endWithReset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// Sends bytes outside TLS.
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

import CLinux
import Glibc
import Support

/// A blocking socket that sends and receives raw bytes, so that a test sees exactly what the server sent. Reads time out after 40
/// seconds.
final class RawClient {
  /// A response as received.
  struct Answer {
    var status = 0
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []
    var isWhole = false

    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }

    /// The first value of a field, by its name in lower case.
    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
  }

  private(set) var descriptor: Int32
  private var received: [UInt8] = []

  /// Connects; `receiveBuffer` limits what the kernel receives before the test reads.
  init(port: UInt16, receiveBuffer: Int32? = nil) {
    // A child process of a test must not keep the connection open.
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var limit = timeval(tv_sec: 40, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    if var size = receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4) }
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let file = descriptor
    _ = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  deinit { close() }

  /// Runs a conversation on a thread that may block.
  static func talk<Value: Sendable>(
    _ port: UInt16, receiveBuffer: Int32? = nil, _ body: @escaping @Sendable (RawClient) throws -> Value
  ) async throws -> Value {
    try await OwnThread.run { try body(RawClient(port: port, receiveBuffer: receiveBuffer)) }
  }

  /// Sends all bytes; returns false if the server has closed the connection.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }

  /// Sends text.
  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Receives once; nil at the end, on a reset or a time-out.
  func receive() -> [UInt8]? {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = chunk.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
    return count > 0 ? Array(chunk[..<count]) : nil
  }

  /// Receives everything up to the end of the stream.
  func rest() -> [UInt8] {
    var all = received
    received = []
    while let more = receive() { all += more }
    return all
  }

  /// Whether the server closed the connection without a reset and without sending more.
  func isClosed() -> Bool {
    var byte: UInt8 = 0
    return received.isEmpty && recv(descriptor, &byte, 1, 0) == 0
  }

  /// Receives up to and including the text.
  func read(through text: String) -> String? {
    let wanted = Array(text.utf8)
    while true {
      if let end = Self.find(wanted, in: received) {
        defer { received.removeSubrange(..<end) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      guard let more = receive() else { return nil }
      received += more
    }
  }

  /// Receives one response; `hasBody` is false for a response to HEAD.
  func answer(hasBody: Bool = true) -> Answer {
    var answer = Answer()
    guard let head = read(through: "\r\n\r\n") else { return answer }
    let lines = head.split(separator: "\r\n")
    answer.status = lines.first.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
    for line in lines.dropFirst() {
      let sides = line.split(separator: ":", maxSplits: 1)
      answer.fields.append((sides[0].lowercased(), String(sides[1].drop { $0 == " " })))
    }
    answer.isWhole = true
    guard hasBody, answer.status != 204, answer.status != 304 else { return answer }
    if answer["transfer-encoding"] == "chunked" {
      while let line = read(through: "\r\n"), let size = Int(line.dropLast(), radix: 16) {
        guard let chunk = take(size + 2) else { break }
        if size == 0 { return answer }
        answer.body += chunk.dropLast(2)
      }
      answer.isWhole = false
    } else if let length = answer["content-length"].flatMap({ Int($0) }) {
      answer.body = take(length) ?? []
      answer.isWhole = answer.body.count == length
    } else {
      answer.body = rest()
    }
    return answer
  }

  /// Whether there is something to receive, or the end of the stream, within the time.
  func waitReadable(milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return !received.isEmpty || poll(&entry, 1, milliseconds) > 0
  }

  /// Closes the sending side.
  func shutdownWrite() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Closes the connection with a reset.
  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  /// Closes.
  func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  private func take(_ count: Int) -> [UInt8]? {
    while received.count < count {
      guard let more = receive() else { return nil }
      received += more
    }
    defer { received.removeSubrange(..<count) }
    return Array(received[..<count])
  }

  private static func find(_ needle: [UInt8], in bytes: [UInt8]) -> Int? {
    guard bytes.count >= needle.count else { return nil }
    for start in 0...(bytes.count - needle.count) where bytes[start] == needle[0] {
      if bytes[start..<(start + needle.count)].elementsEqual(needle) { return start + needle.count }
    }
    return nil
  }
}

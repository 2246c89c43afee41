import Foundation

/// An HTTP exchange with a server on 127.0.0.1 over its own socket, in two halves, so that many can run at once.
package final class LoopbackCall {
  /// The server's response.
  package struct Answer: Sendable {
    package let status: Int
    /// Names in lower case, in order.
    package let headers: [(name: String, value: String)]
    package let body: [UInt8]

    /// The first value of a header field.
    package func header(_ name: String) -> String? { headers.first { $0.name == name.lowercased() }?.value }

    /// The body as text.
    package var text: String { String(decoding: body, as: UTF8.self) }
  }

  /// Why an exchange failed.
  package enum Failure: Error {
    case socket(Int32)
    case incomplete([UInt8])
  }

  private let descriptor: Int32
  private var received: [UInt8] = []

  /// Connects and sends the head and body; `answer()` reads the response.
  package convenience init(
    port: UInt16, method: String, target: String, headers: [(String, String)] = [], body: [UInt8]? = nil, host: String? = nil
  ) throws {
    var head = "\(method) \(target) HTTP/1.1\r\nHost: \(host ?? "localhost:\(port)")\r\nConnection: close\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if let body { head += "Content-Length: \(body.count)\r\n" }
    try self.init(port: port, bytes: Array((head + "\r\n").utf8) + (body ?? []))
  }

  /// Connects and sends the bytes as they are, valid HTTP or not.
  package init(port: UInt16, bytes: [UInt8]) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Failure.socket(errno) }
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw Failure.socket(errno) }
    try send(bytes)
  }

  /// The text received until the other side closes or resets the connection.
  package func everything() -> String {
    while let count = try? receive(), count > 0 {}
    return String(decoding: received, as: UTF8.self)
  }

  deinit { close(descriptor) }

  /// Reads to the end of the stream and parses it; joins a chunked body.
  package func answer() throws -> Answer {
    while try receive() > 0 {}
    guard let end = headEnd else { throw Failure.incomplete(received) }
    return parse(end)
  }

  /// Reads until the bytes received contain the text; for streams that do not end.
  package func receive(until text: String) throws -> String {
    while true {
      let all = String(decoding: received, as: UTF8.self)
      if all.contains(text) { return all }
      guard try receive() > 0 else { throw Failure.incomplete(received) }
    }
  }

  private func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { throw Failure.socket(errno) }
      rest = rest.dropFirst(count)
    }
  }

  private func receive() throws -> Int {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count >= 0 else { throw Failure.socket(errno) }
    received += buffer[..<count]
    return count
  }

  private var headEnd: Int? {
    guard received.count >= 4 else { return nil }
    return (0...(received.count - 4)).first { received[$0..<($0 + 4)].elementsEqual([13, 10, 13, 10]) }
  }

  private func parse(_ end: Int) -> Answer {
    let lines = String(decoding: received[..<end], as: UTF8.self).components(separatedBy: "\r\n")
    let status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    let headers = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      return (line[..<colon].lowercased(), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
    }
    var body = Array(received[(end + 4)...])
    if headers.contains(where: { $0.name == "transfer-encoding" && $0.value == "chunked" }) { body = Self.joined(body) }
    return Answer(status: status, headers: headers, body: body)
  }

  private static func joined(_ chunks: [UInt8]) -> [UInt8] {
    var rest = chunks[...]
    var body = [UInt8]()
    while let lineEnd = rest.firstIndex(of: 13) {
      let size = Int(String(decoding: rest[..<lineEnd], as: UTF8.self), radix: 16) ?? 0
      let start = lineEnd + 2
      guard size > 0, rest.endIndex >= start + size else { break }
      body += rest[start..<(start + size)]
      rest = rest[min(rest.endIndex, start + size + 2)...]
    }
    return body
  }
}

import Foundation
import Locking

/// A server on 127.0.0.1 that records every request byte for byte and responds with success.
final class EchoListener: Sendable {
  /// A request as received.
  struct Received: Sendable {
    let line: String
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    /// The first value of a field.
    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
  }

  let port: UInt16
  private let descriptor: Int32
  private let last = Locked<Received?>(nil)

  init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isListening else { throw CocoaError(.fileNoSuchFile) }
    self.descriptor = descriptor
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [weak self] in
      while true {
        let peer = accept(descriptor, nil, nil)
        guard peer >= 0 else { return }
        if let received = Self.receive(peer) {
          // Recorded before the response, because the caller looks when curl has finished.
          self?.last.withLock { $0 = received }
          let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
          _ = send(peer, answer, answer.count, Int32(MSG_NOSIGNAL))
        }
        close(peer)
      }
    }
  }

  deinit {
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }

  /// Returns and removes the last request.
  func take() -> Received? {
    last.withLock { last in
      defer { last = nil }
      return last
    }
  }

  private static func receive(_ peer: Int32) -> Received? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var end: Int?
    var wanted = 0
    while end.map({ bytes.count < $0 + wanted }) ?? true {
      let count = recv(peer, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      bytes += buffer[..<count]
      guard end == nil, let range = Data(bytes).range(of: Data("\r\n\r\n".utf8)) else { continue }
      end = range.upperBound
      wanted = parse(bytes, head: range.lowerBound, body: range.upperBound).header("content-length").flatMap { Int($0) } ?? 0
    }
    guard let end else { return nil }
    return parse(bytes, head: end - 4, body: end)
  }

  private static func parse(_ bytes: [UInt8], head: Int, body: Int) -> Received {
    let lines = String(decoding: bytes[..<head], as: UTF8.self).components(separatedBy: "\r\n")
    let headers = lines.dropFirst().map { line -> (name: String, value: String) in
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      return (String(parts[0]), parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
    }
    return Received(line: lines[0], headers: headers, body: Array(bytes[body...]))
  }
}

import Glibc
import Support

/// A listening socket on 127.0.0.1 that accepts nobody and whose queue is full: a connecting client gets no answer to its SYN.
final class FullListener: Sendable {
  let port: UInt16
  private let listener: Int32
  private let fillers: [Int32]
  private let waitingAtFirst: Int

  init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let fillers: [Int32]? = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard bind(listener, address, length) == 0, listen(listener, 0) == 0, getsockname(listener, address, &length) == 0 else {
          return nil
        }
        // A queue of 0 takes one connection; further SYNs are dropped.
        return (0..<4).map { _ in
          let filler = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
          connect(filler, address, length)
          return filler
        }
      }
    }
    guard let fillers else {
      close(listener)
      throw ScriptedTLSServer.Failure(step: "bind")
    }
    self.listener = listener
    self.fillers = fillers
    port = UInt16(bigEndian: address.sin_port)
    // On loopback, a SYN is accepted or dropped before `connect` returns.
    waitingAtFirst = Self.attempts(port)
  }

  deinit {
    for descriptor in fillers + [listener] { close(descriptor) }
  }

  /// Waits until somebody else tries to connect.
  func waitForAttempt() {
    OwnThread.wait { Self.attempts(port) > waitingAtFirst }
  }

  /// The number of connections to the port that wait for an answer to their SYN (state 02 of `/proc/net/tcp`).
  private static func attempts(_ port: UInt16) -> Int {
    guard let file = fopen("/proc/net/tcp", "r") else { return .max }
    defer { fclose(file) }
    let target = "0100007F:" + String(port, radix: 16, uppercase: true).leftPadded(to: 4)
    var count = 0
    var line = [CChar](repeating: 0, count: 512)
    while fgets(&line, Int32(line.count), file) != nil {
      let fields = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(separator: " ")
      if fields.count > 3, fields[2] == target, fields[3] == "02" { count += 1 }
    }
    return count
  }
}

extension String {
  fileprivate func leftPadded(to count: Int) -> String { String(repeating: "0", count: max(0, count - self.count)) + self }
}

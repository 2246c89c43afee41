import ArgumentParser
import CLinux
import Glibc
import Reactor

/// Measures finding the user at the other end of a connection on this machine.
enum PeerLookup {
  private static let rounds = 1000

  /// Looks up the same connection repeatedly.
  static func measure() throws -> [Figure] {
    let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { for descriptor in [client, listening] { close(descriptor) } }
    guard listen(listening, 1) == 0, let local = port(of: listening), connects(client, to: local), let peer = port(of: client),
      let here = SocketAddress(host: "127.0.0.1", port: local), let there = SocketAddress(host: "127.0.0.1", port: peer),
      PeerUser.user(local: here, peer: there) == PeerUser.ownUser
    else { throw ValidationError("The user of a local connection cannot be looked up.") }
    let durations = (0..<rounds).map { _ in ContinuousClock().measure { _ = PeerUser.user(local: here, peer: there) } }
    let typical = Quantiles(durations)(0.5)
    return [
      Figure(
        work: "the user of a local connection", goal: "≤ 1000 µs", measured: "\(Figure.number(typical)) µs",
        isMet: typical <= 1000)
    ]
  }

  private static func port(of descriptor: Int32) -> UInt16? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return result == 0 ? UInt16(bigEndian: address.sin_port) : nil
  }

  private static func connects(_ descriptor: Int32, to port: UInt16) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}

import CLinux
import Glibc

/// An IPv4 or IPv6 address with a TCP port, or the path of a Unix socket.
package struct SocketAddress: Sendable, Hashable {
  /// 4 or 16 bytes in network order; unused bytes are zero.
  private let high: UInt64
  private let low: UInt64
  private let scope: UInt32

  /// Whether this is an IPv6 address.
  package let isIPv6: Bool

  /// The path of a Unix socket, empty if it is unnamed; nil for an IP address.
  package let unixPath: String?

  /// The TCP port; 0 lets the system choose one when listening.
  package let port: UInt16

  /// Parses a numeric address such as `127.0.0.1`, `::1` or `[::1]`; nil for host names and anything else.
  package init?(host: String, port: UInt16) {
    var text = host
    if text.hasPrefix("["), text.hasSuffix("]") { text = String(text.dropFirst().dropLast()) }
    guard !text.utf8.contains(0) else { return nil }
    var v4 = in_addr()
    var v6 = in6_addr()
    if inet_pton(AF_INET, text, &v4) == 1 {
      self.init(v4: v4, port: port)
    } else if inet_pton(AF_INET6, text, &v6) == 1 {
      self.init(v6: v6, scope: 0, port: port)
    } else {
      return nil
    }
  }

  /// The address of a Unix socket; nil if the path is empty, contains NUL or has more than 107 bytes (unix(7)).
  package init?(unixPath path: String) {
    let room = MemoryLayout.size(ofValue: sockaddr_un().sun_path)
    guard !path.isEmpty, path.utf8.count < room, !path.utf8.contains(0) else { return nil }
    self.init(path: path)
  }

  /// The same address with another port.
  package func with(port: UInt16) -> SocketAddress {
    unixPath != nil ? self : SocketAddress(high: high, low: low, scope: scope, isIPv6: isIPv6, port: port)
  }

  /// The numeric address without brackets; `unix` for a Unix socket.
  package var host: String {
    if unixPath != nil { return "unix" }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    if isIPv6 {
      var address = v6
      inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
    } else {
      var address = v4
      inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
    }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The address as the authority of a URL: `127.0.0.1:80`, `[::1]:80`; `unix:/path` for a Unix socket.
  package var text: String {
    if let unixPath { return "unix:\(unixPath)" }
    return isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  /// Identifies a client regardless of its port: the IPv4 address, or the first 64 bits of the IPv6 address.
  package var client: SocketAddress {
    guard unixPath == nil else { return self }
    // IPv4-mapped addresses have zeros in these 64 bits, so the whole address counts.
    let isMapped = isIPv6 && high == 0
    return SocketAddress(high: high, low: isMapped ? low : 0, scope: scope, isIPv6: isIPv6, port: 0)
  }

  /// Whether only this machine can reach the address: 127.0.0.0/8, also mapped into IPv6, `::1`, or a Unix socket.
  package var isLoopback: Bool {
    if unixPath != nil { return true }
    guard isIPv6 else { return high >> 56 == 127 }
    if high == 0, low == 1 { return true }
    return high == 0 && low >> 32 == 0xFFFF && (low >> 24) & 0xFF == 127
  }

  private init(high: UInt64, low: UInt64, scope: UInt32, isIPv6: Bool, port: UInt16) {
    self.high = high
    self.low = low
    self.scope = scope
    self.isIPv6 = isIPv6
    self.port = port
    unixPath = nil
  }

  private init(path: String) {
    high = 0
    low = 0
    scope = 0
    isIPv6 = false
    port = 0
    unixPath = path
  }

  private init(v4: in_addr, port: UInt16) {
    self.init(high: UInt64(UInt32(bigEndian: v4.s_addr)) << 32, low: 0, scope: 0, isIPv6: false, port: port)
  }

  private init(v6: in6_addr, scope: UInt32, port: UInt16) {
    let (high, low) = withUnsafeBytes(of: v6) {
      ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
    self.init(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low), scope: scope, isIPv6: true, port: port)
  }

  private var v4: in_addr { in_addr(s_addr: UInt32(truncatingIfNeeded: high >> 32).bigEndian) }

  private var v6: in6_addr {
    var address = in6_addr()
    withUnsafeMutableBytes(of: &address) {
      $0.storeBytes(of: high.bigEndian, as: UInt64.self)
      $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    return address
  }

  /// The IPv4 address if this is an IPv4-mapped IPv6 address; otherwise the address itself.
  var unmapped: SocketAddress {
    guard isIPv6, high == 0, low >> 32 == 0xFFFF else { return self }
    return SocketAddress(high: low << 32, low: 0, scope: 0, isIPv6: false, port: port)
  }

  /// The 4 or 16 bytes of the address in network order; empty for a Unix socket.
  var bytes: [UInt8] {
    guard unixPath == nil else { return [] }
    let all = withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
    return isIPv6 ? all : Array(all.prefix(4))
  }

  /// The address family for `socket(2)`.
  var family: Int32 { unixPath != nil ? AF_UNIX : isIPv6 ? AF_INET6 : AF_INET }

  /// Calls `body` with the address as a `sockaddr`.
  func withSockaddr<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
    var storage = sockaddr_storage()
    let length: Int
    if let unixPath {
      // The storage is zeroed, so the path ends in NUL.
      length = Self.pathOffset + unixPath.utf8.count + 1
      storage.ss_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &storage) { $0[Self.pathOffset...].copyBytes(from: unixPath.utf8) }
    } else if isIPv6 {
      length = MemoryLayout<sockaddr_in6>.size
      let value = sockaddr_in6(
        sin6_family: sa_family_t(AF_INET6), sin6_port: port.bigEndian, sin6_flowinfo: 0, sin6_addr: v6, sin6_scope_id: scope)
      withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: value, as: sockaddr_in6.self) }
    } else {
      length = MemoryLayout<sockaddr_in>.size
      var value = sockaddr_in()
      value.sin_family = sa_family_t(AF_INET)
      value.sin_port = port.bigEndian
      value.sin_addr = v4
      withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: value, as: sockaddr_in.self) }
    }
    return withUnsafePointer(to: storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
    }
  }

  private static let pathOffset = MemoryLayout<sa_family_t>.size

  /// Calls `fill` with storage for any address and parses the result; the address is nil for an unsupported family.
  static func reading<R>(_ fill: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> R) -> (R, SocketAddress?) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { fill($0, &length) }
    }
    let address = withUnsafeBytes(of: storage) { raw -> SocketAddress? in
      switch Int32(storage.ss_family) {
      case AF_INET:
        let value = raw.loadUnaligned(as: sockaddr_in.self)
        return SocketAddress(v4: value.sin_addr, port: UInt16(bigEndian: value.sin_port))
      case AF_INET6:
        let value = raw.loadUnaligned(as: sockaddr_in6.self)
        return SocketAddress(v6: value.sin6_addr, scope: value.sin6_scope_id, port: UInt16(bigEndian: value.sin6_port))
      case AF_UNIX:
        // An abstract name begins with NUL; it is treated as unnamed.
        let path = raw[pathOffset..<max(pathOffset, min(Int(length), raw.count))].prefix { $0 != 0 }
        return SocketAddress(path: String(decoding: path, as: UTF8.self))
      default:
        return nil
      }
    }
    return (result, address)
  }
}

extension SocketAddress: CustomStringConvertible {
  /// The same as ``text``.
  package var description: String { text }
}

import Glibc

/// Looks up TCP sockets in `/proc/net/tcp` and `/proc/net/tcp6` (proc_net(5)).
enum SocketTable {
  /// The most bytes to read of a table.
  private static let limit = 4 << 20

  /// The socket with these addresses. An IPv4 connection may be in the IPv6 table, if the program opened an IPv6 socket.
  static func owner(of peer: SocketAddress, to local: SocketAddress) -> PeerUser.Owner? {
    if peer.isIPv6 { return find("/proc/net/tcp6", hexEncoded(peer.bytes, peer.port), hexEncoded(local.bytes, local.port)) }
    let prefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
    return find("/proc/net/tcp", hexEncoded(peer.bytes, peer.port), hexEncoded(local.bytes, local.port))
      ?? find("/proc/net/tcp6", hexEncoded(prefix + peer.bytes, peer.port), hexEncoded(prefix + local.bytes, local.port))
  }

  /// The owner of the entry with these addresses.
  static func owner(in table: [UInt8], _ source: [UInt8], _ target: [UInt8]) -> PeerUser.Owner? {
    guard let line = line(of: table, source + [space] + target + [space]) else { return nil }
    // sl, local address, remote address, state, queues, timer, retransmits, user, timeouts, inode.
    let fields = line.split(separator: space, maxSplits: 10)
    guard fields.count > 9, let state = UInt8(String(decoding: fields[3], as: UTF8.self), radix: 16),
      let user = UInt32(String(decoding: fields[7], as: UTF8.self)),
      let inode = UInt32(String(decoding: fields[9], as: UTF8.self))
    else { return nil }
    return PeerUser.Owner(user: user, inode: inode, state: state)
  }

  private static let space = UInt8(ascii: " ")

  /// Finds the line with these addresses without parsing the others: a table may have thousands.
  private static func line(of table: [UInt8], _ ends: [UInt8]) -> ArraySlice<UInt8>? {
    table.withUnsafeBytes { bytes in
      var start = 0
      while start < bytes.count, let from = bytes.baseAddress {
        let end = memchr(from + start, 10, bytes.count - start).map { UnsafeRawPointer($0) - from } ?? bytes.count
        if let colon = memchr(from + start, 58, end - start).map({ UnsafeRawPointer($0) - from }), end - colon > ends.count + 2,
          bytes[colon + 1] == space, ends.withUnsafeBytes({ memcmp(from + colon + 2, $0.baseAddress ?? from, ends.count) }) == 0
        {
          return table[start..<end]
        }
        start = end + 1
      }
      return nil
    }
  }

  /// An address as the tables write it: 4-byte words in host byte order, then the port, in upper-case hexadecimal.
  static func hexEncoded(_ address: [UInt8], _ port: UInt16) -> [UInt8] {
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: address.count, by: 4) {
      let word = address[start..<min(start + 4, address.count)]
      bytes += 1.littleEndian == 1 ? word.reversed() : Array(word)
    }
    let digits = Array("0123456789ABCDEF".utf8)
    func hex(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] } }
    return hex(bytes) + [UInt8(ascii: ":")] + hex([UInt8(port >> 8), UInt8(truncatingIfNeeded: port)])
  }

  private static func find(_ path: String, _ source: [UInt8], _ target: [UInt8]) -> PeerUser.Owner? {
    bytes(of: path, atMost: limit).flatMap { owner(in: $0, source, target) }
  }

  /// Reads the beginning of a file; nil if it cannot be read.
  static func bytes(of path: String, atMost limit: Int) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { Glibc.close(file) }
    var bytes: [UInt8] = []
    while bytes.count < limit {
      let part = [UInt8](unsafeUninitializedCapacity: 65_536) { room, count in
        count = max(read(file, room.baseAddress, room.count), 0)
      }
      guard !part.isEmpty else { break }
      bytes += part
    }
    return bytes
  }
}

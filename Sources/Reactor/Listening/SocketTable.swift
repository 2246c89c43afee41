import Glibc

/// The kernel's tables of TCP sockets, `/proc/net/tcp` and `/proc/net/tcp6` (proc_net(5)).
enum SocketTable {
  /// Longer tables are not read to their end.
  private static let limit = 4 << 20

  /// The socket with these ends: an IPv4 one may stand in the IPv6 table too, since a program can open it so.
  static func owner(of peer: SocketAddress, to local: SocketAddress) -> PeerUser.Owner? {
    if peer.isIPv6 { return find("/proc/net/tcp6", spelled(peer.bytes, peer.port), spelled(local.bytes, local.port)) }
    let prefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
    return find("/proc/net/tcp", spelled(peer.bytes, peer.port), spelled(local.bytes, local.port))
      ?? find("/proc/net/tcp6", spelled(prefix + peer.bytes, peer.port), spelled(prefix + local.bytes, local.port))
  }

  /// The owner of the entry with these ends in the text of a table.
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

  /// The line whose number is followed by these ends; a table can have thousands, so that nothing is made of the others.
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

  /// An end as the tables spell it: words of four bytes in the machine's order, then the port, in upper-case digits.
  static func spelled(_ address: [UInt8], _ port: UInt16) -> [UInt8] {
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

  /// The beginning of a file; nil if it cannot be read.
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

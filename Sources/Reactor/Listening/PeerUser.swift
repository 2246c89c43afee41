import CLinux
import Glibc

/// Tells which user runs the process at the other end of a connection within this machine.
///
/// The kernel knows the owner of every socket: that of a Unix socket's peer is asked for on the connection itself, that of a TCP
/// socket by its two ends, over netlink or, if that is shut off, in the tables of `/proc/net`.
package enum PeerUser {
  /// What the kernel says of a socket.
  struct Owner: Equatable {
    let user: UInt32
    let inode: UInt32
    let state: UInt8
  }

  /// How owners are asked for.
  enum Source: Sendable {
    case netlink(SocketDiagnosis)
    case tables
  }

  /// Whether this machine tells who is at the other end; found out once, by a connection of this process to itself.
  package static var isTold: Bool { source != nil }

  /// The user whom this process runs as.
  package static var ownUser: UInt32 { geteuid() }

  /// The first way that names this process as the owner of a connection of its own.
  private static let source: Source? = {
    if let diagnosis = SocketDiagnosis(), isTrue(.netlink(diagnosis)) { return .netlink(diagnosis) }
    return isTrue(.tables) ? .tables : nil
  }()

  /// The user at the other end of the connection between the two addresses; nil if it cannot be told.
  static func user(local: SocketAddress, peer: SocketAddress) -> UInt32? {
    source.flatMap { user(local: local, peer: peer, from: $0) }
  }

  /// The same by one way.
  static func user(local: SocketAddress, peer: SocketAddress, from source: Source) -> UInt32? {
    let (local, peer) = (local.unmapped, peer.unmapped)
    guard local.isLoopback, peer.isLoopback, local.isIPv6 == peer.isIPv6, local.unixPath == nil, peer.unixPath == nil,
      let owner = owner(of: peer, to: local, from: source), isHeld(owner)
    else { return nil }
    // A socket whose process has closed it seems to be root's. What reads user and inode one after the other may see it close
    // in between, so root is believed only the second time.
    if owner.user == 0 {
      guard let again = self.owner(of: peer, to: local, from: source), isHeld(again), again.user == 0 else { return nil }
    }
    return named(owner.user)
  }

  /// The user who connected to a Unix socket.
  static func user(ofUnixSocket descriptor: Int32) -> UInt32? {
    // struct ucred: process, user and group (unix(7)).
    var credentials: (Int32, UInt32, UInt32) = (0, .max, .max)
    var length = socklen_t(MemoryLayout.size(ofValue: credentials))
    guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0, credentials.1 != .max else { return nil }
    return named(credentials.1)
  }

  /// Whether a process has the socket and it is connected, so that the user is that process's.
  private static func isHeld(_ owner: Owner) -> Bool {
    // ESTABLISHED, FIN_WAIT1, FIN_WAIT2, CLOSE_WAIT, LAST_ACK, CLOSING (tcp_states.h).
    owner.inode != 0 && [1, 4, 5, 8, 9, 11].contains(owner.state)
  }

  /// The user, unless the number stands for everybody whom this process's user namespace does not know.
  private static func named(_ user: UInt32) -> UInt32? { user == unmapped ? nil : user }

  /// The number that stands for users outside this process's user namespace; nil if it knows all.
  private static let unmapped: UInt32? = {
    let map = text(of: "/proc/self/uid_map")?.split(whereSeparator: \.isWhitespace).map(String.init)
    if map == ["0", "0", "4294967295"] { return nil }
    let number = text(of: "/proc/sys/kernel/overflowuid").flatMap { UInt32($0.filter { $0.isNumber }) }
    return number ?? 65_534
  }()

  private static func owner(of peer: SocketAddress, to local: SocketAddress, from source: Source) -> Owner? {
    switch source {
    case .netlink(let diagnosis): diagnosis.owner(of: peer, to: local)
    case .tables: SocketTable.owner(of: peer, to: local)
    }
  }

  /// Whether the way names this process for a connection of its own.
  static func isTrue(_ source: Source) -> Bool {
    for host in ["127.0.0.1", "::1"] {
      guard let address = SocketAddress(host: host, port: 0) else { continue }
      let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      let (listening, connecting) = (socket(address.family, flags, 0), socket(address.family, flags, 0))
      defer {
        for descriptor in [listening, connecting] where descriptor >= 0 { Glibc.close(descriptor) }
      }
      guard listening >= 0, connecting >= 0, address.withSockaddr({ bind(listening, $0, $1) }) == 0, listen(listening, 1) == 0,
        let local = SocketAddress.reading({ getsockname(listening, $0, $1) }).1,
        local.withSockaddr({ connect(connecting, $0, $1) }) == 0,
        let peer = SocketAddress.reading({ getsockname(connecting, $0, $1) }).1
      else { continue }
      return user(local: local, peer: peer, from: source) == ownUser
    }
    return false
  }

  /// A small file of `/proc` as text.
  private static func text(of path: String) -> String? {
    SocketTable.bytes(of: path, atMost: 4096).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension Channel {
  /// Finds out who is at the other end, unless that is known; a look-up that failed is made again.
  func lookUpPeerUser() -> UInt32? {
    if let peerUser { return peerUser }
    guard isOpen else { return nil }
    guard let peer = SocketAddress.reading({ getpeername(fd, $0, $1) }).1 else { return nil }
    if peer.unixPath != nil {
      peerUser = PeerUser.user(ofUnixSocket: fd)
    } else if let local = SocketAddress.reading({ getsockname(fd, $0, $1) }).1 {
      peerUser = PeerUser.user(local: local, peer: peer)
    }
    return peerUser
  }
}

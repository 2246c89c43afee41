import CLinux
import Glibc
import Locking

/// Finds the user of the process at the other end of a local connection.
///
/// The kernel has the owner of every socket. A Unix socket's connection reports it; for TCP the owner is looked up by both
/// addresses, over netlink or, if that is not available, in `/proc/net`.
package enum PeerUser {
  /// The owner of a socket as reported by the kernel.
  struct Owner: Equatable {
    let user: UInt32
    let inode: UInt32
    let state: UInt8
  }

  /// The way to look up owners.
  enum Source: Sendable {
    case netlink(SocketDiagnostics)
    case procfs
  }

  /// Whether this machine supports the lookup; tested once with a connection of this process to itself.
  package static var isAvailable: Bool { source != nil }

  /// The user ID of this process.
  package static var ownUser: UInt32 { geteuid() }

  /// The first way that correctly reports this process as the owner of its own connection.
  private static let source: Source? = {
    if let diagnostics = SocketDiagnostics(), isReliable(.netlink(diagnostics)) { return .netlink(diagnostics) }
    return isReliable(.procfs) ? .procfs : nil
  }()

  /// The user at the other end of the connection between two addresses; nil if unknown.
  package static func user(local: SocketAddress, peer: SocketAddress) -> UInt32? {
    source.flatMap { user(local: local, peer: peer, from: $0) }
  }

  /// Looks up the user in one particular way.
  static func user(local: SocketAddress, peer: SocketAddress, from source: Source) -> UInt32? {
    let local = local.unmapped
    let peer = peer.unmapped
    guard local.isLoopback, peer.isLoopback, local.isIPv6 == peer.isIPv6, local.unixPath == nil, peer.unixPath == nil,
      let owner = owner(of: peer, to: local, from: source), isInUse(owner)
    else { return nil }
    // A socket closed by its process appears to belong to root, and it may close between reading user and inode; so root must be
    // reported twice.
    if owner.user == 0 {
      guard let again = self.owner(of: peer, to: local, from: source), isInUse(again), again.user == 0 else { return nil }
    }
    return known(owner.user)
  }

  /// The user who connected to a Unix socket.
  static func user(ofUnixSocket descriptor: Int32) -> UInt32? {
    // struct ucred: process, user and group (unix(7)).
    var credentials: (Int32, UInt32, UInt32) = (0, .max, .max)
    var length = socklen_t(MemoryLayout.size(ofValue: credentials))
    guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0, credentials.1 != .max else { return nil }
    return known(credentials.1)
  }

  /// Whether a process has the socket open and it is connected, so that the reported user is that process's.
  private static func isInUse(_ owner: Owner) -> Bool {
    // ESTABLISHED, FIN_WAIT1, FIN_WAIT2, CLOSE_WAIT, LAST_ACK, CLOSING (tcp_states.h).
    owner.inode != 0 && [1, 4, 5, 8, 9, 11].contains(owner.state)
  }

  /// The user ID, unless it is the placeholder for users unknown to this user namespace.
  private static func known(_ user: UInt32) -> UInt32? { user == unmapped ? nil : user }

  /// The placeholder for users outside this process's user namespace; nil if the namespace maps all users.
  private static let unmapped: UInt32? = {
    let map = text(of: "/proc/self/uid_map")?.split(whereSeparator: \.isWhitespace).map(String.init)
    if map == ["0", "0", "4294967295"] { return nil }
    let number = text(of: "/proc/sys/kernel/overflowuid").flatMap { UInt32($0.filter { $0.isNumber }) }
    return number ?? 65_534
  }()

  private static func owner(of peer: SocketAddress, to local: SocketAddress, from source: Source) -> Owner? {
    switch source {
    case .netlink(let diagnostics): diagnostics.owner(of: peer, to: local)
    case .procfs: SocketTable.owner(of: peer, to: local)
    }
  }

  /// Whether this way reports this process as the owner of its own connection.
  static func isReliable(_ source: Source) -> Bool {
    for host in ["127.0.0.1", "::1"] {
      guard let address = SocketAddress(host: host, port: 0) else { continue }
      let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      let listening = socket(address.family, flags, 0)
      let connecting = socket(address.family, flags, 0)
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

  /// Reads a small file in `/proc`.
  private static func text(of path: String) -> String? {
    SocketTable.bytes(of: path, atMost: 4096).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension Channel {
  /// Looks up the user at the other end, unless known; a failed lookup is repeated.
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

/// Looks up TCP sockets over netlink (sock_diag(7)), one request at a time.
final class SocketDiagnostics: Sendable {
  /// Kept open, because no descriptor may be available later.
  private let socket: Int32
  private let sequence = Locked<UInt32>(0)

  /// Nil if the kernel does not support it.
  init?() {
    socket = clinux_diag_open()
    if socket < 0 { return nil }
  }

  deinit { Glibc.close(socket) }

  /// The owner of the socket with these two addresses; nil if there is none.
  func owner(of peer: SocketAddress, to local: SocketAddress) -> PeerUser.Owner? {
    sequence.withLock { sequence in
      sequence &+= 1
      var owner = clinux_socket_owner()
      let code = clinux_diag_owner(
        socket, peer.family, peer.bytes, peer.port.bigEndian, local.bytes, local.port.bigEndian, sequence, &owner)
      guard code == 0 else { return nil }
      return PeerUser.Owner(user: owner.user, inode: owner.inode, state: UInt8(truncatingIfNeeded: owner.state))
    }
  }
}

import CLinux
import Glibc
import Locking

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

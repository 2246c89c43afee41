import CLinux
import Glibc

/// A listening descriptor that systemd opened for this process (sd_listen_fds(3)). ``Listener/adopt(_:on:options:onConnection:)``
/// takes ownership of it, once.
package struct InheritedSocket: Sendable, Hashable {
  package let descriptor: Int32

  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// The address it is bound to; nil if it is not a socket.
  package var localAddress: SocketAddress? {
    let (result, address) = SocketAddress.reading { getsockname(descriptor, $0, $1) }
    return result == 0 ? address : nil
  }

  /// The sockets that the environment announces to the process with this ID, in order.
  ///
  /// Empty if they are meant for another process, or if the count is not a number from 1 to 64.
  package static func announced(_ variables: [String: String], process: Int32) -> [InheritedSocket] {
    guard variables["LISTEN_PID"] == String(process), let text = variables["LISTEN_FDS"], let count = Int32(text),
      text == String(count), (1...64).contains(count)
    else { return [] }
    return (0..<count).map { InheritedSocket(descriptor: 3 + $0) }
  }
}

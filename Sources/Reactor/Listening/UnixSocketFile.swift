import CLinux
import Glibc

/// The file of a Unix socket bound by this process.
struct UnixSocketFile: Sendable {
  private let path: String
  private let device: UInt
  private let inode: UInt

  /// Sets the permission bits of the new file and remembers its identity; nil, with `errno` set, if that fails.
  init?(path: String, mode: UInt32) {
    var info = stat()
    guard chmod(path, mode_t(mode)) == 0, lstat(path, &info) == 0 else { return nil }
    (self.path, device, inode) = (path, UInt(info.st_dev), UInt(info.st_ino))
  }

  /// Removes the file, unless it was replaced.
  func remove() {
    var info = stat()
    guard lstat(path, &info) == 0, UInt(info.st_dev) == device, UInt(info.st_ino) == inode else { return }
    unlink(path)
  }

  /// Removes the file of a socket on which no process listens, such as a killed process leaves; keeps anything else.
  ///
  /// - Throws: ``ReactorError/addressInUse(_:)`` if a process listens, or if the file is not a socket.
  static func removeStale(_ address: SocketAddress) throws(ReactorError) {
    guard let path = address.unixPath else { return }
    var info = stat()
    guard lstat(path, &info) == 0 else { return }
    guard info.st_mode & S_IFMT == S_IFSOCK else { throw .addressInUse(address) }
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let fd = socket(AF_UNIX, type, 0)
    guard fd >= 0 else { throw .system(call: "socket", code: errno) }
    defer { Glibc.close(fd) }
    let code = address.withSockaddr { connect(fd, $0, $1) == 0 ? 0 : errno }
    // EAGAIN means that the backlog is full, so a process listens.
    guard code == ECONNREFUSED else { throw .addressInUse(address) }
    unlink(path)
  }
}

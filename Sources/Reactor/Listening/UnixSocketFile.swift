import CLinux
import Glibc

/// The file of a Unix socket that this process bound.
struct UnixSocketFile: Sendable {
  private let path: String
  private let device: UInt
  private let inode: UInt

  /// Gives the fresh file its permission bits and remembers which it is; nil, with `errno`, where that fails.
  init?(path: String, mode: UInt32) {
    var info = stat()
    guard chmod(path, mode_t(mode)) == 0, lstat(path, &info) == 0 else { return nil }
    (self.path, device, inode) = (path, UInt(info.st_dev), UInt(info.st_ino))
  }

  /// Removes the file, unless another has taken its place.
  func remove() {
    var info = stat()
    guard lstat(path, &info) == 0, UInt(info.st_dev) == device, UInt(info.st_ino) == inode else { return }
    unlink(path)
  }

  /// Removes a socket's file at which nobody listens any more, as a killed process leaves it; anything else stays.
  ///
  /// - Throws: ``ReactorError/addressInUse(_:)`` where somebody answers, or the file is no socket.
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
    // EAGAIN, a full backlog, is an answer too.
    guard code == ECONNREFUSED else { throw .addressInUse(address) }
    unlink(path)
  }
}

import Glibc

/// A regular file that is open for reading; closed when it is released.
final class OpenFile: Sendable {
  /// The version at the time of opening.
  let identity: FileRoot.Identity
  private let descriptor: Int32

  private init(_ descriptor: Int32, _ identity: FileRoot.Identity) {
    self.descriptor = descriptor
    self.identity = identity
  }

  /// Takes ownership of the descriptor; closes it if it is not a regular file or cannot be examined.
  static func opening(owning descriptor: Int32) -> FileRoot.Opening {
    errno = 0
    if let identity = identity(of: descriptor) { return .file(OpenFile(descriptor, identity)) }
    let opening = errno == 0 ? FileRoot.Opening.none : .unavailable
    Glibc.close(descriptor)
    return opening
  }

  deinit { Glibc.close(descriptor) }

  /// Whether the file has not changed since it was opened.
  var isUnchanged: Bool { Self.identity(of: descriptor) == identity }

  /// The bytes of the range; nil if the file was truncated or cannot be read.
  func read(_ range: Range<Int>) -> [UInt8]? {
    var isWhole = true
    let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { target, done in
      while done < range.count {
        let count = pread(
          descriptor, target.baseAddress?.advanced(by: done), range.count - done, off_t(range.lowerBound + done))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          isWhole = false
          return
        }
        done += count
      }
    }
    return isWhole ? bytes : nil
  }

  /// 1 PiB: no file of pages is larger, and sums of its ranges stay within `Int`.
  private static let largest = 1 << 50

  private static func identity(of file: Int32) -> FileRoot.Identity? {
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, (0...largest).contains(status.st_size) else {
      return nil
    }
    return FileRoot.Identity(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int(status.st_size),
      modifiedSeconds: Int64(status.st_mtim.tv_sec), modifiedNanoseconds: Int64(status.st_mtim.tv_nsec))
  }
}

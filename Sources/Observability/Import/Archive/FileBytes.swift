import Glibc

/// The bytes of a regular file, read where they are needed.
package final class FileBytes: ByteSource, Sendable {
  package let count: Int
  private let descriptor: Int32

  /// Opens a file; nil if it is missing, unreadable or not a regular file.
  package init?(path: String) {
    // A named pipe would block.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    count = Int(status.st_size)
  }

  deinit { close(descriptor) }

  package func read(at offset: Int, _ count: Int) throws(ArchiveError) -> [UInt8] {
    guard offset >= 0, count >= 0, offset <= self.count - count else { throw ArchiveError(.unreadable) }
    var isWhole = true
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, made in
      while made < count {
        let more = pread(descriptor, buffer.baseAddress?.advanced(by: made), count - made, off_t(offset + made))
        if more < 0, errno == EINTR { continue }
        // The file became shorter meanwhile.
        guard more > 0 else {
          isWhole = false
          return
        }
        made += more
      }
    }
    guard isWhole else { throw ArchiveError(.unreadable) }
    return bytes
  }
}

/// Bytes that are read at any offset: a file, or an array.
package protocol ByteSource {
  /// How many there are.
  var count: Int { get }
  /// Returns `count` bytes from an offset; throws if there are not so many, or if they cannot be read.
  func read(at offset: Int, _ count: Int) throws(ArchiveError) -> [UInt8]
}

extension [UInt8]: ByteSource {
  package func read(at offset: Int, _ count: Int) throws(ArchiveError) -> [UInt8] {
    guard offset >= 0, count >= 0, offset <= self.count - count else { throw ArchiveError(.unreadable) }
    return Array(self[offset..<(offset + count)])
  }
}

import CLinux
import Glibc
import Locking

/// One file in memory (memfd) with bytes that many connections send, so that the kernel can send them without a copy.
///
/// No other process can reach it, so its content does not change while it is sent. Removed parts become holes, and no offset is
/// reused, so that data in flight stays intact.
final class AnonymousFile: Sendable {
  /// The file of this process; nil if it cannot be created.
  static let shared = AnonymousFile()

  /// Parts are multiples of a page, in bytes.
  private static let page = 4096

  /// The file's descriptor.
  let descriptor: Int32
  private let limit: Int
  private let state = Locked((end: 0, held: 0))

  /// Creates a file of at most `limit` bytes in whole pages; bytes beyond it are sent from memory. Nil if it cannot be created.
  init?(limit: Int = 64 * 1024 * 1024) {
    self.limit = limit
    descriptor = clinux_memfd("answers")
    guard descriptor >= 0 else { return nil }
  }

  deinit { close(descriptor) }

  private static func room(_ count: Int) -> Int { (count + page - 1) / page * page }

  /// Adds the bytes; returns their offset, or nil if there is no space.
  func add(_ bytes: [UInt8]) -> Int? {
    let room = Self.room(bytes.count)
    let start = state.withLock { state -> Int? in
      guard room <= limit - state.held else { return nil }
      state.held += room
      defer { state.end += room }
      return state.end
    }
    guard let start else { return nil }
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in
        pwrite(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done, off_t(start + done))
      }
      if count > 0 {
        done += count
      } else if errno != EINTR {
        remove(start, bytes.count)
        return nil
      }
    }
    return start
  }

  /// Removes the bytes at an offset.
  func remove(_ start: Int, _ count: Int) {
    let room = Self.room(count)
    var result = clinux_punch_hole(descriptor, off_t(start), off_t(room))
    while result != 0, errno == EINTR { result = clinux_punch_hole(descriptor, off_t(start), off_t(room)) }
    // Bytes that could not be removed still count.
    guard result == 0 else { return }
    state.withLock { $0.held -= room }
  }
}

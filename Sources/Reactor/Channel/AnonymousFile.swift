import CLinux
import Glibc
import Locking

/// One file without a name, in memory, that has the bytes which many connections are sent: from there the kernel sends them without
/// copying them first.
///
/// Nobody else can reach it, so nothing in it changes while it is sent. A part that is given back becomes a hole; no place is ever
/// used for a second time, so that what is still under way stays what it was.
final class AnonymousFile: Sendable {
  /// The file of this process; nil where there can be none.
  static let shared = AnonymousFile()

  /// What a part takes is a multiple of a page.
  private static let page = 4096

  /// The file's descriptor.
  let descriptor: Int32
  private let limit: Int
  private let state = Locked((end: 0, held: 0))

  /// A file that holds no more than `limit` bytes, whole pages counted; further ones are sent from memory. Nil where there can be none.
  init?(limit: Int = 64 * 1024 * 1024) {
    self.limit = limit
    descriptor = clinux_memfd("answers")
    guard descriptor >= 0 else { return nil }
  }

  deinit { close(descriptor) }

  private static func room(_ count: Int) -> Int { (count + page - 1) / page * page }

  /// Keeps the bytes; returns where they begin, nil where there is no room.
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

  /// Gives back the room of so many bytes.
  func remove(_ start: Int, _ count: Int) {
    let room = Self.room(count)
    var result = clinux_punch_hole(descriptor, off_t(start), off_t(room))
    while result != 0, errno == EINTR { result = clinux_punch_hole(descriptor, off_t(start), off_t(room)) }
    // What could not be given back still counts.
    guard result == 0 else { return }
    state.withLock { $0.held -= room }
  }
}

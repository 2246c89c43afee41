import CLinux
import Console
import Glibc
import Logging

/// The note that a fault leaves in the data folder, and the line on standard error: the signal that ended the process, the time,
/// and the program's function, if it is known. The function's name is as the compiler wrote it; `swift demangle` reads it.
enum CrashNote {
  private static let name = "crash.txt"
  /// More than any note has, in bytes.
  private static let limit = 512

  /// Records faults of this process from now on, in `folder` if there is one.
  static func begin(folder: String?) {
    if let folder {
      _ = clinux_note_crashes("\(folder)/\(name)")
    } else {
      _ = clinux_note_crashes(nil)
    }
  }

  /// The fault that ended an earlier console of the folder, which is logged; its note stays until an owner has seen it.
  static func earlierFault(in folder: DataFolder?, logger: Logger) -> EarlierFault {
    guard let folder else { return EarlierFault(note: nil) }
    return EarlierFault(note: report(in: folder, logger: logger)) { remove(from: folder) }
  }

  /// Logs the note of an earlier process and returns its line; nil if there is none. The note stays until it is removed, or until a later
  /// fault replaces it.
  private static func report(in folder: DataFolder, logger: Logger) -> String? {
    let path = folder.file(name)
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = read(descriptor, &bytes, limit)
    close(descriptor)
    // Only visible characters, so that a forged note can neither add a line to the log nor control a terminal.
    let text = String(decoding: bytes.prefix(max(0, count)).filter { (0x20..<0x7f).contains($0) }, as: UTF8.self)
    logger.error("an earlier console ended by a fault: \(text)")
    return text
  }

  /// Deletes the note.
  private static func remove(from folder: DataFolder) { unlink(folder.file(name)) }
}

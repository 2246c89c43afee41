import Console
import Foundation

/// The file in a data folder with the address of its console. A second start opens the page at this address, and a later start
/// compares its own address with that of the earlier devices.
///
/// It is only written under the folder's lock. A console works without it, so a failed write is ignored.
struct AddressFile {
  /// The file's content.
  struct Content: Equatable {
    /// The address of the console that last used the folder.
    let origin: Origin
    /// Whether that console is ready and has not begun to stop; false once another process locks the folder.
    let isReady: Bool

    private static let ready = " ready"

    init(origin: Origin, isReady: Bool) {
      self.origin = origin
      self.isReady = isReady
    }

    /// Parses the file's text; nil for anything else.
    init?(_ text: String) {
      let line = text.hasSuffix("\n") ? String(text.dropLast()) : text
      isReady = line.hasSuffix(Self.ready)
      guard let origin = Origin(isReady ? String(line.dropLast(Self.ready.count)) : line) else { return nil }
      self.origin = origin
    }

    /// The file's text: a line.
    var text: String { origin.text + (isReady ? Self.ready : "") + "\n" }
  }

  private static let name = "address"
  /// More than any content has, in bytes.
  private static let limit = 512
  private let path: String

  /// The file of a data folder, which may be missing.
  init(folder: String) { path = "\(folder)/\(Self.name)" }

  /// The file's content; nil if there is none.
  func read() -> Content? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.limit)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    return Content(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
  }

  /// Writes the file as a whole.
  func write(_ content: Content) {
    let next = "\(path).new"
    let descriptor = open(next, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    let bytes = Array(content.text.utf8)
    let isWritten = Glibc.write(descriptor, bytes, bytes.count) == bytes.count
    close(descriptor)
    if !isWritten || rename(next, path) != 0 { unlink(next) }
  }

  /// Records that no console serves the address any more.
  func endReady() {
    if let content = read(), content.isReady { write(Content(origin: content.origin, isReady: false)) }
  }
}

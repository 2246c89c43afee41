/// Bytes that go out on many connections, unchanged: a connection that still owes some of them holds on to them all, and copies none.
package final class SharedBytes: Sendable {
  /// From this size on they are sent from a file. A copy into the kernel is most of what an answer of 1 MiB costs; at 10 KiB it
  /// costs 10 % less than the file and a call fewer (8.6 and 9.6 µs), unless other work has the caches.
  package static let fileThreshold = 16_384

  /// The bytes.
  package let bytes: [UInt8]
  /// Where they are in the file; nil where they are not.
  let start: Int?

  /// Keeps the bytes, in the file too where that pays and can be done.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    start = bytes.count >= Self.fileThreshold ? AnonymousFile.shared?.add(bytes) : nil
  }

  deinit {
    if let start { AnonymousFile.shared?.remove(start, bytes.count) }
  }
}

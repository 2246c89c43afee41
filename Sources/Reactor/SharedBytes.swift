/// Bytes that go out on many connections, unchanged: a connection that still owes some of them holds on to them all, and copies
/// none. (From an unnamed file by sendfile they cost half as much again, page for page, and a descriptor each.)
package final class SharedBytes: Sendable {
  /// The bytes.
  package let bytes: [UInt8]

  /// Keeps the bytes.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }
}

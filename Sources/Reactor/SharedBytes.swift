import CLinux
import Glibc
import Synchronization

/// Bytes that go out on many connections, unchanged.
///
/// Large ones are also kept in an unnamed file, from which the kernel sends them without copying them first: a copy is three
/// quarters of what an answer of 1 MiB costs. Nobody else can reach that file, so it cannot become shorter meanwhile.
package final class SharedBytes: Sendable {
  /// From this size on a file pays.
  private static let smallestFile = 32_768
  /// All files together hold no more than this; further bytes are sent from memory.
  private static let totalFiles = 64 * 1024 * 1024
  private static let filed = Atomic(0)

  /// The bytes.
  package let bytes: [UInt8]
  /// The file with the same bytes, -1 where there is none.
  let descriptor: Int32

  /// Keeps the bytes, and writes the file where that pays and can be done.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    descriptor = Self.file(bytes)
  }

  deinit {
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    Self.filed.wrappingSubtract(bytes.count, ordering: .relaxed)
  }

  private static func file(_ bytes: [UInt8]) -> Int32 {
    guard bytes.count >= smallestFile else { return -1 }
    let total = filed.wrappingAdd(bytes.count, ordering: .relaxed).newValue
    let file = total <= totalFiles ? clinux_memfd("answer") : -1
    if file >= 0, bytes.withUnsafeBytes({ Glibc.write(file, $0.baseAddress, $0.count) }) == bytes.count { return file }
    if file >= 0 { Glibc.close(file) }
    filed.wrappingSubtract(bytes.count, ordering: .relaxed)
    return -1
  }
}

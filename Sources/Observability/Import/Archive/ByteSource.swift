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

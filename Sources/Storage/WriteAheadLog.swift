import Glibc

/// The log in which SQLite keeps changes until a checkpoint (sqlite.org/fileformat2.html §4).
package enum WriteAheadLog {
  /// The length of the header, in bytes.
  private static let headerLength = 32

  /// Whether the log of a closed database has a header that SQLite ignores, and with it all changes in the log, without an error.
  package static func isDamaged(of database: String) -> Bool {
    let file = open("\(database)-wal", O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return false }
    defer { close(file) }
    var header = [UInt8](repeating: 0, count: headerLength)
    // A shorter file contains no change.
    guard read(file, &header, headerLength) == headerLength else { return false }
    return !isValid(header)
  }

  /// Whether a header has the right magic number and checksum.
  private static func isValid(_ header: [UInt8]) -> Bool {
    func word(_ index: Int, isBigEndian: Bool = true) -> UInt32 {
      let bytes = header[(index * 4)..<(index * 4 + 4)]
      return (isBigEndian ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
    }
    guard header.count == headerLength, word(0) & ~1 == 0x377f_0682 else { return false }
    // The last bit gives the byte order of the checksum's words.
    let isBigEndian = word(0) & 1 == 1
    var first: UInt32 = 0
    var second: UInt32 = 0
    for index in stride(from: 0, to: 6, by: 2) {
      first = first &+ word(index, isBigEndian: isBigEndian) &+ second
      second = second &+ word(index + 1, isBigEndian: isBigEndian) &+ first
    }
    return word(6) == first && word(7) == second
  }
}

/// Reads a zip archive (PKWARE APPNOTE 6.3) in place, without ZIP64 and encryption.
///
/// An archive that two programs could read differently is rejected as a whole. Names are only compared, never used as paths.
package struct ZipArchive {
  /// The most entries.
  private static let countLimit = 65_534
  /// The largest directory in bytes.
  private static let directoryLimit = 16 << 20
  /// How many times larger than its compressed bytes an entry may be when unpacked, beyond `unsuspiciousSize`. A recording
  /// shrinks to a tenth or, if its entries are all alike, a fiftieth; deflate allows 1 to 1032.
  static let ratioLimit = 200
  /// The size in bytes up to which the ratio does not matter.
  static let unsuspiciousSize = 1 << 20

  /// The names of the entries in the order of the directory.
  package let names: [String]

  private let source: any ByteSource
  private let entries: [String: ZipEntry]

  /// Whether the bytes begin like an archive, empty or not.
  package static func isZip(_ source: some ByteSource) -> Bool {
    guard let first = try? source.read(at: 0, min(4, source.count)) else { return false }
    return first == [0x50, 0x4b, 3, 4] || first == [0x50, 0x4b, 5, 6]
  }

  /// Reads the directory and every entry's own header.
  package init(_ source: some ByteSource) throws(ArchiveError) {
    self.source = source
    let (directory, start) = try Self.directory(of: source)
    var list: [ZipEntry] = []
    var entries: [String: ZipEntry] = [:]
    var cursor = 0
    while cursor < directory.bytes.count {
      let entry = try ZipEntry(directory.bytes, at: &cursor)
      // Programs disagree about which of two files with the same name counts.
      guard entries.updateValue(entry, forKey: entry.name) == nil else { throw ArchiveError(.duplicateName, entry.name) }
      list.append(entry)
    }
    guard list.count == directory.count else { throw ArchiveError(.damagedDirectory) }
    // In the file's order, each entry begins after the previous one has ended.
    var end = 0
    for var entry in list.sorted(by: { $0.offset < $1.offset }) {
      guard entry.offset >= end else { throw ArchiveError(.overlap, entry.name) }
      try entry.locate(in: source, before: start)
      end = entry.dataStart + entry.compressedSize
      entries[entry.name] = entry
    }
    names = list.map(\.name)
    self.entries = entries
  }

  /// Begins to read an entry of at most `limit` bytes when unpacked.
  package func reader(of name: String, upTo limit: Int) throws(ArchiveError) -> ZipEntryReader {
    guard let entry = entries[name] else { throw ArchiveError(.damagedDirectory) }
    guard entry.size <= limit else { throw ArchiveError(.tooLarge(limit), name) }
    return try ZipEntryReader(entry, in: source)
  }

  /// Returns the content of an entry of at most `limit` bytes.
  package func file(_ name: String, upTo limit: Int) throws(ArchiveError) -> [UInt8] {
    let reader = try reader(of: name, upTo: limit)
    var content: [UInt8] = []
    while let piece = try reader.next() { content += piece }
    return content
  }

  /// The bytes of the directory, how many entries it has, and its offset; every entry is before it.
  private static func directory(
    of source: some ByteSource
  ) throws(ArchiveError) -> (directory: (bytes: [UInt8], count: Int), start: Int) {
    let length = min(source.count, 22 + 0xffff + 20)
    let tail = try source.read(at: source.count - length, length)
    guard let record = end(in: tail) else { throw ArchiveError(.endsEarly) }
    let end = source.count - length + record
    let field = { (offset: Int) in Int(tail.little16(at: record + offset)) }
    let count = field(10)
    let size = Int(tail.little32(at: record + 12))
    let start = Int(tail.little32(at: record + 16))
    // These values mean that the real ones are in a ZIP64 record, and some programs look for one in any case.
    let hasLocator = record >= 20 && tail.little32(at: record - 20) == 0x0706_4b50
    guard count != 0xffff, size != 0xffff_ffff, start != 0xffff_ffff, !hasLocator else { throw ArchiveError(.zip64) }
    guard field(4) == 0, field(6) == 0, field(8) == count else { throw ArchiveError(.severalVolumes) }
    guard count <= countLimit, size <= directoryLimit else { throw ArchiveError(.tooManyEntries) }
    guard start <= end, size == end - start, count <= size / 46 else { throw ArchiveError(.damagedDirectory) }
    return ((try source.read(at: start, size), count), start)
  }

  /// The offset of the end record, which a comment of up to 65,535 bytes may follow.
  private static func end(in tail: [UInt8]) -> Int? {
    var offset = tail.count - 22
    while offset >= 0 {
      if tail.little32(at: offset) == 0x0605_4b50, Int(tail.little16(at: offset + 20)) == tail.count - offset - 22 {
        return offset
      }
      offset -= 1
    }
    return nil
  }
}

import CZlib

/// Reads a zip archive in memory (PKWARE APPNOTE 6.3), without ZIP64 and encryption. Names are only compared, never used as
/// paths.
struct ZipArchive: Sendable {
  /// A file as the directory describes it.
  private struct Entry {
    let method: UInt16
    let isEncrypted: Bool
    let crc: UInt32
    let compressedSize: Int
    let size: Int
    let offset: Int
  }

  /// The most files.
  static let countLimit = 65_535
  /// How many times larger than its compressed bytes a file may be, beyond `unsuspiciousSize`. A recording shrinks to a tenth
  /// or, if its entries are all alike, a fiftieth; deflate allows 1 to 1032.
  static let ratioLimit = 200
  /// The size in bytes up to which the ratio does not matter.
  static let unsuspiciousSize = 1 << 20

  /// The names of the files in the order of the directory.
  let names: [String]

  private let bytes: [UInt8]
  private let entries: [String: Entry]
  /// Where the directory begins; every file is before it.
  private let directory: Int

  /// Whether the bytes begin like an archive, empty or not.
  static func isZip(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x50, 0x4b, 3, 4]) || bytes.starts(with: [0x50, 0x4b, 5, 6])
  }

  /// Reads the directory; throws `damagedArchive`, `unsupportedArchive` or `tooLarge`.
  init(_ bytes: [UInt8]) throws(RecordingError) {
    let end = try Self.end(of: bytes)
    let field = { (offset: Int) in Int(bytes.little16(at: end + offset)) }
    guard field(4) == 0, field(6) == 0, field(8) == field(10) else { throw .unsupportedArchive }
    let (count, size, start) = (field(10), Int(bytes.little32(at: end + 12)), Int(bytes.little32(at: end + 16)))
    // These values say that the real ones are in a ZIP64 record.
    guard count != 0xffff, size != 0xffff_ffff, start != 0xffff_ffff else { throw .unsupportedArchive }
    guard start <= end, size == end - start, count <= size / 46 else { throw .damagedArchive }
    var (names, entries): ([String], [String: Entry]) = ([], [:])
    var cursor = start
    for _ in 0..<count {
      guard end - cursor >= 46, bytes.little32(at: cursor) == 0x0201_4b50 else { throw .damagedArchive }
      let lengths = [28, 30, 32].map { Int(bytes.little16(at: cursor + $0)) }
      let next = cursor + 46 + lengths.reduce(0, +)
      guard next <= end else { throw .damagedArchive }
      let name = String(decoding: bytes[(cursor + 46)..<(cursor + 46 + lengths[0])], as: UTF8.self)
      let entry = Entry(
        method: bytes.little16(at: cursor + 10), isEncrypted: bytes.little16(at: cursor + 8) & 1 == 1,
        crc: bytes.little32(at: cursor + 16), compressedSize: Int(bytes.little32(at: cursor + 20)),
        size: Int(bytes.little32(at: cursor + 24)), offset: Int(bytes.little32(at: cursor + 42)))
      // Programs disagree about which of two files with the same name counts.
      guard entries.updateValue(entry, forKey: name) == nil else { throw .damagedArchive }
      names.append(name)
      cursor = next
    }
    guard cursor == end else { throw .damagedArchive }
    (self.names, self.entries, self.bytes, directory) = (names, entries, bytes, start)
  }

  /// Returns the content of a file of at most `limit` bytes; throws like the initializer.
  func file(_ name: String, upTo limit: Int) throws(RecordingError) -> [UInt8] {
    guard let entry = entries[name] else { throw .damagedArchive }
    guard !entry.isEncrypted, entry.method == 0 || entry.method == 8, entry.size != 0xffff_ffff else {
      throw .unsupportedArchive
    }
    guard entry.size <= limit, entry.size <= max(Self.unsuspiciousSize, entry.compressedSize * Self.ratioLimit) else {
      throw .tooLarge
    }
    guard directory - entry.offset >= 30, bytes.little32(at: entry.offset) == 0x0403_4b50 else { throw .damagedArchive }
    let start = entry.offset + 30 + Int(bytes.little16(at: entry.offset + 26)) + Int(bytes.little16(at: entry.offset + 28))
    guard start <= directory, entry.compressedSize <= directory - start else { throw .damagedArchive }
    let packed = Array(bytes[start..<(start + entry.compressedSize)])
    let content = entry.method == 0 ? packed : try Self.inflate(packed, to: entry.size)
    let sum = content.withUnsafeBufferPointer { crc32(crc32(0, nil, 0), $0.baseAddress, UInt32(clamping: $0.count)) }
    guard content.count == entry.size, UInt32(truncatingIfNeeded: sum) == entry.crc else { throw .damagedArchive }
    return content
  }

  private static func inflate(_ bytes: [UInt8], to size: Int) throws(RecordingError) -> [UInt8] {
    guard case .bytes(let content) = InflatedBody.inflate(bytes, as: .raw, upTo: size) else { throw .damagedArchive }
    return content
  }

  /// The offset of the end record, which a comment of up to 65,535 bytes may follow.
  private static func end(of bytes: [UInt8]) throws(RecordingError) -> Int {
    var offset = bytes.count - 22
    let first = max(0, offset - 0xffff)
    while offset >= first {
      if bytes.little32(at: offset) == 0x0605_4b50, Int(bytes.little16(at: offset + 20)) == bytes.count - offset - 22 {
        return offset
      }
      offset -= 1
    }
    throw .damagedArchive
  }
}

extension [UInt8] {
  /// The little-endian number at an offset, whose bytes must exist.
  fileprivate func little16(at offset: Int) -> UInt16 { UInt16(self[offset]) | UInt16(self[offset + 1]) << 8 }

  /// The little-endian number at an offset, whose bytes must exist.
  fileprivate func little32(at offset: Int) -> UInt32 { UInt32(little16(at: offset)) | UInt32(little16(at: offset + 2)) << 16 }
}

/// An entry of a zip archive as the directory describes it.
struct ZipEntry {
  /// The bit of the flags for an encrypted entry.
  private static let encrypted: UInt16 = 1
  /// The bit of the flags for sizes that follow the data.
  private static let describedLater: UInt16 = 8

  let name: String
  /// 0 for stored bytes, 8 for deflate.
  let method: UInt16
  let crc: UInt32
  let compressedSize: Int
  let size: Int
  /// Where the entry's own header begins.
  let offset: Int
  /// Where the data begins; 0 until `locate`.
  private(set) var dataStart = 0
  private let flags: UInt16
  private let nameBytes: [UInt8]

  /// Reads the entry at `cursor` of a directory and moves the cursor to the next.
  init(_ directory: [UInt8], at cursor: inout Int) throws(ArchiveError) {
    guard directory.count - cursor >= 46, directory.little32(at: cursor) == 0x0201_4b50 else {
      throw ArchiveError(.damagedDirectory)
    }
    let lengths = [28, 30, 32].map { Int(directory.little16(at: cursor + $0)) }
    let next = cursor + 46 + lengths.reduce(0, +)
    guard next <= directory.count else { throw ArchiveError(.damagedDirectory) }
    nameBytes = Array(directory[(cursor + 46)..<(cursor + 46 + lengths[0])])
    name = String(decoding: nameBytes, as: UTF8.self)
    flags = directory.little16(at: cursor + 8)
    method = directory.little16(at: cursor + 10)
    crc = directory.little32(at: cursor + 16)
    compressedSize = Int(directory.little32(at: cursor + 20))
    size = Int(directory.little32(at: cursor + 24))
    offset = Int(directory.little32(at: cursor + 42))
    let volume = directory.little16(at: cursor + 34)
    cursor = next
    guard Self.isSafe(nameBytes) else { throw ArchiveError(.unsafeName, name) }
    guard flags & Self.encrypted == 0 else { throw ArchiveError(.encrypted, name) }
    guard volume == 0 else { throw ArchiveError(.severalVolumes) }
    guard compressedSize != 0xffff_ffff, size != 0xffff_ffff, offset != 0xffff_ffff else { throw ArchiveError(.zip64, name) }
    guard method != 0 || size == compressedSize else { throw ArchiveError(.size, name) }
    guard size <= max(ZipArchive.unsuspiciousSize, compressedSize * ZipArchive.ratioLimit) else {
      throw ArchiveError(.ratio, name)
    }
  }

  /// Finds the data after the entry's own header, which must match the directory; all of it is before `end`.
  mutating func locate(in source: some ByteSource, before end: Int) throws(ArchiveError) {
    guard offset <= end - 30 else { throw ArchiveError(.overlap, name) }
    let header = try source.read(at: offset, 30)
    guard header.little32(at: 0) == 0x0403_4b50 else { throw ArchiveError(.header, name) }
    let nameLength = Int(header.little16(at: 26))
    let extraLength = Int(header.little16(at: 28))
    dataStart = offset + 30 + nameLength + extraLength
    guard dataStart <= end, compressedSize <= end - dataStart else { throw ArchiveError(.overlap, name) }
    guard header.little16(at: 6) & Self.encrypted == 0 else { throw ArchiveError(.encrypted, name) }
    guard header.little16(at: 8) == method, try source.read(at: offset + 30, nameLength) == nameBytes else {
      throw ArchiveError(.header, name)
    }
    guard header.little16(at: 6) & Self.describedLater == 0 else { return }
    guard header.little32(at: 14) == crc, Int(header.little32(at: 18)) == compressedSize, Int(header.little32(at: 22)) == size
    else { throw ArchiveError(.header, name) }
  }

  /// Whether a name stays within the folder that the archive would be unpacked into, on any system.
  private static func isSafe(_ name: [UInt8]) -> Bool {
    guard let first = name.first, first != UInt8(ascii: "/"), name.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { return false }
    guard !name.contains(UInt8(ascii: "\\")), !(name.count > 1 && name[1] == UInt8(ascii: ":")) else { return false }
    return !name.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
  }
}

extension [UInt8] {
  /// The little-endian number at an offset, whose bytes must exist.
  func little16(at offset: Int) -> UInt16 { UInt16(self[offset]) | UInt16(self[offset + 1]) << 8 }

  /// The little-endian number at an offset, whose bytes must exist.
  func little32(at offset: Int) -> UInt32 { UInt32(little16(at: offset)) | UInt32(little16(at: offset + 2)) << 16 }
}

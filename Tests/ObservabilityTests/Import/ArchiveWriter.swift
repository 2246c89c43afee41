@testable import Observability

/// Writes zip archives with any header fields, true or false.
struct ArchiveWriter {
  /// A file; the sizes and the checksum are those of the headers, not of the data.
  struct File {
    var name: String
    var data: [UInt8]
    var method: UInt16 = 0
    var flags: UInt16 = 0
    var crc: UInt32 = 0
    var size: UInt32 = 0
    var compressedSize: UInt32?
    var offset: UInt32?
  }

  var files: [File]
  /// Follows the end record.
  var comment: [UInt8] = []
  var count: UInt16?
  var directorySize: UInt32?
  var directoryOffset: UInt32?
  var disk: UInt16 = 0

  /// The archive.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    var offsets: [Int] = []
    for file in files {
      offsets.append(bytes.count)
      bytes += number(0x0403_4b50, 4) + head(file) + [0, 0] + file.name.utf8 + file.data
    }
    let start = bytes.count
    for (file, offset) in zip(files, offsets) {
      bytes += number(0x0201_4b50, 4) + number(20, 2) + head(file) + number(0, 12)
      bytes += number(file.offset ?? UInt32(offset), 4) + file.name.utf8
    }
    let size = bytes.count - start
    bytes += number(0x0605_4b50, 4) + number(UInt32(disk), 2) + number(0, 2)
    for _ in 0..<2 { bytes += number(UInt32(count ?? UInt16(files.count)), 2) }
    bytes += number(directorySize ?? UInt32(size), 4) + number(directoryOffset ?? UInt32(start), 4)
    return bytes + number(UInt32(comment.count), 2) + comment
  }

  /// The fields that both headers have: version to the length of the name.
  private func head(_ file: File) -> [UInt8] {
    number(20, 2) + number(UInt32(file.flags), 2) + number(UInt32(file.method), 2) + number(0, 4) + number(file.crc, 4)
      + number(file.compressedSize ?? UInt32(file.data.count), 4) + number(file.size, 4) + number(UInt32(file.name.utf8.count), 2)
  }

  private func number(_ value: UInt32, _ width: Int) -> [UInt8] {
    (0..<width).map { $0 < 4 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
  }
}

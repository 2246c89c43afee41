import Text

/// The headers and the directory of a zip archive (PKWARE APPNOTE 6.3), without ZIP64.
struct ZipDirectory {
  /// A file in the archive.
  struct Entry {
    let name: [UInt8]
    let crc: UInt32
    let compressedSize: UInt32
    let size: UInt32
    let offset: UInt32
  }

  /// The most entries without ZIP64.
  static let maximumCount = 0xffff

  /// Sizes and checksum follow the data, and names are UTF-8.
  private static let flags: UInt16 = 1 << 3 | 1 << 11
  private static let deflated: UInt16 = 8
  /// Created on Unix, so that the mode below applies.
  private static let madeBy: UInt16 = 3 << 8 | 20
  /// A regular file that only its owner may read and write.
  private static let mode: UInt32 = 0o100600 << 16

  /// Date and time in MS-DOS format, in UTC: steps of two seconds from 1980.
  private let stamp: (time: UInt16, date: UInt16)
  private var entries: [Entry] = []

  /// Creates a directory whose files have the same modification time, in milliseconds since 1970.
  init(milliseconds: Int64) { stamp = Self.stamp(milliseconds: milliseconds) }

  /// The header before a file's data.
  func localHeader(name: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(little: UInt32(0x0403_4b50))
    for field in [20, Self.flags, Self.deflated, stamp.time, stamp.date] as [UInt16] { bytes.append(little: field) }
    for _ in 0..<3 { bytes.append(little: UInt32(0)) }
    bytes.append(little: UInt16(clamping: name.count))
    bytes.append(little: UInt16(0))
    return bytes + name
  }

  /// Adds a file; returns the descriptor that follows its data.
  mutating func add(_ entry: Entry) -> [UInt8] {
    entries.append(entry)
    var bytes: [UInt8] = []
    for field in [0x0807_4b50, entry.crc, entry.compressedSize, entry.size] as [UInt32] { bytes.append(little: field) }
    return bytes
  }

  /// The directory header of the entry at an index.
  func centralHeader(_ index: Int) -> [UInt8] {
    let entry = entries[index]
    var bytes: [UInt8] = []
    bytes.append(little: UInt32(0x0201_4b50))
    for field in [Self.madeBy, 20, Self.flags, Self.deflated, stamp.time, stamp.date] as [UInt16] { bytes.append(little: field) }
    for field in [entry.crc, entry.compressedSize, entry.size] { bytes.append(little: field) }
    for field in [UInt16(clamping: entry.name.count), 0, 0, 0, 0] as [UInt16] { bytes.append(little: field) }
    bytes.append(little: Self.mode)
    bytes.append(little: entry.offset)
    return bytes + entry.name
  }

  /// The end record, for a directory at `offset` with `size` bytes.
  func end(offset: UInt32, size: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(little: UInt32(0x0605_4b50))
    let count = UInt16(clamping: entries.count)
    for field in [0, 0, count, count] as [UInt16] { bytes.append(little: field) }
    bytes.append(little: size)
    bytes.append(little: offset)
    bytes.append(little: UInt16(0))
    return bytes
  }

  private static func stamp(milliseconds: Int64) -> (time: UInt16, date: UInt16) {
    let time = CivilTime(secondsSince1970: milliseconds / 1000)
    guard time.date.year >= 1980 else { return (0, 0x21) }
    let year = UInt16(min(time.date.year - 1980, 127))
    return (
      UInt16(time.hour) << 11 | UInt16(time.minute) << 5 | UInt16(time.second) / 2,
      year << 9 | UInt16(time.date.month) << 5 | UInt16(time.date.day)
    )
  }
}

extension [UInt8] {
  /// Appends a number in little-endian order.
  fileprivate mutating func append(little value: some FixedWidthInteger & UnsignedInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}

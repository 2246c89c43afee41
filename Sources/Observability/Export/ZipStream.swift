import Compression
package import JSON

/// A zip archive produced in chunks on demand, with a few hundred kilobytes of memory for any size.
package actor ZipStream {
  /// Why an archive cannot be created.
  package enum Failure: Error, Equatable, Sendable {
    /// More than 65,535 files or 4 GiB, which would require ZIP64.
    case tooLarge
    /// zlib failed, which happens if memory is lacking.
    case compression
  }

  /// The approximate size of a chunk in bytes.
  private static let chunk = 128 * 1024
  /// zlib's level: at 3, log rows shrink to a tenth in half the time of the default level.
  private static let level = 3

  private let files: [ExportFile]
  private let deflater: Deflater
  private var directory: ZipDirectory
  private var file = 0
  private var piece = 0
  private var central = 0
  private var start = 0
  private var size = 0
  private var checksum = Checksum()
  private var offset = 0
  private var centralOffset = 0
  private var isDone = false

  /// Creates an archive of the files, all dated `createdAt`; throws `tooLarge` or `compression`.
  package init(files: [ExportFile], createdAt: Timestamp) throws(Failure) {
    guard files.count <= ZipDirectory.maximumCount else { throw .tooLarge }
    self.files = files
    do {
      deflater = try Deflater(.raw, level: Self.level)
    } catch {
      throw .compression
    }
    directory = ZipDirectory(milliseconds: createdAt.milliseconds)
  }

  /// Returns the next bytes of the archive; nil at the end.
  package func next() throws(Failure) -> [UInt8]? {
    guard !isDone else { return nil }
    var output: [UInt8] = []
    output.reserveCapacity(Self.chunk + 16 * 1024)
    while file < files.count, output.count < Self.chunk { try step(&output) }
    guard file == files.count else {
      offset += output.count
      return output
    }
    if central == 0 { centralOffset = offset + output.count }
    while central < files.count, output.count < Self.chunk {
      output += directory.centralHeader(central)
      central += 1
    }
    if central == files.count {
      let end = offset + output.count
      guard let first = UInt32(exactly: centralOffset), let length = UInt32(exactly: end - centralOffset) else { throw .tooLarge }
      output += directory.end(offset: first, size: length)
      isDone = true
    }
    offset += output.count
    return output
  }

  /// Writes one piece of the current file, with the headers around its data.
  private func step(_ output: inout [UInt8]) throws(Failure) {
    let current = files[file]
    if piece == 0 {
      start = offset + output.count
      (size, checksum) = (0, Checksum())
      output += directory.localHeader(name: Array(current.name.utf8))
      deflater.reset()
    }
    if piece < current.pieceCount {
      let bytes = current.piece(piece)
      size += bytes.count
      checksum.update(bytes)
      try compress(bytes, isLast: false, to: &output)
    }
    piece += 1
    guard piece >= current.pieceCount else { return }
    try compress([], isLast: true, to: &output)
    let head = 30 + current.name.utf8.count
    guard let from = UInt32(exactly: start), let plain = UInt32(exactly: size),
      let packed = UInt32(exactly: offset + output.count - start - head)
    else { throw .tooLarge }
    output += directory.add(
      ZipDirectory.Entry(name: Array(current.name.utf8), crc: checksum.value, compressedSize: packed, size: plain, offset: from))
    (file, piece) = (file + 1, 0)
  }

  private func compress(_ bytes: [UInt8], isLast: Bool, to output: inout [UInt8]) throws(Failure) {
    do {
      try deflater.append(bytes, isLast: isLast, to: &output)
    } catch {
      throw .compression
    }
  }
}

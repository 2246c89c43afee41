import Compression

/// Unpacks one entry in pieces, so that an entry of any size takes little memory.
package final class ZipEntryReader {
  /// How many compressed bytes are read at a time.
  private static let inputSize = 64 << 10
  /// How many bytes are made at a time.
  private static let outputSize = 256 << 10

  /// The entry's unpacked size.
  package var size: Int { entry.size }
  /// How many bytes were unpacked until now.
  package private(set) var made = 0

  private let entry: ZipEntry
  private let source: any ByteSource
  /// nil for an entry that is not compressed.
  private let inflater: Inflater?
  private var consumed = 0
  private var checksum = Checksum()
  private var isDone = false

  init(_ entry: ZipEntry, in source: any ByteSource) throws(ArchiveError) {
    guard entry.method == 0 || entry.method == 8 else { throw ArchiveError(.compression(entry.method), entry.name) }
    self.entry = entry
    self.source = source
    if entry.method == 0 {
      inflater = nil
    } else {
      guard let inflater = Inflater(.raw) else { throw ArchiveError(.unreadable) }
      self.inflater = inflater
    }
  }

  /// Returns the next bytes; nil after the last ones, if size and checksum are right.
  package func next() throws(ArchiveError) -> [UInt8]? {
    guard !isDone else { return nil }
    let piece = if let inflater { try inflated(inflater) } else { try input() }
    made += piece.count
    guard made <= entry.size else { throw ArchiveError(.size, entry.name) }
    checksum.update(piece)
    let isAtEnd = inflater?.isAtEnd ?? (consumed == entry.compressedSize)
    guard isAtEnd || !piece.isEmpty else { throw ArchiveError(.damagedData, entry.name) }
    guard isAtEnd else { return piece }
    guard consumed == entry.compressedSize, inflater?.rest ?? 0 == 0, made == entry.size else {
      throw ArchiveError(.size, entry.name)
    }
    guard checksum.value == entry.crc else { throw ArchiveError(.checksum, entry.name) }
    isDone = true
    return piece.isEmpty ? nil : piece
  }

  /// The next bytes of the file, empty at the end of the entry.
  private func input() throws(ArchiveError) -> [UInt8] {
    let bytes = try source.read(at: entry.dataStart + consumed, min(Self.inputSize, entry.compressedSize - consumed))
    consumed += bytes.count
    return bytes
  }

  private func inflated(_ inflater: Inflater) throws(ArchiveError) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(Self.outputSize)
    while output.count < Self.outputSize, !inflater.isAtEnd {
      if inflater.rest == 0 {
        let more = try input()
        if more.isEmpty { break }
        inflater.put(more)
      }
      guard inflater.take(upTo: Self.outputSize - output.count, into: &output) else {
        throw ArchiveError(.damagedData, entry.name)
      }
    }
    return output
  }
}

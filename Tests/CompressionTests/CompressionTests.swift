import Compression
import Testing

@Suite struct CompressionTests {
  private static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) } }

  /// Decompresses pieces of a stream; nil if they are not one complete stream.
  private func inflated(_ packed: [UInt8], as format: Inflater.Format, piece: Int) throws -> [UInt8]? {
    let inflater = try #require(Inflater(format))
    var output: [UInt8] = []
    var rest = packed[...]
    while !inflater.isAtEnd {
      if inflater.rest == 0 {
        guard !rest.isEmpty else { return nil }
        inflater.put(Array(rest.prefix(piece)))
        rest = rest.dropFirst(piece)
      }
      guard inflater.take(upTo: 1000, into: &output) else { return nil }
    }
    return inflater.rest == 0 && rest.isEmpty ? output : nil
  }

  @Test(arguments: [0, 1, 1000, 300_000], [(Deflater.Format.raw, Inflater.Format.raw), (.gzip, .gzipOrZlib)])
  func compressedBytesAreDecompressed(_ count: Int, _ formats: (Deflater.Format, Inflater.Format)) throws {
    let packed = try Deflater.compress(Self.bytes(count), as: formats.0, level: 6)
    for piece in [7, 64 << 10] {
      #expect(try inflated(packed, as: formats.1, piece: piece) == Self.bytes(count))
    }
    #expect(try packed == Deflater.compress(Self.bytes(count), as: formats.0, level: 6))
  }

  @Test func oneDeflaterCompressesStreamsInPieces() throws {
    let deflater = try Deflater(.raw, level: 3)
    for count in [5, 0, 200_000] {
      var packed: [UInt8] = []
      deflater.reset()
      try deflater.append(Self.bytes(count), isLast: false, to: &packed)
      try deflater.append([1, 2], isLast: false, to: &packed)
      try deflater.append([], isLast: true, to: &packed)
      #expect(try inflated(packed, as: .raw, piece: 1000) == Self.bytes(count) + [1, 2])
    }
  }

  @Test func incompleteAndDamagedStreamsAreNotDecompressed() throws {
    var packed = try Deflater.compress(Self.bytes(10_000), as: .gzip, level: 6)
    #expect(try inflated(Array(packed.dropLast()), as: .gzipOrZlib, piece: 1000) == nil)
    #expect(try inflated(packed + [0], as: .gzipOrZlib, piece: 100_000) == nil)
    packed[packed.count / 2] ^= 0xff
    #expect(try inflated(packed, as: .gzipOrZlib, piece: 1000) == nil)
    #expect(try inflated(Array("no deflate".utf8), as: .raw, piece: 1000) == nil)
  }

  /// The check value of CRC-32/ISO-HDLC.
  @Test func theChecksumIsCRC32() {
    var checksum = Checksum()
    #expect(checksum.value == 0)
    checksum.update(Array("1234".utf8))
    checksum.update([])
    checksum.update(Array("56789".utf8))
    #expect(checksum.value == 0xcbf4_3926)
  }
}

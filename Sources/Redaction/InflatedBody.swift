import Compression

/// The result of decompressing a body that was received compressed.
package enum InflatedBody {
  /// The decompressed bytes.
  case bytes([UInt8])
  /// The decompressed body exceeds the limit.
  case tooLarge
  /// Not a single complete stream.
  case notCompressed

  /// Decompresses gzip (RFC 1952) or zlib (RFC 1950), distinguished by the header, to at most `limit` bytes.
  package static func inflate(_ body: [UInt8], upTo limit: Int) -> InflatedBody {
    hasHeader(body) ? inflate(body, as: .gzipOrZlib, upTo: limit) : .notCompressed
  }

  /// Decompresses deflate without a header (RFC 1951) to at most `limit` bytes.
  package static func inflateRaw(_ body: [UInt8], upTo limit: Int) -> InflatedBody { inflate(body, as: .raw, upTo: limit) }

  private static func inflate(_ body: [UInt8], as format: Inflater.Format, upTo limit: Int) -> InflatedBody {
    guard let inflater = Inflater(format) else { return .notCompressed }
    inflater.put(body)
    var output: [UInt8] = []
    while true {
      let before = output.count
      guard inflater.take(upTo: 64 * 1024, into: &output) else { return .notCompressed }
      guard output.count <= limit else { return .tooLarge }
      if inflater.isAtEnd { return inflater.rest == 0 ? .bytes(output) : .notCompressed }
      guard output.count > before || inflater.rest > 0 else { return .notCompressed }
    }
  }

  private static func hasHeader(_ body: [UInt8]) -> Bool {
    guard body.count >= 2 else { return false }
    let isZlib = body[0] & 0x0f == 8 && (Int(body[0]) << 8 | Int(body[1])).isMultiple(of: 31)
    return body.starts(with: [0x1f, 0x8b]) || isZlib
  }
}

import CZlib

/// The result of decompressing a body that was received compressed.
package enum InflatedBody {
  /// The decompressed bytes.
  case bytes([UInt8])
  /// The decompressed body exceeds the limit.
  case tooLarge
  /// Not a complete stream.
  case notCompressed

  /// A format with the window size that makes zlib read it.
  package enum Format: Int32 {
    /// Gzip (RFC 1952) or zlib (RFC 1950), by the header.
    case gzipOrZlib = 47
    /// Deflate without a header (RFC 1951).
    case raw = -15
  }

  /// Decompresses a stream to at most `limit` bytes.
  package static func inflate(_ body: [UInt8], as format: Format = .gzipOrZlib, upTo limit: Int) -> InflatedBody {
    guard format == .raw || isCompressed(body) else { return .notCompressed }
    var stream = z_stream()
    guard czlib_inflate_init(&stream, format.rawValue) == Z_OK else { return .notCompressed }
    defer { inflateEnd(&stream) }
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    // zlib takes the input as a non-const pointer, but does not write to it.
    var input = body
    return input.withUnsafeMutableBufferPointer { input -> InflatedBody in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(clamping: input.count)
      while true {
        let (status, made) = chunk.withUnsafeMutableBufferPointer { chunk in
          stream.next_out = chunk.baseAddress
          stream.avail_out = UInt32(clamping: chunk.count)
          let status = CZlib.inflate(&stream, Z_NO_FLUSH)
          return (status, chunk.count - Int(stream.avail_out))
        }
        guard output.count + made <= limit else { return .tooLarge }
        output += chunk[..<made]
        if status == Z_STREAM_END { return stream.avail_in == 0 ? .bytes(output) : .notCompressed }
        guard status == Z_OK, made > 0 || stream.avail_in > 0 else { return .notCompressed }
      }
    }
  }

  private static func isCompressed(_ body: [UInt8]) -> Bool {
    guard body.count >= 2 else { return false }
    let isZlib = body[0] & 0x0f == 8 && (Int(body[0]) << 8 | Int(body[1])).isMultiple(of: 31)
    return body.starts(with: [0x1f, 0x8b]) || isZlib
  }
}

import CZlib

/// What a body is that came compressed where nobody undid it.
enum InflatedBody {
  /// The bytes within.
  case bytes([UInt8])
  /// There is more in it than may be read.
  case tooLarge
  /// It is no gzip (RFC 1952) or zlib (RFC 1950) stream, or not a whole one.
  case notCompressed

  /// Undoes gzip or zlib compression; at most `limit` bytes are made of a body.
  static func inflate(_ body: [UInt8], upTo limit: Int) -> InflatedBody {
    guard isCompressed(body) else { return .notCompressed }
    var stream = z_stream()
    // 32 beside the window's size: either format by its header.
    guard czlib_inflate_init(&stream, 15 + 32) == Z_OK else { return .notCompressed }
    defer { inflateEnd(&stream) }
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    // zlib takes its input by a pointer that is not const, and does not write to it.
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

import CZlib

/// Compression with gzip (RFC 1952).
package enum Gzip {
  /// Compresses at zlib's `level`, 1 to 9; nil if zlib fails.
  ///
  /// The output contains no name or time, so equal input gives equal output.
  package static func compress(_ bytes: [UInt8], level: Int) -> [UInt8]? {
    guard bytes.count < Int(UInt32.max) else { return nil }
    var stream = z_stream()
    guard czlib_deflate_init(&stream, Int32(min(max(level, 1), 9)), 31) == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    let capacity = Int(deflateBound(&stream, UInt(bytes.count)))
    var input = bytes
    return input.withUnsafeMutableBufferPointer { source in
      var result: [UInt8]?
      let output = [UInt8](unsafeUninitializedCapacity: capacity) { target, count in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(clamping: target.count)
        let status = deflate(&stream, Z_FINISH)
        count = status == Z_STREAM_END ? target.count - Int(stream.avail_out) : 0
      }
      if !output.isEmpty { result = output }
      return result
    }
  }
}

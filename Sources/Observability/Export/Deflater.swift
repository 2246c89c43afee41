import CZlib

/// Raw deflate (RFC 1951) for one stream after another.
///
/// `@unchecked Sendable`: owns a zlib stream, which contains pointers to itself and must not move; only one owner uses it at a
/// time.
final class Deflater: @unchecked Sendable {
  private let stream: UnsafeMutablePointer<z_stream>
  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

  /// zlib's level: at 3, log rows shrink to a tenth in half the time of the default level.
  private static let level: Int32 = 3

  /// Throws `compression` if zlib has no memory.
  init() throws(ZipStream.Failure) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard czlib_deflate_init(stream, Self.level, -15) == Z_OK else {
      stream.deallocate()
      throw .compression
    }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// Begins another stream.
  func reset() { deflateReset(stream) }

  /// Appends compressed bytes as far as they are available; all of them if `isLast`.
  func append(_ bytes: [UInt8], isLast: Bool, to output: inout [UInt8]) throws(ZipStream.Failure) {
    guard bytes.count < Int(UInt32.max) else { throw .tooLarge }
    var input = bytes
    var status = Z_OK
    input.withUnsafeMutableBufferPointer { source in
      stream.pointee.next_in = source.baseAddress
      stream.pointee.avail_in = UInt32(source.count)
      var isFull = true
      while isFull, status == Z_OK {
        buffer.withUnsafeMutableBufferPointer { target in
          stream.pointee.next_out = target.baseAddress
          stream.pointee.avail_out = UInt32(target.count)
          status = deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
          let made = target.count - Int(stream.pointee.avail_out)
          output.append(contentsOf: target[..<made])
          isFull = made == target.count
        }
      }
      stream.pointee.next_in = nil
    }
    // Z_BUF_ERROR is not an error here: the piece was empty, or the stream ended exactly at the end of the buffer.
    guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else { throw .compression }
  }
}

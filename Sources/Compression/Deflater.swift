import CZlib

/// Compresses one stream after another with deflate (RFC 1951).
///
/// `@unchecked Sendable`: owns a zlib stream, which contains pointers to itself and must not move; only one owner uses it at a
/// time.
package final class Deflater: @unchecked Sendable {
  /// A container of the compressed bytes, with the window size that makes zlib write it.
  package enum Format: Int32, Sendable {
    /// No container.
    case raw = -15
    /// Gzip (RFC 1952), without a name or time, so that equal bytes become equal streams.
    case gzip = 31
  }

  /// zlib lacks memory, or a piece has 4 GiB or more.
  package struct Failure: Error, Equatable, Sendable {}

  private let stream: UnsafeMutablePointer<z_stream>
  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

  /// Creates a compressor; zlib's `level` is 1 to 9.
  package init(_ format: Format, level: Int) throws(Failure) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard czlib_deflate_init(stream, Int32(min(max(level, 1), 9)), format.rawValue) == Z_OK else {
      stream.deallocate()
      throw Failure()
    }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// Begins another stream.
  package func reset() { deflateReset(stream) }

  /// Appends the compressed bytes that are available; all of them if `isLast`.
  package func append(_ bytes: [UInt8], isLast: Bool, to output: inout [UInt8]) throws(Failure) {
    guard bytes.count < Int(UInt32.max) else { throw Failure() }
    // zlib takes the input as a non-const pointer, but does not write to it.
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
    guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else { throw Failure() }
  }

  /// Compresses everything at once.
  package static func compress(_ bytes: [UInt8], as format: Format, level: Int) throws(Failure) -> [UInt8] {
    var output: [UInt8] = []
    try Deflater(format, level: level).append(bytes, isLast: true, to: &output)
    return output
  }
}

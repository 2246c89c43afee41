import CZlib

/// Decompresses deflate (RFC 1951) that arrives in pieces. Owns a zlib stream, which contains pointers to itself and must not move.
package final class Inflater {
  /// A container of the compressed bytes, with the window size that makes zlib read it.
  package enum Format: Int32, Sendable {
    /// No container.
    case raw = -15
    /// Gzip (RFC 1952) or zlib (RFC 1950), by the header.
    case gzipOrZlib = 47
  }

  private let stream: UnsafeMutablePointer<z_stream>
  private var input: [UInt8] = []
  private var position = 0
  /// Whether the stream has ended.
  package private(set) var isAtEnd = false

  /// How many bytes were put but not yet decompressed.
  package var rest: Int { input.count - position }

  /// nil if zlib has no memory.
  package init?(_ format: Format) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard czlib_inflate_init(stream, format.rawValue) == Z_OK else {
      stream.deallocate()
      return nil
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Sets the next compressed bytes; the previous ones must have been decompressed.
  package func put(_ bytes: [UInt8]) { (input, position) = (bytes, 0) }

  /// Appends at most `limit` bytes from the input so far; false if the input is not deflate.
  package func take(upTo limit: Int, into output: inout [UInt8]) -> Bool {
    var status = Z_OK
    let made = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      input.withUnsafeMutableBufferPointer { source in
        // zlib takes the input as a non-const pointer, but does not write to it.
        stream.pointee.next_in = source.baseAddress?.advanced(by: position)
        stream.pointee.avail_in = UInt32(clamping: source.count - position)
        stream.pointee.next_out = buffer.baseAddress
        stream.pointee.avail_out = UInt32(clamping: limit)
        status = CZlib.inflate(stream, Z_NO_FLUSH)
        position = source.count - Int(stream.pointee.avail_in)
        count = limit - Int(stream.pointee.avail_out)
        stream.pointee.next_in = nil
      }
    }
    output += made
    isAtEnd = status == Z_STREAM_END
    // Z_BUF_ERROR: the input ended within a code, and more follows.
    return isAtEnd || status == Z_OK || status == Z_BUF_ERROR && rest == 0
  }
}

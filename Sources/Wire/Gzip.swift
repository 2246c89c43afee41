import Compression

/// Compression with gzip (RFC 1952).
package enum Gzip {
  /// Compresses at zlib's `level`, 1 to 9; nil if zlib lacks memory. Equal input gives equal output.
  package static func compress(_ bytes: [UInt8], level: Int) -> [UInt8]? {
    try? Deflater.compress(bytes, as: .gzip, level: level)
  }
}

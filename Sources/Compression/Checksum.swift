import CZlib

/// CRC-32 of bytes that arrive in pieces, as gzip and zip use it (RFC 1952 §8).
package struct Checksum: Sendable {
  private var sum = crc32(0, nil, 0)

  /// The checksum of the bytes until now.
  package var value: UInt32 { UInt32(truncatingIfNeeded: sum) }

  package init() {}

  /// Adds the next bytes, fewer than 4 GiB.
  package mutating func update(_ bytes: [UInt8]) {
    sum = bytes.withUnsafeBufferPointer { crc32(sum, $0.baseAddress, UInt32(clamping: $0.count)) }
  }
}

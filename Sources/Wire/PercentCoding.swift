/// Percent-encoding of RFC 3986 §2.1.
package enum PercentCoding {
  /// The text that a path segment or query part stands for; nil where an escape is broken, a NUL comes out, or it is not UTF-8.
  ///
  /// `plusIsSpace` reads `+` as forms write it.
  package static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
    guard let bytes = bytes(of: text, plusIsSpace: plusIsSpace) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func bytes(of text: some StringProtocol, plusIsSpace: Bool) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(text.utf8.count)
    var iterator = text.utf8.makeIterator()
    while let byte = iterator.next() {
      switch byte {
      case 0x25:
        guard let high = iterator.next().flatMap(ByteClass.hexValue), let low = iterator.next().flatMap(ByteClass.hexValue),
          high << 4 | low != 0
        else { return nil }
        result.append(high << 4 | low)
      case 0x2B where plusIsSpace: result.append(0x20)
      case 0: return nil
      default: result.append(byte)
      }
    }
    return result
  }

  /// Encodes all but the unreserved characters (RFC 3986 §2.3).
  package static func encode(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var result: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: result.append(byte)
      default: result.append(contentsOf: [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]])
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

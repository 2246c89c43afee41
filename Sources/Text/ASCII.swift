/// Classes of ASCII characters.
package enum ASCII {
  /// Whether the byte is `0` to `9`.
  @inlinable package static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  /// Whether the byte is `a` to `z`.
  @inlinable package static func isLowercase(_ byte: UInt8) -> Bool { byte &- 0x61 < 26 }

  /// Whether the byte is `A` to `Z`.
  @inlinable package static func isUppercase(_ byte: UInt8) -> Bool { byte &- 0x41 < 26 }

  /// Whether the byte is a letter of either case.
  @inlinable package static func isLetter(_ byte: UInt8) -> Bool { isLowercase(byte | 0x20) }

  /// Whether the byte is a letter or a digit.
  @inlinable package static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || isLetter(byte) }

  /// Whether the byte is a hexadecimal digit of either case.
  @inlinable package static func isHexadecimal(_ byte: UInt8) -> Bool { isDigit(byte) || (byte | 0x20) &- 0x61 < 6 }

  /// Whether a text is a UUID (RFC 9562 §4).
  package static func isUUID(_ bytes: [UInt8]) -> Bool {
    bytes.count == 36
      && bytes.indices.allSatisfy { place in
        switch place {
        case 8, 13, 18, 23: bytes[place] == UInt8(ascii: "-")
        default: isHexadecimal(bytes[place])
        }
      }
  }

  /// Whether the byte is a character of methods, field names and codings (`tchar`, RFC 9110 §5.6.2).
  @inlinable @inline(__always)
  package static func isToken(_ byte: UInt8) -> Bool { contains(byte, 0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE) }

  /// The byte with `A` to `Z` in lower case.
  @inlinable @inline(__always)
  package static func lowercased(_ byte: UInt8) -> UInt8 { isUppercase(byte) ? byte | 0x20 : byte }

  /// Whether a set has the byte; its masks are of the bytes below 64 and of those from 64 to 127.
  @inlinable @inline(__always)
  package static func contains(_ byte: UInt8, _ low: UInt64, _ high: UInt64) -> Bool {
    byte < 128 && ((byte < 64 ? low &>> UInt64(byte) : high &>> UInt64(byte &- 64)) & 1) == 1
  }

  /// Whether the bytes are a label of a host name: 1 to 63 letters, digits and inner hyphens (RFC 1123 §2.1).
  package static func isHostLabel(_ bytes: some BidirectionalCollection<UInt8>) -> Bool {
    let hyphen = UInt8(ascii: "-")
    return (1...63).contains(bytes.count) && bytes.first != hyphen && bytes.last != hyphen
      && bytes.allSatisfy { isAlphanumeric($0) || $0 == hyphen }
  }
}

extension StringProtocol {
  /// The text without the spaces and tabs around it (RFC 9110 §5.6.3).
  package var trimmingBlanks: SubSequence { trimming { $0 == " " || $0 == "\t" } }

  /// The text without the white space of any script around it.
  package var trimmingWhitespace: String { String(trimming(where: \.isWhitespace)) }

  private func trimming(where isLeftOut: (Character) -> Bool) -> SubSequence {
    let kept = drop(while: isLeftOut)
    return kept.lastIndex { !isLeftOut($0) }.map { kept[...$0] } ?? kept.prefix(0)
  }
}

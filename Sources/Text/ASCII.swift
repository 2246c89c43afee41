/// Classes of ASCII characters.
package enum ASCII {
  /// Whether the byte is `0` to `9`.
  @inlinable package static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  /// Whether the byte is a letter or a digit.
  @inlinable package static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || (byte | 0x20) &- 0x61 < 26 }
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

import Text

extension JSONScanner {
  /// Scans a string with its quotes (RFC 8259 §7); returns whether it contains escapes.
  mutating func scanString() throws(JSONError) -> Bool {
    position += 1
    var isEscaped = false
    while true {
      skipPlainCharacters()
      guard let byte = current else { throw JSONError(.unexpectedEnd, at: position) }
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return isEscaped
      case UInt8(ascii: "\\"):
        isEscaped = true
        try scanEscape()
      case 0..<0x20: throw JSONError(.controlCharacter, at: position)
      case 0x20..<0x80: position += 1
      default: try scanMultibyteCharacter(byte)
      }
    }
  }

  /// Skips unescaped ASCII characters, the vast majority.
  private mutating func skipPlainCharacters() {
    var place = position
    while place < bytes.count {
      let byte = bytes[place]
      guard byte >= 0x20, byte < 0x80, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else { break }
      place += 1
    }
    position = place
  }

  /// Scans an escape, or the two escapes of a surrogate pair.
  private mutating func scanEscape() throws(JSONError) {
    let start = position
    position += 1
    guard let byte = current else { throw JSONError(.unexpectedEnd, at: position) }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
      UInt8(ascii: "r"), UInt8(ascii: "t"):
      return
    case UInt8(ascii: "u"):
      let unit = try scanFourDigits(escapeAt: start)
      if UTF16.isTrailSurrogate(unit) { throw JSONError(.loneSurrogate, at: start) }
      guard UTF16.isLeadSurrogate(unit) else { return }
      guard current == UInt8(ascii: "\\"), position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "u") else {
        throw JSONError(.loneSurrogate, at: start)
      }
      let second = position
      position += 2
      guard UTF16.isTrailSurrogate(try scanFourDigits(escapeAt: second)) else { throw JSONError(.loneSurrogate, at: start) }
    default: throw JSONError(.invalidEscape, at: start)
    }
  }

  private mutating func scanFourDigits(escapeAt start: Int) throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = current else { throw JSONError(.unexpectedEnd, at: position) }
      guard let digit = Hex.value(of: byte) else { throw JSONError(.invalidEscape, at: start) }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }

  /// Scans a character of two to four bytes (RFC 3629 §4).
  private mutating func scanMultibyteCharacter(_ lead: UInt8) throws(JSONError) {
    let second: ClosedRange<UInt8>
    let count: Int
    switch lead {
    case 0xc2...0xdf: (count, second) = (2, 0x80...0xbf)
    case 0xe0: (count, second) = (3, 0xa0...0xbf)
    case 0xed: (count, second) = (3, 0x80...0x9f)
    case 0xe1...0xef: (count, second) = (3, 0x80...0xbf)
    case 0xf0: (count, second) = (4, 0x90...0xbf)
    case 0xf1...0xf3: (count, second) = (4, 0x80...0xbf)
    case 0xf4: (count, second) = (4, 0x80...0x8f)
    default: throw JSONError(.invalidUTF8, at: position)
    }
    for place in 1..<count {
      guard position + place < bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
      let allowed = place == 1 ? second : 0x80...0xbf
      guard allowed.contains(bytes[position + place]) else { throw JSONError(.invalidUTF8, at: position) }
    }
    position += count
  }
}

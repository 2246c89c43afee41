extension JSONScanner {
  /// Scans a number (RFC 8259 §6); whatever follows is scanned as the next token.
  mutating func scanNumber() throws(JSONError) {
    if current == UInt8(ascii: "-") { position += 1 }
    if current == UInt8(ascii: "0") {
      position += 1
      if let byte = current, Self.isDigit(byte) { throw JSONError(.invalidNumber, at: position) }
    } else {
      try scanDigits()
    }
    if current == UInt8(ascii: ".") {
      position += 1
      try scanDigits()
    }
    if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
      position += 1
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
      try scanDigits()
    }
  }

  /// Scans one or more digits.
  private mutating func scanDigits() throws(JSONError) {
    guard let byte = current else { throw JSONError(.unexpectedEnd, at: position) }
    guard Self.isDigit(byte) else { throw JSONError(.invalidNumber, at: position) }
    while let byte = current, Self.isDigit(byte) { position += 1 }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

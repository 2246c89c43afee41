import Text

/// Escapes and unescapes JSON strings.
package enum JSONStringText {
  /// A JSON string with quotes; escapes quotation marks, backslashes and control characters, but not slashes.
  package static func quoted(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count + 2)
    append(text, to: &bytes)
    return bytes
  }

  /// Appends the text as `quoted` returns it.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { characters in
      var start = 0
      // Copies runs of plain characters; most strings are a single run.
      for (index, byte) in characters.enumerated() where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: characters[start..<index]))
        appendEscape(of: byte, to: &bytes)
        start = index + 1
      }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: characters[start...]))
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func appendEscape(of byte: UInt8, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0a: bytes.append(UInt8(ascii: "n"))
    case 0x0c: bytes.append(UInt8(ascii: "f"))
    case 0x0d: bytes.append(UInt8(ascii: "r"))
    case 0..<0x20:
      bytes += "u00".utf8
      bytes += [Hex.digit(byte >> 4), Hex.digit(byte & 15)]
    default: bytes.append(byte)
    }
  }

  /// Unescapes a string that the scanner has accepted; `text` is without quotes.
  static func unescaped(_ text: ArraySlice<UInt8>) -> String {
    // No escape is shorter than its character.
    String(unsafeUninitializedCapacity: text.count) { output in
      text.withUnsafeBufferPointer { text in
        var index = 0
        var count = 0
        while index < text.count {
          let byte = text[index]
          guard byte == UInt8(ascii: "\\") else {
            output[count] = byte
            (index, count) = (index + 1, count + 1)
            continue
          }
          let letter = text[index + 1]
          index += 2
          guard letter == UInt8(ascii: "u") else {
            output[count] = character(forEscape: letter)
            count += 1
            continue
          }
          var units = [unit(text, at: index)]
          index += 4
          if UTF16.isLeadSurrogate(units[0]) {
            units.append(unit(text, at: index + 2))
            index += 6
          }
          for byte in String(decoding: units, as: UTF16.self).utf8 {
            output[count] = byte
            count += 1
          }
        }
        return count
      }
    }
  }

  private static func unit(_ text: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt16 {
    text[index..<(index + 4)].reduce(0) { $0 << 4 | UInt16(Hex.value(of: $1) ?? 0) }
  }

  private static func character(forEscape letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0c
    case UInt8(ascii: "n"): 0x0a
    case UInt8(ascii: "r"): 0x0d
    case UInt8(ascii: "t"): 0x09
    default: letter
    }
  }
}

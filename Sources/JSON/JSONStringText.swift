/// Strings between their characters and their JSON text.
package enum JSONStringText {
  /// A JSON string with quotes: quotes, backslashes and control characters escaped, slashes and everything else as they are.
  package static func quoted(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = [UInt8(ascii: "\"")]
    bytes.reserveCapacity(text.utf8.count + 2)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x08: bytes += Array("\\b".utf8)
      case 0x09: bytes += Array("\\t".utf8)
      case 0x0a: bytes += Array("\\n".utf8)
      case 0x0c: bytes += Array("\\f".utf8)
      case 0x0d: bytes += Array("\\r".utf8)
      case 0..<0x20:
        bytes += Array("\\u00".utf8)
        bytes += [byte >> 4, byte & 15].map { $0 < 10 ? UInt8(ascii: "0") + $0 : UInt8(ascii: "a") + $0 - 10 }
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
    return bytes
  }

  /// The characters of text that the scanner has passed, quotes taken off.
  static func unescaped(_ text: ArraySlice<UInt8>) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
      guard text[index] == UInt8(ascii: "\\") else {
        bytes.append(text[index])
        index += 1
        continue
      }
      let letter = text[index + 1]
      index += 2
      guard letter == UInt8(ascii: "u") else {
        bytes.append(character(forEscape: letter))
        continue
      }
      var units = [unit(text, at: index)]
      index += 4
      if UTF16.isLeadSurrogate(units[0]) {
        units.append(unit(text, at: index + 2))
        index += 6
      }
      bytes.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func unit(_ text: ArraySlice<UInt8>, at index: Int) -> UInt16 {
    text[index..<(index + 4)].reduce(0) { $0 << 4 | UInt16(hexadecimalValue($1) ?? 0) }
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

  /// The value of a hexadecimal digit of either case; nil for another byte.
  static func hexadecimalValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

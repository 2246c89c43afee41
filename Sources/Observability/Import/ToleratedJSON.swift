import JSON

/// JSON as programs write it that keep what they were sent: with half a surrogate pair, as JavaScript's strings can have one, or with
/// bytes that are no UTF-8. Both become U+FFFD.
enum ToleratedJSON {
  private static let replacement = Array("\\ufffd".utf8)

  /// The document; nil if it is no JSON in any other respect.
  static func document(_ bytes: [UInt8]) -> JSONDocument? {
    do throws(JSONError) { return try JSONDocument(parsing: bytes) } catch {
      switch error.reason {
      case .loneSurrogate, .invalidUTF8: return try? JSONDocument(parsing: repaired(bytes))
      default: return nil
      }
    }
  }

  /// The bytes with replacements; everything else stays.
  private static func repaired(_ bytes: [UInt8]) -> [UInt8] {
    let text = Array(String(decoding: bytes, as: UTF8.self).utf8)
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      guard text[index] == UInt8(ascii: "\\"), index + 1 < text.count else {
        result.append(text[index])
        index += 1
        continue
      }
      guard let unit = unit(text, at: index), UTF16.isSurrogate(unit) else {
        result += text[index..<(index + 2)]
        index += 2
        continue
      }
      let isPair = UTF16.isLeadSurrogate(unit) && self.unit(text, at: index + 6).map(UTF16.isTrailSurrogate) ?? false
      result += isPair ? Array(text[index..<(index + 12)]) : replacement
      index += isPair ? 12 : 6
    }
    return result
  }

  /// The code unit of an escape such as `\u00e9` at an index; nil if there is none.
  private static func unit(_ text: [UInt8], at index: Int) -> UInt16? {
    guard index + 6 <= text.count, text[index] == UInt8(ascii: "\\"), text[index + 1] == UInt8(ascii: "u") else { return nil }
    return UInt16(String(decoding: text[(index + 2)..<(index + 6)], as: UTF8.self), radix: 16)
  }
}

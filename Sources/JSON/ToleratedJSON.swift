/// JSON from programs that store text unchanged: with half a surrogate pair, which JavaScript's strings can contain, or with
/// invalid UTF-8. Both become U+FFFD.
package enum ToleratedJSON {
  private static let replacement = Array("\\ufffd".utf8)

  /// The document; nil if it is invalid JSON in any other respect.
  package static func document(_ bytes: [UInt8]) -> JSONDocument? {
    do throws(JSONError) { return try JSONDocument(parsing: bytes) } catch {
      switch error.reason {
      case .loneSurrogate, .invalidUTF8: return try? JSONDocument(parsing: repaired(bytes))
      default: return nil
      }
    }
  }

  /// The document, repaired if necessary and possible; nil if it is not JSON.
  package static func read(_ bytes: [UInt8]) -> JSONDocument? { document(bytes) ?? mended(bytes) }

  /// The most faults that are mended.
  private static let faults = 64
  /// The most bytes of a document.
  private static let size = 1 << 20

  /// The document of bytes that are JSON except for some faults, each repaired in place: a repeated key gets a number, a control
  /// character is escaped, `NaN` and the infinities become texts. Nil if it is invalid JSON in any other respect.
  package static func mended(_ bytes: [UInt8]) -> JSONDocument? {
    guard bytes.count <= size else { return nil }
    var text = bytes
    for number in 2..<(faults + 2) {
      do throws(JSONError) { return try JSONDocument(parsing: text) } catch {
        guard text.indices.contains(error.offset) else { return nil }
        switch error.reason {
        case .loneSurrogate, .invalidUTF8: text = repaired(text)
        case .controlCharacter:
          let digits = String(text[error.offset], radix: 16)
          text.replaceSubrange(
            error.offset...error.offset, with: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
        case .duplicateKey:
          guard let end = stringEnd(text, from: error.offset) else { return nil }
          text.insert(contentsOf: " (\(number))".utf8, at: end)
        case .unexpectedByte, .invalidNumber:
          guard let word = constant(at: error.offset, in: text) else { return nil }
          let start = text[error.offset] == UInt8(ascii: "-") || !word.hasPrefix("-") ? error.offset : error.offset - 1
          text.replaceSubrange(start..<(start + word.utf8.count), with: "\"\(word)\"".utf8)
        default: return nil
        }
      }
    }
    return nil
  }

  /// `NaN`, `Infinity` or `-Infinity` at an offset, or with its sign in front of it; nil if none is there.
  package static func constant(at offset: Int, in bytes: [UInt8]) -> String? {
    if offset > 0, bytes.dropFirst(offset - 1).starts(with: "-Infinity".utf8) { return "-Infinity" }
    return ["NaN", "Infinity", "-Infinity"].first { bytes.dropFirst(offset).starts(with: $0.utf8) }
  }

  /// Where the string that begins at an index has its closing quotation mark.
  private static func stringEnd(_ text: [UInt8], from start: Int) -> Int? {
    var index = start + 1
    while index < text.count {
      if text[index] == UInt8(ascii: "\"") { return index }
      index += text[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
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

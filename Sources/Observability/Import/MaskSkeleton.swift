import Redaction
import Text

/// Compares texts without regard to which masks stand in them.
package enum MaskSkeleton {
  /// Returns `text` if `redacted`, which was made of it, has masks only where `text` has them; else `redacted`.
  ///
  /// Redaction replaces a mask that stands where a rule expects a secret, such as a token's, by a mask of that mask.
  package static func keep(_ text: String, over redacted: String) -> String {
    text == redacted || text.utf8.contains(0xE2) && skeleton(text) == skeleton(redacted) ? text : redacted
  }

  /// Whether a mask stands in a text.
  @Sendable package static func isMasked(_ text: String) -> Bool {
    text.utf8.contains(0xE2) && skeleton(text).count != text.utf8.count
  }

  /// The text with `‹›` in the place of each mask, such as `‹token:3f1c09ab›`.
  private static func skeleton(_ text: String) -> [UInt8] {
    let (opening, closing) = (Array("‹".utf8), Array("›".utf8))
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      if bytes[index...].starts(with: opening), let end = maskEnd(bytes, from: index + opening.count, closing) {
        result += opening + closing
        index = end
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return result
  }

  /// Where the mask ends that begins before `start`: a word, a colon, hexadecimal digits; nil if it is none.
  private static func maskEnd(_ bytes: [UInt8], from start: Int, _ closing: [UInt8]) -> Int? {
    var index = start
    while index < bytes.count, index - start < 32, ASCII.isLowercase(bytes[index]) { index += 1 }
    guard index > start, index < bytes.count, bytes[index] == UInt8(ascii: ":") else { return nil }
    index += 1
    let digits = index
    while index < bytes.count, index - digits < 64, ASCII.isAlphanumeric(bytes[index]) { index += 1 }
    guard index > digits, bytes[index...].starts(with: closing) else { return nil }
    return index + closing.count
  }
}

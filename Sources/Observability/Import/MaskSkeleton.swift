import Redaction

/// Compares texts regardless of their masks.
package enum MaskSkeleton {
  /// Returns `text` if `redacted`, its redacted version, has masks only where `text` has them; else `redacted`.
  ///
  /// Redaction also replaces a mask by a mask of that mask, if it is in a secret's place, such as a token's.
  package static func keep(_ text: String, over redacted: String) -> String {
    text == redacted || text.utf8.contains(0xE2) && skeleton(text) == skeleton(redacted) ? text : redacted
  }

  /// Whether a text contains a mask.
  @Sendable package static func isMasked(_ text: String) -> Bool {
    text.utf8.contains(0xE2) && skeleton(text).count != text.utf8.count
  }

  /// The text with `‹›` in the place of each mask, such as `‹token:3f1c09ab›`.
  private static func skeleton(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      if bytes[index] == 0xE2, let end = MaskTag.end(at: index, in: bytes) {
        result += "‹›".utf8
        index = end
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return result
  }
}

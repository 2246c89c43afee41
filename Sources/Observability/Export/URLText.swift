import Redaction
import Text

/// URLs of rows, in which masks are unescaped.
enum URLText {
  /// The URL in visible ASCII: everything else, masks included, as `%XX`.
  static func escaped(_ url: String) -> String {
    PercentCoding.encode(url.utf8, keeping: isVisible)
  }

  private static let opening = Array(PercentCoding.encode("‹").utf8)
  private static let closing = Array(PercentCoding.encode("›").utf8)

  /// The text with masks unescaped where `escaped` has encoded them.
  static func withMasks(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), bytes[index...].starts(with: opening) {
        let start = index + opening.count
        let end = bytes[start...].firstIndex(of: UInt8(ascii: "%")) ?? bytes.count
        let mask = "‹".utf8 + bytes[start..<end] + "›".utf8
        if bytes[end...].starts(with: closing), MaskTag.end(at: 0, in: Array(mask)) == mask.count {
          result += mask
          index = end + closing.count
          continue
        }
      }
      result.append(bytes[index])
      index += 1
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The items of a query, decoded (`+` stays: it is no space outside of forms).
  static func items(ofQuery query: String) -> [(name: String, value: String)] {
    query.split(separator: "&").map { item in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      return (PercentCoding.decodeLeniently(parts[0]), parts.count > 1 ? PercentCoding.decodeLeniently(parts[1]) : "")
    }
  }

  private static func isVisible(_ byte: UInt8) -> Bool {
    (0x21...0x7e).contains(byte) && !"\"<>\\^`{|}".utf8.contains(byte)
  }
}

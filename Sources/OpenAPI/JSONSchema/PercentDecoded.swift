import Text

/// Percent-decoding of what a document writes, which never fails.
enum PercentDecoded {
  /// The decoded text; incomplete escapes stay.
  static func text(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    return String(decoding: PercentCoding.decodeLeniently(text.utf8), as: UTF8.self)
  }
}

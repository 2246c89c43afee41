/// A name whose values are masked because the user says so, besides those of ``SecretKeyRules``.
///
/// It fits a whole name, or whole words of one that follow each other, and ignores case and separators: `tax-number` fits `taxNumber` and
/// `user_tax_number`.
package struct MaskedName: Hashable, Sendable {
  /// The longest name, in bytes.
  private static let limit = 100

  /// The name without separators, in lower case.
  let joined: [UInt8]
  /// Its words; empty for a name with digits or letters beyond ASCII, which only fits as a whole.
  private let words: [[UInt8]]

  /// Nil unless the text has at least two letters or digits and at most 100 bytes.
  package init?(_ text: String) {
    joined = Self.joined(text.utf8)
    guard joined.count >= 2, text.utf8.count <= Self.limit else { return nil }
    let words = SecretNameWords.words(of: text.utf8)
    // Words have no digits; without all of its characters they would fit other names.
    self.words = words.joined().elementsEqual(joined) ? words : []
  }

  /// Whether a name of a member, item, field, part or header has the name.
  func fits(joined other: [UInt8], words others: [[UInt8]]) -> Bool {
    if joined == other { return true }
    guard !words.isEmpty, others.count > words.count else { return false }
    return (0...(others.count - words.count)).contains { others[$0...].starts(with: words) }
  }

  /// Letters and digits in lower case, and whatever is beyond ASCII.
  static func joined(_ name: some Sequence<UInt8>) -> [UInt8] {
    name.compactMap { SecretShapes.isAlphanumeric($0) ? SecretNeedle.lowercased($0) : $0 >= 0x80 ? $0 : nil }
  }
}

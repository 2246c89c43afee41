import Text

/// A name whose values the user wants masked, in addition to those of ``SecretKeyRules``.
///
/// It fits a whole name, or whole words of one that follow each other, and ignores case and separators: `tax-number` fits `taxNumber` and
/// `user_tax_number`. Digits count only in a whole name: `address2` fits neither `address` nor
/// `home_address2`, and `tax-number` fits `tax_number_2`. In free text, only a name in ASCII is found.
package struct MaskedName: Hashable, Sendable {
  /// The longest name, in bytes.
  private static let limit = 100

  /// The name without separators, in lower case.
  let joined: [UInt8]
  /// Its words; empty for a name with digits or letters beyond ASCII, which only fits as a whole.
  fileprivate let words: [[UInt8]]

  /// Nil unless the text has at least two letters or digits and at most 100 bytes.
  package init?(_ text: String) {
    joined = Self.joined(text.utf8)
    guard joined.count >= 2, text.utf8.count <= Self.limit else { return nil }
    let words = SecretNameWords.words(of: text.utf8)
    // Words have no digits; without all of its characters they would fit other names.
    self.words = words.joined().elementsEqual(joined) ? words : []
  }

  /// Letters and digits in lower case, and all characters beyond ASCII.
  static func joined(_ name: some Sequence<UInt8>) -> [UInt8] {
    name.compactMap { ASCII.isAlphanumeric($0) ? ASCII.lowercased($0) : $0 >= 0x80 ? $0 : nil }
  }
}

/// Names whose values the user wants masked; a lookup costs the same for ten names and for a thousand.
struct MaskedNames: Sendable {
  /// The names without separators.
  private let whole: Set<[UInt8]>
  /// Those that have words, by their words.
  private let byWords: Set<[[UInt8]]>
  /// How many words the names have.
  private let lengths: [Int]

  init(_ names: [MaskedName]) {
    whole = Set(names.map(\.joined))
    byWords = Set(names.map(\.words).filter { !$0.isEmpty })
    lengths = Set(byWords.map(\.count)).sorted()
  }

  /// Whether there is no name.
  var isEmpty: Bool { whole.isEmpty }

  /// Whether a name of a member, item, field, part or header has one of the names.
  func contain(_ name: some Sequence<UInt8>) -> Bool {
    if whole.contains(MaskedName.joined(name)) { return true }
    let words = SecretNameWords.words(of: name)
    return lengths.contains { length in
      length <= words.count
        && (0...(words.count - length)).contains { start in byWords.contains(Array(words[start..<(start + length)])) }
    }
  }
}

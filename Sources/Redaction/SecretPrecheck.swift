import Text

/// A fast check whether a text needs the full search for secrets.
///
/// Scans the bytes once without allocating, and lets most texts pass. It may stop a text without secrets, but must never pass one
/// that the full search would mask; a test compares the two.
struct SecretPrecheck {
  private static let letter: UInt8 = 1
  private static let digit: UInt8 = 2
  /// `%`, `\`, `&`, `@` and line breaks: escapes or line breaks to decode, or an email address.
  private static let trigger: UInt8 = 4
  /// `:` and `=`.
  private static let sign: UInt8 = 8
  /// Separators within phone and card numbers: space, `-`, `.`, `(`, `)`, `/`.
  private static let separator: UInt8 = 16
  /// `-`, `_`, `+`, `/`: characters of random strings other than letters and digits.
  private static let random: UInt8 = 32

  private static let classes: [UInt8] = (0...255).map { (byte: UInt8) in
    var flags: UInt8 = 0
    if ASCII.isLetter(byte) { flags |= letter }
    if ASCII.isDigit(byte) { flags |= digit }
    if #"%\&@"#.utf8.contains(byte) || (0x0a...0x0d).contains(byte) { flags |= trigger }
    if ":=".utf8.contains(byte) { flags |= sign }
    if " -.()/".utf8.contains(byte) { flags |= separator }
    if "-_+/".utf8.contains(byte) { flags |= random }
    return flags
  }

  private let classes = Self.classes
  /// The windows of four bytes, by a hash, at which tokens and clues of sentences begin.
  private static let allMarks = zip(IssuerTokens.marks, SecretSentences.marks).map { $0 || $1 }
  private let marks = Self.allMarks
  private let telling = SecretPathSegments.beginnings
  private let matcher: SecretMatcher

  /// Whether every `:` and `=` may follow a telling name, and not only those after three letters, because the user has named some.
  private let stopsAtSigns: Bool

  /// Creates a check for the patterns of a matcher and for all shapes.
  init(matcher: SecretMatcher, stopsAtSigns: Bool = false) {
    self.matcher = matcher
    self.stopsAtSigns = stopsAtSigns
  }

  /// Whether a text contains neither a known secret nor an escape; sufficient for JSON numbers.
  func isPlain(number text: Span<UInt8>, context: MaskContext) -> Bool {
    var window: UInt32 = 0
    for index in 0..<text.count {
      let byte = text[index]
      if classes[Int(byte)] & Self.trigger != 0 { return false }
      window = window << 8 | UInt32(ASCII.lowercased(byte))
      if index >= 3, matcher.mayBegin(with: window),
        matcher.begins(at: index - 3, prefix: window, in: text, context: context)
      {
        return false
      }
    }
    return true
  }

  /// Whether a text certainly contains no secret.
  func isPlain(_ text: Span<UInt8>, context: MaskContext) -> Bool {
    let isAuthentication = context == .authentication
    var window: UInt32 = 0
    /// The length of the current word in letters, of the current random run, and the digits since the last character that is no
    /// separator.
    var letters = 0
    var run = 0
    var digits = 0
    /// The start of the current letters and digits, and the number of runs of one or two, or after `0x`, before them.
    var start = 0
    var short = 0
    var isWord = false
    var isLocalNumber = false
    /// Whether the current digits belong to a word and are not a number.
    var isGlued = false
    /// The last four digits of a number, and whether it contains separators.
    var number: UInt32 = 0
    var isGrouped = false
    /// The start of the current address; nil outside of one, and in one without secrets.
    /// What the words so far say of a secret in a sentence, and whether there are digits, and four in a number.
    var clues = SecretSentences.Clues()
    var hasDigit = false
    var hasNumber = false
    var address: Int? = text.count > 1 && text[0] == UInt8(ascii: "/") ? 0 : nil
    var index = 0
    while index < text.count {
      let byte = text[index]
      let flags = classes[Int(byte)]
      if flags & Self.letter != 0 {
        if !isWord { letters = 0 }
        (isWord, isGlued, isLocalNumber, isGrouped) = (true, true, false, false)
        (digits, number) = (0, 0)
        // Most of a text is letters: a separate loop needs few registers.
        let first = index
        repeat {
          window = window << 8 | UInt32(text[index] | 0x20)
          if marks[IssuerTokens.mark(of: window)], !clues.add(window) { return false }
          if index >= 3, matcher.mayBegin(with: window),
            matcher.begins(at: index - 3, prefix: window, in: text, context: context)
          {
            return false
          }
          // All JSON Web Tokens begin with the same three letters.
          if window & 0xff_ffff == 0x65_796a { return false }
          index &+= 1
        } while index < text.count && classes[Int(text[index])] & Self.letter != 0
        letters &+= index &- first
        run &+= index &- first
        if run >= 43 { return false }
        continue
      }
      defer { index &+= 1 }
      window = window << 8 | UInt32(byte)
      if marks[IssuerTokens.mark(of: window)], !clues.add(window) { return false }
      if index >= 3, matcher.mayBegin(with: window),
        matcher.begins(at: index - 3, prefix: window, in: text, context: context)
      {
        return false
      }
      if flags & Self.digit != 0 {
        if !isWord { letters = 0 }
        if byte == UInt8(ascii: "0"), !isWord { isLocalNumber = true }
        isWord = true
        run += 1
        if !isGlued { digits += 1 }
        hasDigit = true
        if digits >= 4 { hasNumber = true }
        if run >= 43 || digits >= 13 || isLocalNumber && digits >= 9 || isAuthentication && digits >= 4 { return false }
        // Without its separators, a known number has its first four digits in a row.
        number = number << 8 | UInt32(byte)
        if isGrouped, matcher.hasPattern(with: number) { return false }
        continue
      }
      if flags & Self.trigger != 0 { return false }
      let length = index &- start
      if let place = address {
        if length >= 3, telling[SecretPathSegments.beginning(text[start], text[start + 1], text[start + 2])] {
          if SecretLinks.mayOccur(at: place, in: text) { return false }
          address = nil
        } else if SecretLinks.endsAddress(byte) {
          address = nil
        }
      }
      if length > 4 {
        short = 0
        if length >= 15, Self.isLongNumber(at: start, until: index, in: text) { return false }
      } else if length > 0 {
        if length == 4, SecretShapes.beginsIBAN(text, at: start, until: index) { return false }
        let isShort =
          length <= 2 || length == 4 && text[start] == UInt8(ascii: "0") && text[start + 1] | 0x20 == UInt8(ascii: "x")
        short = isShort ? short &+ 1 : 0
        if short >= DecodedView.leastSpaced - 1 { return false }
      } else if byte == UInt8(ascii: " "), window >> 8 & 0xff > 0x20, window & 0x8000 == 0,
        classes[Int(window >> 16 & 0xff)] & (Self.letter | Self.digit) == 0
      {
        // A character other than a letter or digit, which may stand alone; a comma after a word does not.
        short &+= 1
        if short >= DecodedView.leastSpaced - 1 { return false }
      }
      start = index &+ 1
      let last = window & 0xff_ffff
      if last == IssuerTokens.short.0 || last == IssuerTokens.short.1 { return false }
      if flags & Self.random != 0 {
        run += 1
        if run >= 43 { return false }
        if byte == UInt8(ascii: "-"), SecretAssignments.beginsFlag(at: index, in: text) { return false }
        if byte == UInt8(ascii: "+"), index + 1 < text.count, classes[Int(text[index + 1])] & (Self.digit | Self.letter) != 0 {
          return false
        }
      } else {
        run = 0
      }
      if flags & Self.sign != 0, Self.isBotOrQuotedPrintable(at: index, in: text) { return false }
      // The shortest telling name is `pw`.
      if flags & Self.sign != 0, letters >= 2 || stopsAtSigns {
        // `http:` and `https:` are not assignments; the text after the colon is checked on its own.
        let isScheme = letters == 4 && window == 0x74_74_70_3a || letters == 5 && window == 0x74_70_73_3a
        if !isScheme || index + 1 >= text.count || text[index + 1] != UInt8(ascii: "/") { return false }
        address = index
        letters = 0
      } else if byte == UInt8(ascii: ":"), index + 1 < text.count, text[index + 1] == UInt8(ascii: "/") {
        // An address with a scheme of one letter, or of a digit at its end.
        return false
      }
      if byte == UInt8(ascii: "<"), index + 1 < text.count, classes[Int(text[index + 1])] & Self.letter != 0 { return false }
      isGlued = false
      if flags & Self.separator == 0 {
        if byte >= 0x80, Self.mayJoin(window, isInNumber: number != 0) { return false }
        (digits, isLocalNumber, number, isGrouped) = (0, false, 0, false)
      } else if number != 0 {
        isGrouped = true
      }
      if byte == UInt8(ascii: "(") { isLocalNumber = true }
      // The last letters of `Basic` and `Bearer`.
      if byte == UInt8(ascii: " "), window == 0x73_69_63_20 || window == 0x72_65_72_20 { return false }
      isWord = byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
      if isWord == false, byte != UInt8(ascii: " "), byte != UInt8(ascii: "\t"), byte != UInt8(ascii: "\""),
        byte != UInt8(ascii: "'")
      {
        letters = 0
      }
    }
    if clues.saysCode && hasNumber || clues.saysIs && hasDigit { return false }
    return text.count - start < 15 || !Self.isLongNumber(at: start, until: text.count, in: text)
  }

  /// Whether a `:` follows the number of a Telegram bot, or `=` precedes two digits of quoted-printable.
  private static func isBotOrQuotedPrintable(at index: Int, in text: Span<UInt8>) -> Bool {
    if text[index] == UInt8(ascii: "=") {
      return index + 2 < text.count && DecodedView.isQuotedPrintable(text[index + 1], text[index + 2])
    }
    guard index >= 8 else { return false }
    for place in (index - 8)..<index where !ASCII.isDigit(text[place]) { return false }
    return true
  }

  /// Whether a word may be an IBAN, or the SID of a key: `SK` and 32 hexadecimal digits.
  private static func isLongNumber(at start: Int, until end: Int, in text: Span<UInt8>) -> Bool {
    SecretShapes.beginsIBAN(text, at: start, until: end)
      || end - start >= 34 && text[start] == UInt8(ascii: "S") && text[start + 1] == UInt8(ascii: "K")
  }

  /// Whether the last bytes may be a character that is ignored within words or numbers: an invisible one, or a separator after digits.
  private static func mayJoin(_ window: UInt32, isInNumber: Bool) -> Bool {
    switch window & 0xff_ffff {
    case 0xe2_808b...0xe2_808d, 0xe2_80a8, 0xe2_80a9, 0xe2_81a0, 0xef_bbbf: true
    default:
      switch window & 0xffff {
      case 0xc285, 0xc2ad: true
      default: (window & 0xff == 0xc2 || window & 0xff == 0xe2) && isInNumber
      }
    }
  }
}

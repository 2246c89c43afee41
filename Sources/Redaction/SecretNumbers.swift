import Text

/// The registered values that consist of digits, such as codes: a backend may send them as numbers of JSON.
struct SecretNumbers: Sendable {
  /// A value as it was registered, and its kind.
  struct Known: Sendable {
    let value: String
    let kind: SecretKind
  }

  /// By their digits without leading zeros, which numbers do not have.
  private let values: [String: Known]
  /// A bit for each length in digits, so that nearly every number needs a single check.
  private let lengths: UInt64

  /// Selects the values that have 4 to 19 digits.
  init(_ registered: [(value: String, kind: SecretKind)]) {
    var values: [String: Known] = [:]
    var lengths: UInt64 = 0
    for (value, kind) in registered where value.utf8.count < 20 && value.utf8.allSatisfy(ASCII.isDigit) {
      let digits = String(value.drop { $0 == "0" })
      guard digits.utf8.count >= SecretSearchPattern.minimumLength, values[digits]?.kind.isPersonal != false else { continue }
      values[digits] = Known(value: value, kind: kind)
      lengths |= 1 << UInt64(digits.utf8.count)
    }
    self.values = values
    self.lengths = lengths
  }

  /// The registered value that a whole number of JSON equals; nil if there is none.
  func known(as number: Span<UInt8>) -> Known? {
    guard number.count < 20, lengths >> UInt64(number.count) & 1 == 1 else { return nil }
    var digits = ""
    for index in 0..<number.count {
      guard ASCII.isDigit(number[index]) else { return nil }
      digits.unicodeScalars.append(Unicode.Scalar(number[index]))
    }
    return values[digits]
  }

  /// The registered value that a whole text equals; nil if there is none.
  func known(asText text: Span<UInt8>) -> Known? {
    var start = 0
    while start < text.count, text[start] == UInt8(ascii: "0") { start += 1 }
    guard let known = known(as: text.extracting(start..<text.count)), known.value.utf8.count == text.count else { return nil }
    return known
  }
}

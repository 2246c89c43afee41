import Text

/// Estimates a lower bound for the entropy of an access token from its characters.
enum AccessTokenStrength {
  /// The entropy that a token needs, in bits.
  private static let required = 128.0

  /// Throws `StartFailure` (78) for a token that could be guessed; `flag` named its file.
  static func check(_ token: String?, flag: String = "--access-token-file") throws(StartFailure) {
    guard let token, bits(of: token) < required else { return }
    throw .configuration(
      "\(flag): the token can be guessed, since it has less than 128 bits of entropy; create one with: openssl rand -base64 24"
    )
  }

  /// The entropy in bits of a token drawn from the smallest alphabet that fits: 22 characters of Base64URL or 32 hexadecimal
  /// digits have 128. A repeated pattern counts once, and a token that is not random counts 0.
  private static func bits(of token: String) -> Double {
    let bytes = Array(token.utf8)
    let length = period(of: bytes)
    let alphabet = alphabet(of: bytes)
    // A random token has far more than half of the possible different characters.
    guard Set(bytes).count * 2 >= min(alphabet.size, length), !isSequence(bytes) else { return 0 }
    return Double(length) * alphabet.bits
  }

  /// The size of the alphabet, and the entropy of one character in bits.
  private static func alphabet(of bytes: [UInt8]) -> (size: Int, bits: Double) {
    let digits = bytes.contains { ASCII.isDigit($0) }
    let small = bytes.contains { ASCII.isLowercase($0) }
    let large = bytes.contains { ASCII.isUppercase($0) }
    // Words: a character of English text has less than 2 bits, and a word from a list of 7,776 has 13.
    if bytes.contains(where: { $0 <= 0x20 }) { return (26, 2) }
    let isHexadecimal = bytes.allSatisfy { ASCII.isHexadecimal($0) }
    switch (digits, small, large) {
    case (true, false, false): return (10, 3.3)
    case _ where isHexadecimal && !(small && large): return (16, 4)
    case (false, true, false), (false, false, true): return (26, 4.7)
    case (true, true, false), (true, false, true): return (24, 5)
    case (_, true, true): return (64, 6)
    case (false, false, false): return (16, 4)
    }
  }

  /// The length of the pattern that is repeated at least twice; the whole length if there is none.
  private static func period(of bytes: [UInt8]) -> Int {
    guard bytes.count > 1 else { return bytes.count }
    return (1...bytes.count / 2).first { period in (period..<bytes.count).allSatisfy { bytes[$0] == bytes[$0 - period] } }
      ?? bytes.count
  }

  /// Whether most characters differ from the previous one by the same step, as in `abcdef`.
  private static func isSequence(_ bytes: [UInt8]) -> Bool {
    let steps = zip(bytes, bytes.dropFirst()).map { Int($1) - Int($0) }
    let commonest = Dictionary(grouping: steps) { $0 }.values.map(\.count).max() ?? 0
    return commonest * 2 > steps.count
  }
}

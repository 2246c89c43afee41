/// How many bits somebody has to guess at least to find an access token, judged by its looks; no more than it can have.
enum AccessTokenStrength {
  /// What a token needs.
  static let required = 128.0

  /// Throws `StartFailure` (78) for a token that could be guessed.
  static func check(_ token: String?) throws(StartFailure) {
    guard let token, bits(of: token) < required else { return }
    throw .configuration(
      "--access-token-file: the token can be guessed, as it has fewer than 128 bits; make one with: openssl rand -base64 24")
  }

  /// The bits of a token that was drawn from the smallest alphabet that it can be of: 22 characters of Base64URL or 32 hexadecimal
  /// digits have 128. One that repeats itself counts once, and one that no drawing gives counts nothing.
  static func bits(of token: String) -> Double {
    let bytes = Array(token.utf8)
    let length = period(of: bytes)
    let alphabet = alphabet(of: bytes)
    // Half of the characters that a drawn token could have is far fewer than one has.
    guard Set(bytes).count * 2 >= min(alphabet.size, length), !isSequence(bytes) else { return 0 }
    return Double(length) * alphabet.bits
  }

  /// The size of the alphabet, and the bits of one character of it.
  private static func alphabet(of bytes: [UInt8]) -> (size: Int, bits: Double) {
    let digits = bytes.contains { (0x30...0x39).contains($0) }
    let small = bytes.contains { (0x61...0x7A).contains($0) }
    let large = bytes.contains { (0x41...0x5A).contains($0) }
    // Words: of English, a character is worth less than two bits, and a word of a list of 7,776 is worth 13.
    if bytes.contains(where: { $0 <= 0x20 }) { return (26, 2) }
    let isHexadecimal = bytes.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) }
    switch (digits, small, large) {
    case (true, false, false): return (10, 3.3)
    case _ where isHexadecimal && !(small && large): return (16, 4)
    case (false, true, false), (false, false, true): return (26, 4.7)
    case (true, true, false), (true, false, true): return (24, 5)
    case (_, true, true): return (64, 6)
    case (false, false, false): return (16, 4)
    }
  }

  /// After how many characters it repeats itself, twice at least; all of them if it does not.
  private static func period(of bytes: [UInt8]) -> Int {
    guard bytes.count > 1 else { return bytes.count }
    return (1...bytes.count / 2).first { period in (period..<bytes.count).allSatisfy { bytes[$0] == bytes[$0 - period] } }
      ?? bytes.count
  }

  /// Whether most characters follow upon the one before by the same step, as in `abcdef`.
  private static func isSequence(_ bytes: [UInt8]) -> Bool {
    let steps = zip(bytes, bytes.dropFirst()).map { Int($1) - Int($0) }
    let commonest = Dictionary(grouping: steps) { $0 }.values.map(\.count).max() ?? 0
    return commonest * 2 > steps.count
  }
}

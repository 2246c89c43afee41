import Text

/// Redacts `User-Agent`, `Server` and `Via` (RFC 9110 §10.1.5): a product or a word of a comment can name a token.
struct ProductRedaction {
  let scan: SecretScan
  let context: MaskContext

  /// Masks what follows a telling name, as in `App/1 (token …)` and `token/…`, then the whole as a text.
  func redact(_ value: String) -> MaskedText {
    var masked = MaskedText(text: "")
    let bytes = Array(value.utf8)
    /// Whether the word before names a secret, with one blank behind it.
    var kind: SecretKind?
    var index = 0
    while index < bytes.count {
      guard Self.isWord(bytes[index]) else {
        if bytes[index] != 0x20 { kind = nil }
        let start = index
        index = SecretShapes.end(of: index, in: bytes) { !Self.isWord($0) }
        masked.text += String(decoding: bytes[start..<index], as: UTF8.self)
        continue
      }
      let start = index
      index = SecretShapes.end(of: start, in: bytes, while: Self.isWord)
      let word = bytes[start..<index]
      let slash = word.firstIndex(of: UInt8(ascii: "/"))
      let own = slash.flatMap { Self.kind(of: word[..<$0], scan, context) }
      let secret = own != nil ? word[((slash ?? start) + 1)...] : word
      if let kind = own ?? kind, Self.isToken(secret) {
        masked.text += String(decoding: bytes[start..<secret.startIndex], as: UTF8.self)
        masked.add(QueryRedaction(scan: scan, context: context).whole(String(decoding: secret, as: UTF8.self), kind: kind))
      } else {
        masked.text += String(decoding: word, as: UTF8.self)
      }
      kind = slash == nil ? Self.kind(of: word, scan, context) : nil
    }
    let whole = scan.mask(masked.text, context: context, shapes: .all)
    return MaskedText(text: whole.text, counts: masked.counts.merging(whole.counts, uniquingKeysWith: +))
  }

  /// The kind of a name's values, if all of them are secrets; products such as `Mobile/15E148` name no phone.
  private static func kind(of name: ArraySlice<UInt8>, _ scan: SecretScan, _ context: MaskContext) -> SecretKind? {
    guard (2...40).contains(name.count) else { return nil }
    let verdict = scan.rules.keys.verdict(ofName: name, context: context)
    return verdict.kind.flatMap { [.token, .key, .signature].contains($0) ? $0 : nil }
  }

  /// Whether a word has letters and digits as a token has, unlike a word or a version.
  private static func isToken(_ word: ArraySlice<UInt8>) -> Bool {
    word.count >= 8 && word.contains(where: ASCII.isDigit) && word.contains(where: ASCII.isLetter)
      && SecretNameWords.isSecret(word, among: .tokens)
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    ASCII.isAlphanumeric(byte) || byte >= 0x80 || "_-./+=~%".utf8.contains(byte)
  }
}

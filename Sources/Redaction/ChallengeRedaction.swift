/// Redacts `WWW-Authenticate` and `Proxy-Authenticate` (RFC 9110 §11.6.1) by their parts: known schemes stay, and so do parameters that
/// are known to be harmless.
struct ChallengeRedaction {
  let scan: SecretScan
  let context: MaskContext

  /// IANA's "HTTP Authentication Schemes" of 2026, and others in use.
  private static let schemes: Set<String> = [
    "basic", "bearer", "concealed", "digest", "dpop", "gnap", "hoba", "mutual", "negotiate", "oauth", "privatetoken",
    "scram-sha-1",
    "scram-sha-256", "scram-sha-512", "vapid", "ntlm", "kerberos", "hawk", "apikey", "x-api-key", "token", "jwt", "mac",
    "oauth2", "sso", "cookie", "formbased", "sharedkey", "aws4-hmac-sha256",
  ]

  /// Parameters that describe the required action: RFC 9110 §11.5, RFC 6750 §3, RFC 7616 §3.3, RFC 9470 §3, RFC 9728 §5.1.
  private static let shown: Set<String> = [
    "realm", "charset", "scope", "error", "error_description", "error_uri", "algorithm", "qop", "stale", "userhash", "domain",
    "acr_values", "max_age", "resource_metadata", "authorization_uri", "resource", "algs",
  ]

  /// The challenges with their original separators.
  func redact(_ value: String) -> MaskedText {
    var masked = MaskedText(text: "")
    for (index, part) in Self.parts(value).enumerated() {
      if index > 0 { masked.text += "," }
      masked.add(redact(part: part))
    }
    // A known secret may contain a comma.
    let whole = scan.mask(masked.text, context: context)
    return MaskedText(text: whole.text, counts: masked.counts.merging(whole.counts, uniquingKeysWith: +))
  }

  /// A scheme, a scheme with its first parameter or its token, or a further parameter.
  private func redact(part: Substring) -> MaskedText {
    let start = part.firstIndex { $0 != " " && $0 != "\t" } ?? part.endIndex
    var masked = MaskedText(text: String(part[..<start]))
    var rest = part[start...]
    let word = rest.prefix { $0 != " " && $0 != "\t" && $0 != "=" }
    if Self.isScheme(word, before: rest[word.endIndex...]) {
      masked.add(text(word))
      rest = rest[word.endIndex...]
      let blank = rest.prefix { $0 == " " || $0 == "\t" }
      masked.text += blank
      rest = rest[blank.endIndex...]
    }
    if rest.isEmpty { return masked }
    let name = rest.prefix { $0 != "=" && $0 != " " && $0 != "\t" }
    let assigned = rest[name.endIndex...].drop { $0 == " " || $0 == "\t" }
    // Base64 of one value (token68) ends with `=` or has none.
    guard assigned.first == "=", case let value = assigned.dropFirst(), value.contains(where: { $0 != "=" }) else {
      masked.add(QueryRedaction(scan: scan, context: context).whole(String(rest), kind: .token))
      return masked
    }
    masked.add(text(name))
    masked.text += rest[name.endIndex..<value.startIndex]
    if Self.shown.contains(name.lowercased()) {
      let end = Self.end(of: value)
      masked.add(text(value[..<end]))
      let blank = value[end...].prefix { $0 == " " || $0 == "\t" }
      masked.text += blank
      let further = value[blank.endIndex...]
      // Text without a comma before it does not belong to this challenge.
      if further.split(separator: " ").allSatisfy({ SecretNameWords.isWords(Array($0.utf8)) && $0.utf8.count < 20 }),
        name == "scope"
      {
        masked.add(text(further))
      } else if !further.isEmpty {
        masked.add(QueryRedaction(scan: scan, context: context).whole(String(further), kind: .token))
      }
    } else {
      let isQuoted = value.first == "\"" && value.last == "\"" && value.count > 1
      let content = QueryRedaction(scan: scan, context: context).whole(
        String(isQuoted ? value.dropFirst().dropLast() : value), kind: .token)
      masked.add(isQuoted ? MaskedText(text: "\"\(content.text)\"", counts: content.counts) : content)
    }
    return masked
  }

  /// Whether a word is a scheme: a known one, or one of letters with a parameter behind it.
  private static func isScheme(_ word: Substring, before rest: Substring) -> Bool {
    if rest.first == "=" { return false }
    if schemes.contains(word.lowercased()) { return true }
    let parameter = rest.drop { $0 == " " || $0 == "\t" }
    let value = parameter.drop { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }.drop { $0 == " " || $0 == "\t" }
    return value.first == "=" && value.startIndex > parameter.startIndex && !word.isEmpty
      && word.utf8.allSatisfy { $0 == UInt8(ascii: "-") || SecretShapes.characterClass($0) < 2 }
  }

  /// The end of a quoted string with the blanks before it, or of a token.
  private static func end(of value: Substring) -> Substring.Index {
    var index = value.firstIndex { $0 != " " && $0 != "\t" } ?? value.endIndex
    guard index < value.endIndex, value[index] == "\"" else {
      return value[index...].firstIndex { $0 == " " || $0 == "\t" } ?? value.endIndex
    }
    index = value.index(after: index)
    while index < value.endIndex, value[index] != "\"" {
      if value[index] == "\\" { index = value.index(after: index) }
      if index < value.endIndex { index = value.index(after: index) }
    }
    return index < value.endIndex ? value.index(after: index) : index
  }

  private func text(_ text: Substring) -> MaskedText { scan.mask(String(text), context: context, shapes: .all) }

  /// The parts between commas outside of quotes.
  private static func parts(_ value: String) -> [Substring] {
    var parts: [Substring] = []
    var start = value.startIndex
    var isQuoted = false
    var isEscaped = false
    for index in value.indices {
      switch value[index] {
      case _ where isEscaped: isEscaped = false
      case "\\" where isQuoted: isEscaped = true
      case "\"": isQuoted.toggle()
      case "," where !isQuoted:
        parts.append(value[start..<index])
        start = value.index(after: index)
      default: break
      }
    }
    return parts + [value[start...]]
  }
}

import Testing
import Text

@testable import Redaction
import Support

/// A secret is masked however it is spelled: in either case, in groups, and with line breaks.
struct SecretSpellingTests {
  private let registry = SecretRegistry(tagKey: [1])
  private static let address = "canary.tester+x9@example.com"
  private static let number = "+491701234567"
  private static let token = "kT5q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83z"

  private static let spellings: [@Sendable (String) -> String] = [
    { $0 }, { $0.uppercased() }, { _ in "Canary.Tester+x9@example.com" }, { _ in "cANARY.tESTER+X9@eXAMPLE.cOM" },
  ]

  private static let codings: [@Sendable (String) -> String] = [
    { Base64.encode(Array($0.utf8)) }, { Base64.encode(Array("u\($0):rest".utf8)) },
    { Base64.encode(Array("u:\($0):rest".utf8)) },
    { Base64URL.encode(Array($0.utf8)) }, { Base64URL.encode(Array("??\($0)>>".utf8)) }, { Hex.encode(Array($0.utf8)) },
    { Hex.encode(Array($0.utf8)).uppercased() }, { Base64.encode(Array($0.replacing("+", with: "%2b").utf8)) },
    { $0.replacing("+", with: "%2B").replacing("@", with: "%40") }, { $0.utf8.map { "&#\($0);" }.joined() },
    { wrapped(Base64.encode(Array("an address: \($0), and more".utf8)), every: 16) },
  ]

  private static func wrapped(_ text: String, every count: Int, by lineBreak: String = "\r\n") -> String {
    var lines = [Substring]()
    var rest = text[...]
    while !rest.isEmpty {
      lines.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return lines.joined(separator: lineBreak)
  }

  /// The longest common substring of two texts.
  private static func common(_ text: String, _ other: String) -> Int {
    let text = Array(text.utf8)
    let other = Array(other.utf8)
    var best = 0
    var row = [Int](repeating: 0, count: other.count + 1)
    for byte in text {
      var diagonal = 0
      for index in other.indices {
        let length = byte == other[index] ? diagonal + 1 : 0
        diagonal = row[index + 1]
        row[index + 1] = length
        best = max(best, length)
      }
    }
    return best
  }

  /// Punctuation counts among spaced characters, and separators of both alphabets may follow each other.
  @Test(arguments: [
    ("a!b!c!d!", "x a ! b ! c ! d ! y"), ("!b3$d9", "code '! b 3 $ d 9'"), ("!?!?!?!?", "! ? ! ? ! ? ! ?"),
    ("+491701234567", "0049 \u{a0}170 1234567"),
    ("+491701234567", "+49 170-\u{2009}1234567"), ("+491701234567", "491 \u{a0}701234567"),
  ])
  func aMixtureIsFound(_ secret: String, _ text: String) {
    registry.register(secret, kind: secret.hasPrefix("+") ? .phone : .key)
    #expect(registry.mask(text, context: .general).counts.values.reduce(0, +) == 1)
  }

  @Test(arguments: spellings.indices, codings.indices) func anAddressIsFoundInAnyCaseInAnyCoding(spelling: Int, coding: Int) {
    registry.register(Self.address, kind: .email)
    let written = Self.codings[coding](Self.spellings[spelling](Self.address))
    for context in [MaskContext.general, .authentication] {
      let masked = registry.mask("a \(written) b", context: context)
      #expect(masked.counts == [.email: 1] && masked.text.contains(registry.tag(for: Self.address, kind: .email)), "\(masked)")
      // Text next to the address in its Base64 group may stay.
      #expect(Self.common(masked.text, written) <= 24, "\(written) \(masked)")
    }
    #expect(registry.contains(secretIn: Array(written.utf8)))
  }

  /// RFC 4648 §6.
  private static func base32(_ text: String) -> String {
    let bits = text.utf8.flatMap { byte in (0..<8).map { byte >> UInt8(7 - $0) & 1 } }
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    return String(
      stride(from: 0, to: bits.count, by: 5).map { start in
        alphabet[(start..<(start + 5)).reduce(0) { $0 * 2 + ($1 < bits.count ? Int(bits[$1]) : 0) }]
      })
  }

  private static func spaced(_ text: String, by separator: String) -> String {
    text.map(String.init).joined(separator: separator)
  }
  private static func pairs(_ text: String, by separator: String, after prefix: String = "") -> String {
    text.utf8.map { prefix + Hex.encode([$0]) }.joined(separator: separator)
  }

  /// Spellings that only the masking of a text looks for, because they take time.
  private static let rareCodings: [@Sendable (String) -> String] = [
    { base32($0) }, { base32("u\($0)") }, { base32("u:\($0);") }, { base32("a: \($0)").lowercased() }, { base32("abcd\($0)xyz") },
    { spaced($0, by: " ") }, { pairs($0, by: " ") }, { pairs($0, by: ":").uppercased() }, { pairs($0, by: "-") },
    { pairs($0, by: ", ", after: "0x") }, { pairs($0, by: "", after: "\\x") }, { pairs($0, by: "", after: "=").uppercased() },
    { $0.replacing("@", with: "=40") }, { $0.replacing("+", with: "%252525252B").replacing("@", with: "%2525252540") },
    { $0.replacing("@", with: " at ") }, { $0.replacing("@", with: " [at] ").replacing(".com", with: " [dot] com") },
    { $0.replacing("@", with: "(at)").replacing(".com", with: "(dot)com") },
  ]

  @Test(arguments: spellings.indices, rareCodings.indices)
  func anAddressIsFoundInRareCodings(spelling: Int, coding: Int) {
    registry.register(Self.address, kind: .email)
    let written = Self.rareCodings[coding](Self.spellings[spelling](Self.address))
    let masked = registry.mask("It is: \(written), and more", context: .general)
    #expect(masked.counts == [.email: 1], "\(written) \(masked)")
    #expect(Self.common(masked.text, written) <= 12, "\(written) \(masked)")
  }

  @Test(arguments: [
    "+491701234567", "00491701234567", "491701234567", "+49 170 1234567", "0049 170 123 45 67", "49-170-1234567",
    "(49) 170/12 345 67",
    "+49\u{a0}170\u{a0}1234567", "49.170.1234567", "49\u{2011}170\u{2011}1234567",
  ]) func aNumberIsFoundInGroupsAndWithoutItsSign(written: String) {
    registry.register(Self.number, kind: .phone)
    for text in [written, "tel:\(written)", "call \(written), please"] {
      let masked = registry.mask(text, context: .general)
      #expect(masked.counts == [.phone: 1] && !masked.text.contains("4567") && !masked.text.contains("67"), "\(masked)")
    }
  }

  @Test func aNumberIsFoundAsItWasTypedInBase64() {
    registry.register(Self.number, kind: .phone, spelling: "+49 (170) 123-45 67")
    for typed in ["+49 (170) 123-45 67", "491701234567", "00491701234567"] {
      for before in ["", "u", "u:"] {
        let masked = registry.mask(Base64.encode(Array("\(before)\(typed);".utf8)), context: .general)
        #expect(masked.counts == [.phone: 1], "\(typed) \(masked)")
        #expect(masked.text.contains(registry.tag(for: Self.number, kind: .phone)))
      }
    }
  }

  @Test(arguments: ["4491701234567", "4917012345678", "1763717969123", "2026-11-21 09:39", "17 01 23 45 67"])
  func otherNumbersStayReadable(text: String) {
    registry.register(Self.number, kind: .phone)
    registry.register("+1763717", kind: .phone)
    #expect(registry.mask(text, context: .general).text == text)
  }

  @Test(arguments: [
    "\n", "\r\n", "\n  ", " \n\t", #"\n"#, #"\r\n"#, "=\r\n", "%0A", "%0D%0A", "&#10;", "\u{ad}", "\u{200b}", "\u{2028}",
    #"\u000a"#,
  ]) func aBrokenTokenIsMaskedWhole(lineBreak: String) {
    registry.register(Self.token, kind: .token)
    for cut in [3, 10, 20, Self.token.count - 3] {
      let broken = Self.token.prefix(cut) + lineBreak + Self.token.dropFirst(cut)
      let masked = registry.mask("a \(broken) b", context: .general)
      #expect(masked.text == "a \(registry.tag(for: Self.token, kind: .token)) b", "\(cut)")
      #expect(registry.contains(secretIn: Array(broken.utf8)))
    }
    let lines = Self.wrapped(Self.token, every: 8, by: lineBreak)
    #expect(registry.mask(lines, context: .general).text == registry.tag(for: Self.token, kind: .token))
  }

  @Test(arguments: ["\n", "\r\n", #"\r\n"#, "%0D%0A"]) func wrappedBase64OfATokenIsMasked(lineBreak: String) {
    registry.register(Self.token, kind: .token)
    for before in 0..<80 {
      let text = String(repeating: "header ", count: 12).prefix(before) + Self.token + " and what follows it in the text"
      let coded = Base64.encode(Array(text.utf8))
      let masked = registry.mask(Self.wrapped(coded, every: 76, by: lineBreak), context: .general)
      #expect(masked.counts == [.token: 1], "\(before) \(masked)")
      let core = Base64.encode(Array(text.utf8.dropFirst(before - before % 3).prefix(Self.token.utf8.count)))
      #expect(Self.common(masked.text.replacing(lineBreak, with: ""), core) <= 8, "\(before) \(masked)")
    }
  }

  @Test(arguments: [
    "482 913", "482-913", "48 29 13", "482\u{a0}913", "482\u{2013}913", "482%20913", "482&nbsp;913", "482\n913",
  ]) func aCodeInGroupsIsMaskedInAuthenticationCallsAlone(written: String) {
    registry.register("482913", kind: .code)
    let tag = registry.tag(for: "482913", kind: .code)
    for (before, after) in [("", ""), ("use ", " now"), ("<b>", "</b>"), ("", " 10 minutes")] {
      #expect(registry.mask(before + written + after, context: .authentication).text == before + tag + after)
      #expect(registry.mask(before + written + after, context: .general).counts.isEmpty)
    }
    for other in ["1\(written)", "\(written)4", "a\(written)", "\(written)b"] {
      #expect(registry.mask(other, context: .authentication).counts.isEmpty, "\(other)")
    }
  }

  @Test func aCodeInGroupsIsMaskedByItsNameAndByTheWordBesideIt() {
    let redactor = Redactor(registry: registry)
    for code in ["123 456", "123-456", "12 34 56"] {
      for body in [#"{"code":"\#(code)"}"#, #"{"note":"Your code is \#(code)."}"#] {
        let redacted = redactor.redact(.example(isAuthentication: true, body: body)).message.body ?? ""
        #expect(!redacted.contains(code.suffix(2)) && !redacted.contains(code.prefix(2)), "\(redacted)")
        // As a field it can be an error's code; a sentence for people says that it is not.
        let general = redactor.redact(.example(isAuthentication: false, body: body)).message.body
        #expect((general == body) == body.contains("\"code\""))
      }
    }
    for text in ["error code 2026-11-21", "code 12 of 2026", "code E-123-45"] {
      #expect(redactor.redact(text: text, context: .general).text == text)
    }
  }

  @Test(arguments: ["ETag", "If-None-Match", "if-match"]) func aValidatorThatLooksLikeATokenIsMasked(name: String) {
    registry.register(Self.token, kind: .token)
    let opaque = "q83vASNFZ4mrze8BI0VniavN7wEjRWeJAbcDefGhi123"
    for secret in [opaque, "\(opaque.dropLast(9))+Nfz/AbcDefGh", Self.token, Base64.encode(Array(Self.token.utf8))] {
      for value in ["\"\(secret)\"", "W/\"\(secret)\"", "\"\(secret)-gzip\"", "\"a\", \"\(secret)\""] {
        let shown = Redactor(registry: registry).redact(.example(headers: [(name, value)])).message.headers[0].value
        #expect(Self.common(shown, secret) <= 8, "\(shown)")
      }
    }
    let digests = [
      "\"3f1c09ab\"", "W/\"5e91798-18f2\"", "\"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\"", "*",
      "\"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824-gzip\"", "\"0170-1234567-89\"",
      "\"686897696a7c876b7e\"",
    ]
    for value in digests {
      #expect(Redactor(registry: registry).redact(.example(headers: [(name, value)])).message.headers[0].value == value)
    }
  }
}

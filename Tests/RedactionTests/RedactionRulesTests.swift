import HTTPTypes
import Testing
import Text

@testable import Redaction
import Support

/// Every rule masks something that no other rule masks: without it, its example is readable in the log.
struct RedactionRulesTests {
  /// An example that only one rule masks.
  struct Example: Sendable {
    enum Place: Sendable {
      case text, member, header
    }
    let rule: String
    var known: (value: String, kind: SecretKind)?
    /// The text, or the value of the member or header `name`.
    let text: String
    /// What must not be readable.
    let hidden: String
    var place = Place.text
    var name = ""
    var context = MaskContext.general
  }

  private static let webToken = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJxdWlldCJ9.c2lnbmF0dXJlLXF1aWV0"
  private static let mixed = "q83vASNFZ4mrze8BI0VniavN7wEjRWeJ"

  private static func known(
    _ rule: String, _ value: String, _ kind: SecretKind = .key, as text: String, hidden: String? = nil
  ) -> Example {
    Example(rule: "known.\(rule)", known: (value, kind), text: "x \(text) y", hidden: hidden ?? text)
  }

  private static func base64(_ text: String) -> String { Base64.encode(Array(text.utf8)) }

  static let examples: [Example] =
    [
      known("value", "quietharbor", as: "quietharbor"),
      known("either case", "quiet.harbor", .identifier, as: "QUIET.Harbor"),
      known("digits", "+49170555", .phone, as: "49170555"),
      known("hexadecimal", "quietharbor", as: Hex.encode(Array("quietharbor".utf8))),
      known("base64", "quietharbor", as: base64("quietharbor"), hidden: "ZXRoYXJi"),
      known(
        "base64url", "quiet>>>???harbor", as: Base64URL.encode(Array("quiet>>>???harbor".utf8)), hidden: "Pj4_Pz9o"),
      known("base64 after one", "quietharbor", as: base64("uquietharbor"), hidden: "aWV0aGFy"),
      known("base64 after two", "quietharbor", as: base64("u:quietharbor"), hidden: "dWlldGhhcmJv"),
      known("percent within", "quiet harbor", as: base64("quiet%20harbor"), hidden: "MjBoYXJi"),
      known("token part", webToken, .token, as: "c2lnbmF0dXJlLXF1aWV0"),
      known("cut", "quietharborandmore", as: "quietharborand", hidden: "quietharbor"),
      known("base32", "quiet.harbor", .identifier, as: "OF2WSZLUFZUGC4TCN5ZA====", hidden: "WSZLUFZUGC4TCN5"),
      known("words", "quiet@harbor.test", .email, as: "Quiet at harbor dot test", hidden: "at harbor"),
      Example(
        rule: "decoded.quoted-printable", known: ("quiet harbor", .key), text: "quiet=20harbor", hidden: "harbor"),
      Example(
        rule: "decoded.spaced", known: ("quietharbor", .key), text: "71:75:69:65:74:68:61:72:62:6f:72", hidden: "74:68"),
      Example(rule: "decoded.percent", known: ("quiet harbor", .key), text: "quiet%20harbor", hidden: "harbor"),
      Example(rule: "decoded.escapes", known: ("quiet harbor", .key), text: #"quiet\u0020harbor"#, hidden: "harbor"),
      Example(rule: "decoded.references", known: ("quiet harbor", .key), text: "quiet&#x20;harbor", hidden: "harbor"),
      Example(rule: "decoded.repeated", known: ("quiet harbor", .key), text: "quiet%2520harbor", hidden: "harbor"),
      Example(rule: "decoded.lines", known: ("quietharbor", .key), text: "quiet\nharbor", hidden: "harbor"),
      Example(rule: "decoded.groups", known: ("+49170555", .phone), text: "49 170 555", hidden: "555"),
      Example(rule: "shape.email", text: "write to ann@example.test", hidden: "ann@"),
      Example(rule: "shape.phone", text: "call +49 170 1234567", hidden: "1234567"),
      Example(rule: "shape.local phone", text: "call 0170 1234567", hidden: "1234567"),
      Example(rule: "shape.web token", text: "<eyJhbGciOi.eyJzdWI.c2ln>", hidden: "eyJzdWI"),
      Example(rule: "shape.long token", text: "x \(mixed)AbcDefGhi123", hidden: mixed),
      Example(rule: "shape.base64", text: "x \(mixed)+Nfz/AbcDefGh", hidden: mixed),
      Example(rule: "shape.assignment", text: "password=zqzq", hidden: "zqzq"),
      Example(rule: "shape.iban", text: "to GB82WEST12345698765432", hidden: "WEST1234"),
      Example(rule: "shape.link", text: "open https://a.test/reset/Zq9x11", hidden: "Zq9x11"),
      Example(rule: "shape.issuer", text: "x glpat-q83vASNFZ4mr", hidden: "q83vASN"),
      Example(rule: "shape.bearer", text: "got Bearer zqzqzqzq", hidden: "zqzq"),
      Example(rule: "shape.basic", text: "got Basic zqzqzqzq", hidden: "zqzq"),
      Example(rule: "shape.userinfo", text: "see https://ann:zqzq@localhost/", hidden: "zqzq"),
      Example(rule: "shape.card", text: "card 4111 1111 1111 1111", hidden: "1111 1111"),
      Example(rule: "shape.code in text", text: "Your code is 482913.", hidden: "482913", context: .authentication),
      Example(rule: "header.other", text: "zqzq", hidden: "zqzq", place: .header, name: "X-Anything"),
    ]
    + SecretKeyRules.names.map { rule in
      // A number alone is the one of a ticket.
      let text = rule == "key.ticket" ? "k4711" : "4711"
      return Example(
        rule: rule, text: text, hidden: "4711", place: .member, name: String(rule.dropFirst(4)), context: .authentication)
    }

  private func shown(_ example: Example, rules: RedactionRules) throws -> String {
    let registry = SecretRegistry(tagKey: [1], rules: rules)
    if let known = example.known { registry.register(known.value, kind: known.kind) }
    let redactor = Redactor(registry: registry)
    switch example.place {
    case .text: return redactor.redact(text: example.text, context: example.context).text
    case .member:
      let request = RawRequest.example(
        isAuthentication: example.context == .authentication, body: #"{"\#(example.name)":"\#(example.text)"}"#)
      return try #require(redactor.redact(request).message.body)
    case .header:
      return redactor.redact(.example(headers: [(example.name, example.text)])).message.headers[0].value
    }
  }

  @Test(arguments: examples) func aRuleHidesWhatNothingElseHides(example: Example) throws {
    #expect(example.text.contains(example.hidden))
    #expect(try !shown(example, rules: .all).contains(example.hidden))
    #expect(try shown(example, rules: RedactionRules(leavingOut: example.rule)).contains(example.hidden))
  }

  @Test func everyRuleHasAnExample() {
    #expect(Self.examples.map(\.rule).sorted() == RedactionRules.names.sorted())
    #expect(Set(RedactionRules.names).count == RedactionRules.names.count)
  }
}

extension RedactionRulesTests.Example: CustomTestStringConvertible {
  var testDescription: String { rule }
}

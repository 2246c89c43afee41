import Domain
import Testing

@Suite struct IdentifierTests {
  @Test(
    arguments: [
      ("  Dana.Q@Example.COM ", "dana.q@example.com"), ("a@b.co", "a@b.co"), ("+49 (170) 123-45.67", "+491701234567"),
      ("0049 170 1234567", "+491701234567"), ("\u{A0}+33 1 23 45 67 89", "+33123456789"),
      ("\u{202A}+49 170 1234567\u{202C}", "+491701234567"), ("+49\u{2011}170\u{2011}1234567", "+491701234567"),
      ("+33\u{202F}6\u{202F}12\u{202F}34\u{202F}56\u{202F}78", "+33612345678"),
      ("+\u{664}\u{669}\u{661}\u{667}\u{660}\u{661}\u{662}\u{663}\u{664}\u{665}\u{666}\u{667}", "+491701234567"),
      (
        "\u{FF0B}\u{FF14}\u{FF19}\u{FF11}\u{FF17}\u{FF10}\u{FF11}\u{FF12}\u{FF13}\u{FF14}\u{FF15}\u{FF16}\u{FF17}",
        "+491701234567"
      ),
      ("user@example.test\u{200B}", "user@example.test"), ("\u{FEFF}user\u{FF20}example.test", "user@example.test"),
      ("mailto:user@example.test", "user@example.test"), ("MAILTO:user%2Btag@example.test?subject=x", "user+tag@example.test"),
      ("tel:+49-170-1234567;ext=1", "+491701234567"), ("+49 (0) 170 1234567", "+491701234567"),
      ("+49(0)170/1234567", "+491701234567"),
      ("+39 (0)6 12345678", "+390612345678"),
      ("0049 (0)170 1234567", "+491701234567"), ("\u{2067}+972\u{2013}50\u{2212}1234567\u{2069}", "+972501234567"),
      ("user@bücher.example", "user@xn--bcher-kva.example"), ("user@BU\u{308}CHER.example", "user@xn--bcher-kva.example"),
      ("user@xn--bcher-kva.example", "user@xn--bcher-kva.example"), ("user@example.рф", "user@example.xn--p1ai"),
      ("user@例え.テスト", "user@xn--r8jz45g.xn--zckzah"), ("üser@example.test", "üser@example.test"),
      ("u\u{308}ser@example.test", "üser@example.test"), ("user@example\u{3002}test", "user@example.test"),
      ("user@example\u{FF61}test", "user@example.test"), ("user@münchen\u{FF0E}example", "user@xn--mnchen-3ya.example"),
      ("User <user@example.test>", "user@example.test"), (#""Q, User" <User@example.test>"#, "user@example.test"),
      ("<a@b.co>", "a@b.co"), ("(+49) 170 1234567", "+491701234567"), ("\u{FE62}49 170 1234567", "+491701234567"),
      ("\u{200F}\u{967}", nil), ("+\u{96F}\u{967} 98765 43210", "+919876543210"),
    ] as [(String, String?)])
  func isNormalized(raw: String, expected: String?) {
    #expect((try? Identifier(normalizing: raw).text) == expected)
  }

  @Test(arguments: [
    "", " ", "dana", "dana@", "@example.com", "a@b", "a@@b.co", "a b@c.de", "a@-b.co", "a@b..co", "a@b.co\r\nX: y",
    "0170 1234567", "+12", "+123456", "+1234567890123456", "+0123456789",
    "<a@b.co", "a@b.co>", "User <a@b.co> b", "User <a@b.co> <c@d.co>", "User <>", "User <dana>", "user@a\u{2764}b.test",
    "user@" + String(repeating: "ü", count: 60) + ".test", "user@-ü.test", "(49+) 170 1234567", "user@ü..test", "us\u{3002}er",
    "49 170 1234567", "+49170x",
    String(repeating: "a", count: 250) + "@b.co", "+4917012345\u{301}67", "+491701234567\u{20E3}",
    "+\u{301}491701234567", "+49170123456\u{B2}", "+49170123456\u{2166}", "mailto:", "tel:170", "mailto:dana",
  ])
  func isRefused(raw: String) {
    #expect(throws: AuthError.invalidIdentifier) { try Identifier(normalizing: raw) }
  }

  @Test func hidesItsMiddle() throws {
    #expect(try Identifier(normalizing: "dana@example.com").masked == "d•••@example.com")
    #expect(try Identifier(normalizing: "+491701234567").masked == "+49•••67")
  }
}

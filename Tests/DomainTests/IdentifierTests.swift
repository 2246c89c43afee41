import Domain
import Testing

@Suite struct IdentifierTests {
  @Test(arguments: [
    ("  Dana.Q@Example.COM ", "dana.q@example.com"), ("a@b.co", "a@b.co"), ("+49 (170) 123-45.67", "+491701234567"),
    ("0049 170 1234567", "+491701234567"), ("\u{A0}+33 1 23 45 67 89", "+33123456789"),
  ])
  func isNormalised(raw: String, expected: String) throws {
    #expect(try Identifier(normalizing: raw).text == expected)
  }

  @Test(arguments: [
    "", " ", "dana", "dana@", "@example.com", "a@b", "a@@b.co", "a b@c.de", "a@-b.co", "a@b..co", "a@b.co\r\nX: y",
    "0170 1234567", "+12", "+123456", "+1234567890123456", "+0123456789", "<a@b.co>", "49 170 1234567", "+49170x",
    String(repeating: "a", count: 250) + "@b.co", "+4917012345\u{301}67", "+491701234567\u{20E3}", "+49170123456\u{664}",
    "+\u{301}491701234567", "+49170123456\u{FF17}", "+49170123456\u{B2}",
  ])
  func isRefused(raw: String) {
    #expect(throws: AuthError.invalidIdentifier) { try Identifier(normalizing: raw) }
  }

  @Test func hidesItsMiddle() throws {
    #expect(try Identifier(normalizing: "dana@example.com").masked == "d•••@example.com")
    #expect(try Identifier(normalizing: "+491701234567").masked == "+49•••67")
  }
}

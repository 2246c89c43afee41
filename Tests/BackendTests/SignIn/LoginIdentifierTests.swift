import Testing

@testable import Backend

@Suite struct LoginIdentifierTests {
  @Test(arguments: [
    ("ana@example.com", "ana@example.com"), (" Ana.B+tag@Sub.EXAMPLE.com ", "ana.b+tag@sub.example.com"),
    ("o'neil@example.museum", "o'neil@example.museum"), ("+49 (171) 123-45/67", "+491711234567"),
    ("0049 171 1234567", "+491711234567"), ("+1234567", "+1234567"), ("+123456789012345", "+123456789012345"),
  ]) func normalForms(raw: String, normal: String) {
    #expect(LoginIdentifier(raw)?.text == normal)
    // Normalizing twice changes nothing, since stored identifiers are parsed again.
    #expect(LoginIdentifier(normal)?.text == normal)
  }

  @Test(arguments: [
    "", " ", "@", "a@b", "a@@b.example", "a@b.example@c.example", ".a@b.example", "a.@b.example", "a..b@c.example", "a@.example",
    "a@b..example", "a@-b.example", "a@b-.example", "a@b_c.example", "a\u{0}@b.example", "a\n@b.example", "ana@exämple.com",
    "\"a b\"@c.example", "<a@b.example>", "+", "+123456", "+1234567890123456", "491711234567", "+0491711234", "++491711234567",
    "+49171x1234567", "+49\u{660}1711234567",
  ]) func refused(raw: String) {
    #expect(LoginIdentifier(raw) == nil)
  }

  @Test func lengths() {
    let local = String(repeating: "a", count: 64)
    #expect(LoginIdentifier("\(local)@b.example") != nil)
    #expect(LoginIdentifier("a\(local)@b.example") == nil)
    #expect(LoginIdentifier("a@\(String(repeating: "b", count: 64)).example") == nil)
    let labels = String(repeating: "\(String(repeating: "b", count: 61)).", count: 3)
    #expect(LoginIdentifier("a@\(labels)" + String(repeating: "c", count: 66)) == nil)
    #expect(LoginIdentifier(String(repeating: " ", count: 100_000) + "a@b.example") == nil)
  }
}

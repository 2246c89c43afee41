import Testing
import Text

struct CookieHeaderTests {
  /// The example of RFC 6265 §3.1, then fields as lenient senders write them.
  @Test(
    arguments: [
      ("SID", "SID=31d4d96e407aad42; lang=en-US", ["31d4d96e407aad42"]), ("lang", "SID=31d4d96e407aad42; lang=en-US", ["en-US"]),
      ("b", "a=1; b=2=3 ;c=4", ["2=3"]), ("c", "a=1;c=", [""]), ("a", "a=1; a=2", ["1", "2"]), ("a", "\ta \t=\t1 \t", ["1"]),
      ("a", "a=\"1\"", ["\"1\""]), ("d", "a=d; xd=1; d; dx=1", []), ("a", "A=1", []), ("a", ";;; =a", []), ("", "=a", ["a"]),
    ] as [(String, String, [String])])
  func values(name: String, header: String, values: [String]) { #expect(CookieHeader.values(named: name, in: header) == values) }
}

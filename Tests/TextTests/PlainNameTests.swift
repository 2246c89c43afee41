import Testing
import Text

struct PlainNameTests {
  @Test(arguments: ["nickname", "user_id", "x-rate", "utf8", "address2", "B"])
  func identifiersOfProgramsAreShown(name: String) { #expect(PlainName.shown(name) == name) }

  @Test(arguments: [
    "", "dana@example.com", "+447700900123", "447700900123", "a123", "_private", "two words", "naïve", "a.b", "a/b",
    String(repeating: "a", count: 33),
  ])
  func whatCouldBeASecretIsNot(name: String) { #expect(PlainName.shown(name) == "*") }
}

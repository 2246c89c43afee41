import Testing
import Text

struct ControlCharactersTests {
  @Test func everyControlCharacterIsReplaced() {
    #expect("a\u{1b}[2J\r\nb\u{7f}\u{85}é".printable() == "a [2J  b  é")
    #expect("a\tb\n".printable(replacement: "?") == "a?b?")
    #expect("a\u{7}\nb\r\n".printable(keeping: "\n") == "a \nb \n")
    #expect("abcde".dropFirst(2).printable() == "cde")
  }
}

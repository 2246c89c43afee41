import Support
import Testing

@testable import OpenAPI

@Suite struct RegularExpressionTests {
  private func outcome(_ pattern: String, _ text: String, steps: UInt32 = 10_000) throws -> PatternMatcher.Outcome {
    let expression = try #require(RegularExpression(pattern))
    let matcher = try #require(PatternMatcher())
    return Array(text.utf8).withUnsafeBufferPointer { matcher.match(expression, in: $0, steps: steps) }
  }

  @Test(arguments: [
    ("^a*$", "aaa"), ("b", "abc"), ("^\\d{3}$", "123"), ("^\\s$", "\u{feff}"), ("^\\s$", "\u{2003}"), ("^[\\s,]+$", " ,\u{a0}"),
    ("^.$", "\u{85}"), ("^.$", "🐲"), ("^\\u{1f432}$", "🐲"), ("^\\u0061$", "a"), ("^\\x61$", "a"), ("^\\cJ$", "\n"),
    ("^\\p{Letter}+$", "Größe"), ("^\\p{Lu}$", "Ä"), ("^\\p{Script=Greek}+$", "λόγος"), ("^\\P{Letter}$", "1"), ("^[^]$", "a"),
    ("^(?<year>\\d{4})-\\k<year>$", "2020-2020"), ("^[[]$", "["), ("^\\W$", "é"), ("^[a-z/\\-]+$", "a/b-c"), ("^.$", "x"),
    ("^\\S+$", "{x}"), ("^(a)?\\1b$", "b"), ("^(?!.*secret).*$", "open"),
  ]) func matches(pattern: String, text: String) throws {
    #expect(try outcome(pattern, text) == .match)
  }

  @Test(arguments: [
    ("^\\d$", "٣"), ("^\\w$", "é"), ("^a$", "a\n"), ("^.$", "\u{2028}"), ("^.$", "\r"), ("^\\S$", "\u{feff}"), ("[]", "a"),
    ("^\\p{Letter}$", "1"), ("^[^\\s]$", "\u{3000}"), ("^abc$", "ABC"), ("^(?!.*secret).*$", "a secret"),
  ]) func doesNotMatch(pattern: String, text: String) throws {
    #expect(try outcome(pattern, text) == .mismatch)
  }

  @Test(arguments: ["(", "[a", "a{2,1}", "(?<n>", "\\C", "(?<=a+)b", String(repeating: "a", count: 5000)])
  func isRefused(pattern: String) {
    #expect(RegularExpression(pattern) == nil)
  }

  @Test func aPatternThatNeverEndsIsGivenUp() throws {
    let text = String(repeating: "a", count: 5000) + "!"
    let isSoon = try MeasuredTime.isWithin(.seconds(5)) { () throws in
      #expect(try outcome("^(a+)+$", text) == .unknown)
      #expect(try outcome("^(a|a)*$", text) == .unknown)
      #expect(try outcome("^(\\w+\\s?)*$", text) == .unknown)
      // Recursion without end.
      #expect(try outcome("^(a|(?1)b)c", "aaa") != .match)
    }
    #expect(isSoon)
  }
}

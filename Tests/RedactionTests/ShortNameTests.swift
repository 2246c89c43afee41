import Support
import Testing

@testable import Redaction

/// Names and captures that are too short to be searched for everywhere, and codes that are numbers.
struct ShortNameTests {
  private let registry = SecretRegistry(tagKey: [1, 2, 3])

  private func body(_ text: String, isAuthentication: Bool = false) -> String {
    Redactor(registry: registry).redact(.example(isAuthentication: isAuthentication, body: text)).message.body ?? "none"
  }

  private func masked(_ text: String) -> String {
    registry.scan().mask(text, context: .general, shapes: .all).text
  }

  @Test(arguments: [
    "Hello Anna, welcome", "anna", "ANNA!", "(anna)", "for anna.", "anna's list", "“anna”", "Hallo\u{a0}anna…", "你好anna你好",
    "anna-2",
    "x=anna&y=1", "%61nna", "a: anna",
  ])
  func aNameIsMaskedAsAWord(text: String) {
    registry.register(whole: "Anna", kind: .identifier)
    let tag = registry.tag(for: "Anna", kind: .identifier)
    let shown = masked(text)
    #expect(shown.contains(tag) && !shown.lowercased().contains("anna"), "\(shown)")
    #expect(registry.refill(shown)?.lowercased().contains("anna") == true)
  }

  @Test(arguments: ["Savannah", "annalena", "joanna", "anna_2", "éanna", "annaé", "anna\u{301}", "7anna", "ann", "havanna"])
  func aPartOfAnotherWordIsNoName(text: String) {
    registry.register(whole: "anna", kind: .identifier)
    #expect(masked(text) == text)
  }

  @Test func aNameWithAccentsIsMaskedInEitherCase() {
    registry.register(whole: "änne", kind: .identifier)
    for text in ["Hallo Änne!", "ÄNNE", "änne"] {
      #expect(masked(text).contains("‹identifier:"), "\(text)")
    }
    #expect(masked("Hänne") == "Hänne")
  }

  /// Fewer than four characters are part of too many texts, and common words are the texts.
  @Test(arguments: ["ada", "li", "user", "test", "admin", "Profile", "members", "account"])
  func shortNamesAndCommonWordsAreMaskedAsWholeValuesAlone(name: String) {
    registry.register(name, kind: .identifier)
    registry.register(whole: name, kind: .identifier)
    let text = #"{"\#(name)":{"text":"The \#(name) is new","by":"\#(name)","other":"\#(name)s"}}"#
    let tag = registry.tag(for: name, kind: .identifier)
    #expect(body(text) == #"{"\#(name)":{"text":"The \#(name) is new","by":"\#(tag)","other":"\#(name)s"}}"#)
  }

  @Test func aCaptureIsMaskedAsAWordInItsOwnCase() {
    registry.register(whole: "blue7", kind: .token)
    #expect(masked("tenant blue7 is ready").contains("‹token:"))
    #expect(masked("Blue7, blue77") == "Blue7, blue77")
  }

  @Test func aValueThatIsASecretAndANameIsASecret() {
    for value in ["anna4711", "anna"] {
      registry.register(whole: value, kind: .identifier)
      registry.register(whole: value, kind: .key)
      registry.register(whole: value, kind: .identifier)
      #expect(
        body(#"{"a":"\#(value)","b":"so \#(value)."}"#) == #"{"a":"‹key:\#(digits(value))›","b":"so ‹key:\#(digits(value))›."}"#)
    }
  }

  private func digits(_ value: String) -> String {
    String(registry.tag(for: value, kind: .key).dropFirst("‹key:".count).dropLast())
  }

  @Test func aNumberThatIsASecretIsMasked() {
    registry.register("482915", kind: .code)
    registry.register("004711", kind: .code)
    registry.register(whole: "10017", kind: .identifier)
    let code = registry.tag(for: "482915", kind: .code), other = registry.tag(for: "004711", kind: .code)
    let name = registry.tag(for: "10017", kind: .identifier)
    #expect(
      body(#"{"last":482915,"text":"482915","next":4711,"as_text":"004711","by":10017}"#)
        == #"{"last":"\#(code)","text":"\#(code)","next":"\#(other)","as_text":"\#(other)","by":"\#(name)"}"#)
    let others = #"{"a":482916,"b":4829150,"c":48.2915,"d":-482915,"e":1482915,"f":"4711","g":"x482915"}"#
    #expect(body(others) == others)
  }

  /// A name of digits that counts are is no word either.
  @Test func aShortNumberIsNoName() {
    registry.register(whole: "42", kind: .identifier)
    registry.register(whole: "007", kind: .identifier)
    #expect(body(#"{"count":42,"n":7,"of":"42 rows"}"#) == #"{"count":42,"n":7,"of":"42 rows"}"#)
  }

  @Test func aNumberWithinATextStays() {
    registry.register(whole: "2026", kind: .identifier)
    registry.register(whole: "3600", kind: .token)
    #expect(
      body(#"{"at":"2026-11-28T10:00:00Z","age":"max-age=3600"}"#) == #"{"at":"2026-11-28T10:00:00Z","age":"max-age=3600"}"#)
  }

  @Test func anExportIsNotRefusedForAWord() {
    registry.register(whole: "anna", kind: .identifier)
    #expect(!registry.contains(secretIn: Array("a device named anna".utf8)))
  }

  @Test func registeringAgainPreparesNothingAnew() {
    for value in ["tok-aaaaaaaa", "tok-bbbbbbbb", "tok-aaaaaaaa"] { registry.register(value, kind: .token) }
    let generation = registry.scan().generation
    for value in ["tok-bbbbbbbb", "tok-aaaaaaaa"] { registry.register(value, kind: .token) }
    for name in ["anna", "otto"] { registry.register(whole: name, kind: .identifier) }
    let next = registry.scan().generation
    #expect(next == generation + 2)
    for name in ["anna", "otto"] { registry.register(whole: name, kind: .identifier) }
    #expect(registry.scan().generation == next)
  }
}

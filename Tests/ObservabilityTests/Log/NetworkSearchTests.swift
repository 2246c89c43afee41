import HTTPTypes
import Testing

@testable import Observability
@testable import Redaction
import Support

@Suite(.timeLimit(.minutes(1)))
struct NetworkSearchTests {
  private let log = NetworkLog(capacity: 100, bodyBytes: 1 << 20, registry: SecretRegistry(tagKey: [1])) { _ in }

  private func add(request: String = "", response: String? = nil, headers: [(name: String, value: String)] = []) {
    let raw = RawRequest.example(headers: headers, body: request)
    let id = log.begin(raw, of: RecordedAttempt.origin)
    guard let response else { return }
    log.finish(
      id,
      with: RawExchange(
        request: raw, response: RawResponse(status: 200, headers: [("Server", "a=b")], body: Array(response.utf8)),
        state: .success))
  }

  @Test func bothBodiesAreSearchedInEitherCase() {
    add(request: #"{"word":"Straße"}"#)
    add(request: "{}", response: #"{"a":"The STRASSE"}"#)
    add()
    add(response: #"["strasse"]"#)
    #expect(log.search(text: "strasse") == NetworkSearchPage(matches: [2, 4], next: 4, done: true))
    #expect(log.search(text: "STRASSE", after: 2) == NetworkSearchPage(matches: [4], next: 4, done: true))
    #expect(log.search(text: "traße").matches == [1])
    #expect(log.search(text: "\"}").matches == [1, 2])
    #expect(log.search(text: "{}x").matches == [])
    #expect(log.search(text: "x", after: .last) == NetworkSearchPage(matches: [], next: .last, done: true))
  }

  @Test func headersAreSearchedByNameOrByNameAndValue() {
    add(headers: [("Accept-Language", "de")])
    add(response: "", headers: [("Accept", "text/html"), ("Cache-Control", "language")])
    #expect(log.search(header: "LANGUAGE") == NetworkSearchPage(matches: [1], next: 2, done: true))
    #expect(log.search(header: "accept=HTML").matches == [2])
    #expect(log.search(header: "accept=de").matches == [])
    #expect(log.search(header: "=language").matches == [2])
    #expect(log.search(header: "server=a=b").matches == [2])
    #expect(log.search(header: "server", after: 2).matches == [])
  }

  @Test(arguments: ["aab", "AAB"])
  func aTextThatBeginsTwiceIsFound(text: String) {
    #expect(BodySearch(text).matches("aaab"))
    #expect(!BodySearch(text).matches("aaa"))
    #expect(BodySearch("").matches(""))
  }

  @Test(arguments: ["של", "😀 a/b", "<X", #"\u05e9"#, #"\/b"#])
  func escapedCharactersAreFound(text: String) {
    #expect(BodySearch(text).matches(#"{"name":"\u05e9\u05DC \ud83d\ude00 a\/b \u003cx"}"#))
  }

  /// An escaped backslash begins no escape, and an incomplete escape is none.
  @Test(arguments: ["של", "ש", "a/b", "v"])
  func otherBackslashesAreNoCharacters(text: String) {
    #expect(!BodySearch(text).matches(#"["\\u05e9\\u05DC \\/b a\\/b \u05 \u007"]"# + "\\"))
  }

  /// Without a budget each search still advances by one row, and all results together are complete.
  @Test func aSearchGoesOnWhereItsTimeEnded() {
    for number in 1...40 { add(request: #"["\#(number.isMultiple(of: 3) ? "needle" : "hay")"]"#) }
    var found: [RowSequence] = []
    var after: RowSequence = 0
    var looks = 0
    while true {
      let page = log.search(text: "needle", after: after, budget: .zero)
      found += page.matches
      if page.done { break }
      #expect(page.next == after.next)
      after = page.next
      looks += 1
    }
    #expect(found.map(\.number) == Array(stride(from: 3, through: 39, by: 3)))
    #expect(looks == 40)
  }
}

import Testing

@testable import BackendFile

struct NearestWordTests {
  @Test(arguments: [
    ("header", "headers"), ("identifer", "identifier"), ("Form", "form"), ("sucess", "success"), ("captrue", "capture"),
  ]) func misspelledWordIsFound(_ text: String, _ word: String) {
    #expect(NearestWord.of(text, among: ["headers", "identifier", "form", "success", "capture", "json"]) == word)
  }

  @Test(arguments: ["timeout", "x", "", "retries"]) func otherWordIsNot(_ text: String) {
    #expect(NearestWord.of(text, among: ["headers", "form", "json"]) == nil)
  }
}

import Testing
import Text

/// The words of names of fields, in the spellings of several products.
struct WordsOfNameTests {
  @Test(arguments: [
    ("client_secret", "client secret"), ("clientSecret", "client secret"), ("X-Access-Key", "x access key"), ("APIKey", "apikey"),
    ("sha256Sum", "sha256 sum"), ("größe", "gr e"), ("__", ""), ("", ""),
  ])
  func namesAreSplitAtCapitalsAndOtherCharacters(name: String, words: String) {
    #expect(name.wordsOfName.joined(separator: " ") == words)
  }
}

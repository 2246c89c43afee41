import Explain
import FoundationEssentials
import JSON
import Testing

@Suite struct SentenceTests {
  /// The pages have every sentence in the words of the engine; the tests of the pages compare the other languages with English.
  @Test func pagesHaveTheSentencesOfTheEngine() throws {
    let project = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let file = project.appending(path: "Public/assets/locales/en.json")
    let words = try JSONDocument(parsing: Array(try Data(contentsOf: file))).root["explain"]
    for variant in Sentence.Variant.allCases {
      let message = words?["explain.\(variant.rawValue)"]
      let text = try #require(message?.string ?? message?["other"]?.string, "no explain.\(variant.rawValue)")
      let plain = text.replacing("{n}", with: "{count}").replacing("’", with: "'").replacing("“", with: "\"")
        .replacing("”", with: "\"")
      #expect(plain == variant.english)
    }
  }

  @Test func valuesAreWrittenByKind() throws {
    let sentence = Sentence(
      variant: .missingRequests, values: ["rows": .rows([2, 5]), "code": .status(nil), "sent": .token(.identity)])
    #expect(sentence.text == "These entries have no readable request: 2, 5.")
    let root = try JSONDocument(parsing: try JSONCoding.encode(sentence)).root
    #expect(root["sentence"]?.string == "missing_requests")
    let values = root["values"]
    #expect(values?["rows"]?["rows"]?.elements.compactMap(\.int64) == [2, 5])
    #expect(values?["code"]?["status"]?.int64 == 0 && values?["sent"]?["token"]?.string == "identity")
  }
}

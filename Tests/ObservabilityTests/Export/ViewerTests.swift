import Foundation
import JSON
import Testing

@testable import Observability

/// The viewer has no console to load its words from, and so has its own copy of them.
@Suite(.timeLimit(.minutes(1))) struct ViewerTests {
  private static let locales = URL(fileURLWithPath: #filePath).appending(path: "../../../../Public/assets/locales").standardized

  private static func document(_ name: String) throws -> JSONNode {
    try JSONDocument(parsing: [UInt8](Data(contentsOf: locales.appending(path: name)))).root
  }

  @Test func itsWordsAreThoseOfThePages() throws {
    let words = try JSONDocument(parsing: Array(ViewerWords.json.utf8)).root
    let topics = try FileManager.default.contentsOfDirectory(atPath: Self.locales.appending(path: "topics").path)
    var shared: [String: JSONNode] = [:]
    for topic in topics {
      for section in try Self.document("topics/\(topic)").members {
        for word in section.value.members { shared[word.key] = word.value }
      }
    }
    let keys = words["en"]?.members.map(\.key) ?? []
    #expect(words.members.count == 8 && keys.count > 50)
    for language in words.members {
      let page = try Self.document("\(language.key).json").members.flatMap { $0.value.kind == .object ? $0.value.members : [] }
      #expect(language.value.members.map(\.key) == keys, "\(language.key)")
      for word in language.value.members where word.key != "name" {
        let expected = page.first { $0.key == word.key }?.value ?? shared[word.key]?[language.key]
        #expect(word.value.string == expected?.string, "\(language.key) \(word.key)")
      }
    }
  }

  @Test func thePageWithoutDataIsSmall() {
    let surroundings = ExportBundle.Surroundings(
      version: "1", createdAt: Timestamp(milliseconds: 0), backend: "", isEmbedded: true, session: "", dropped: 0, timeline: [],
      faults: Array("[]".utf8))
    let page = ExportExample.bytes(ViewerPage.file(name: "v", rows: [], surroundings: surroundings))
    #expect(page.count < 60_000)
  }
}

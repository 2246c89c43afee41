import Foundation
import Support
import Testing

@testable import Observability

/// Rows as Swift and as Markdown.
@Suite(.timeLimit(.minutes(5))) struct CopiedTextTests {
  private func hostile() throws -> NetworkRowDetail {
    let example = ExportExample()
    let id = example.add(
      query: "email=\(ExportExample.email)",
      headers: [
        ("Authorization", "Bearer \(ExportExample.token)"), ("Accept", "\"\\(exit(1))\" */* \u{202e}"), ("X-Odd", "s3cret"),
      ],
      body: ##"{"a":"\\(fatalError()) \"\"\" #\" \u2028 é","b":"```\n# not a heading | cell"}"##,
      answer: #"{"text":"````` fences"}"#, status: 500, error: "in`ternal|x")
    return try #require(example.log.detail(id: id))
  }

  @Test func theSwiftTextIsSwift() async throws {
    let text = SwiftSnippet.text(try hostile())
    #expect(text.contains(#"request.addValue("Bearer \(accessToken)", forHTTPHeaderField: "Authorization")"#))
    #expect(text.contains(#"ProcessInfo.processInfo.environment["ACCESS_TOKEN"]"#))
    #expect(text.contains("\\\\(fatalError())") || text.contains("\\\\\\\\(fatalError())"), "an interpolation stays text")
    #expect(text.contains("\\u{202e}") && !text.contains("\u{202e}") && !text.contains("‹"))
    let folder = try TemporaryFolder()
    let path = try folder.write(text, to: "main.swift")
    let parsed = try await ZipStreamTests.run("swiftc", ["-parse", "-swift-version", "6", path])
    #expect(parsed.status == 0, "\(parsed.output)")
    for row in ExportExample().rows {
      let parsed = try await ZipStreamTests.run(
        "swiftc", ["-parse", "-swift-version", "6", try folder.write(SwiftSnippet.text(row), to: "main.swift")])
      #expect(parsed.status == 0, "\(row.row.path): \(parsed.output)")
    }
  }

  @Test func theReportKeepsItsShapeWhateverTheRowSays() throws {
    let text = MarkdownReport.text(try hostile())
    #expect(text.hasPrefix("### `POST /rpc/get_cues` · 500 ``in`ternal|x``\n"))
    #expect(text.contains("``````json\n{\"text\":\"````` fences\"}\n``````\n"), "a fence is longer than any in the text")
    #expect(text.contains("$ACCESS_TOKEN") && !text.contains(ExportExample.token))
    for row in ExportExample().rows {
      let text = MarkdownReport.text(row)
      #expect(text.contains("**As cURL**") && text.contains("**Timing**"))
    }
  }
}

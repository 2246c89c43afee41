import Observability
import Testing

@testable import Composition

@Suite struct ComparisonTextTests {
  private static func recording(_ name: String, _ words: [String]) throws -> ComparedRecording {
    let entries = words.enumerated().map { place, words in
      let parts = words.split(separator: " ")
      return """
        {"startedDateTime":"2026-01-01T10:00:0\(place).000Z","time":10,"_flow":"\(parts[0])",
        "request":{"method":"\(parts[1])","url":"https://api.example.com\(parts[2])","headers":[]},
        "response":{"status":204,"headers":[],"content":{"size":0}}}
        """
    }
    let har = #"{"log":{"version":"1.2","entries":[\#(entries.joined(separator: ","))]}}"#
    return ComparedRecording(name, try RecordedSession.attempts(reading: Array(har.utf8)))
  }

  @Test func theTextHasALineForEachDifference() throws {
    let words = ["sign_in POST /rpc/login", "sign_out POST /rpc/logout"]
    let text = ComparisonText(
      RecordingComparison(try Self.recording("a.zip", words), try Self.recording("b\u{1b}[2J.har", Array(words.dropLast())))
    ).text
    #expect(
      text == """
        a.zip: 2 calls, 2 attempts
        b [2J.har: 1 calls, 1 attempts
          missing    POST /rpc/logout (sign_out), call 2 of the first recording
        1 difference

        """)
  }
}

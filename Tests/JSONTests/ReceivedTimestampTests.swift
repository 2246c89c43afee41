import JSON
import Testing

@Suite struct ReceivedTimestampTests {
  private struct Body: Codable {
    let at: ReceivedTimestamp
  }

  @Test(
    arguments: [
      #""2026-11-21T12:04:31.482913+0000""#, #""2026-11-21T12:04:31+01:00""#, #""2026-11-21T12:04:31.4Z""#,
      #""2026-11-21T12\u003a04:31Z""#, #""1795262400""#, "1795262400", "1795262400.25", "1795262400000", "1.7952624e9",
    ])
  func anInstantIsEncodedAsItWasRead(text: String) throws {
    let body = try read(text)
    #expect(String(decoding: try JSONCoding.encode(body), as: UTF8.self) == #"{"at":\#(text)}"#)
    #expect(ReceivedTimestamp(body.at.instant, json: body.at.differingJSON) == body.at)
  }

  @Test func anInstantOfOurOwnHasMillisecondsAndZ() throws {
    let own = ReceivedTimestamp(Timestamp(milliseconds: 1_795_262_400_482))
    #expect(String(decoding: try JSONCoding.encode(Body(at: own)), as: UTF8.self) == #"{"at":"2026-11-21T12:00:00.482Z"}"#)
    #expect(own.differingJSON == nil)
    #expect(try read(#""2026-11-21T12:00:00.482Z""#).at == own)
  }

  @Test(arguments: ["", "null", "17", #""x""#, #""2026-11-21T12:00:00.483+0000""#, "{"])
  func aKeptTextOfAnotherInstantIsDropped(json: String) {
    let instant = Timestamp(milliseconds: 1_795_262_400_482)
    #expect(ReceivedTimestamp(instant, json: json) == ReceivedTimestamp(instant))
  }

  @Test func aTextOfMoreThan64BytesIsNotKept() throws {
    let body = try read("1795262400." + String(repeating: "0", count: 60))
    #expect(body.at == ReceivedTimestamp(Timestamp(milliseconds: 1_795_262_400_000)))
  }

  private func read(_ text: String) throws -> Body {
    try JSONCoding.decodeTolerantly(
      Body.self, from: JSONDocument(parsing: Array(#"{"at":\#(text)}"#.utf8)), notes: JSONReadNotes())
  }
}

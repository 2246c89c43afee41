import Testing

@testable import Observability

@Suite struct ResponseShapeTests {
  private static func shape(_ text: String) throws -> ResponseShape { try #require(ResponseShape(Array(text.utf8))) }

  @Test func nothingIsSaidOfAnArrayThatWasAlwaysEmpty() throws {
    let empty = try Self.shape(#"{"cues":[]}"#)
    let filled = try Self.shape(#"{"cues":[{"id":"x"}]}"#)
    #expect(ShapeDifference(empty, reference: filled).isEmpty)
    var merged = empty
    merged.merge(try Self.shape(#"{"cues":[{"other":1}]}"#))
    #expect(merged.covers("cues[].id") && merged.kinds["cues[].other"] == ["number"])
  }

  @Test func aShapeHoldsNoValueAndNoKeyThatCouldBeOne() throws {
    let token = String(repeating: "aB", count: 25)
    let shape = try Self.shape(#"{"\#(token)":"secret","123456":1,"a@b.example":2,"+4912345678":3,"id2":"x","user_id":4}"#)
    #expect(Set(shape.kinds.keys) == ["", "?", "id2", "user_id"])
    #expect(ResponseShape(Array("no json".utf8)) == nil)
    let wide =
      "[" + (0..<2000).map { #"{"k\#(String(repeating: "x", count: $0 % 30))\#($0 / 30)":1}"# }.joined(separator: ",") + "]"
    #expect(try Self.shape(wide).kinds.count <= ResponseShape.limit)
  }
}

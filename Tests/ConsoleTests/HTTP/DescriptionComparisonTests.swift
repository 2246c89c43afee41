import JSON
import Testing

@Suite struct DescriptionComparisonTests {
  private static let earlier = """
    {"paths":{"/a":{"post":{"parameters":[{"name":"q","in":"query","schema":{"type":"string"}}],
    "requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{}}}}},
    "responses":{"200":{"schema":{"allOf":[{"$ref":"#/components/schemas/One"},{"properties":{"code":{"enum":["a","b"]}}}]}}}}}},
    "components":{"schemas":{"One":{"type":"object","required":["code"],"properties":{"code":{"type":"string"}}}}}}
    """

  private func differences(_ change: (String) -> String) throws -> Int {
    let earlier = try JSONDocument(parsing: Array(Self.earlier.utf8)).root
    let later = try JSONDocument(parsing: Array(change(Self.earlier).utf8)).root
    return DescriptionComparison(earlier: earlier, later: later).differences.count
  }

  @Test func onlyWhatBreaksAPromiseIsADifference() throws {
    #expect(try differences { $0 } == 0)
    #expect(try differences { $0.replacing(#"["a","b"]"#, with: #"["c","b","a"]"#) } == 0)
    #expect(try differences { $0.replacing(#""code":{"type":"string"}}"#, with: #""code":{"type":"string"},"new":{}}"#) } == 0)
    #expect(try differences { $0.replacing(#"["a","b"]"#, with: #"["a"]"#) } == 1)
    #expect(try differences { $0.replacing(#""required":["code"],"#, with: "") } == 1)
    #expect(try differences { $0.replacing(#""required":["code"]"#, with: #""required":["code","more"]"#) } == 0)
    #expect(
      try differences {
        $0.replacing(#""type":"object","properties":{}"#, with: #""type":"object","required":["a"],"properties":{}"#)
      }
        == 1)
    #expect(try differences { $0.replacing(#""code":{"type":"string"}"#, with: #""code":{"type":"integer"}"#) } == 1)
    #expect(try differences { $0.replacing(#""name":"q""#, with: #""name":"p""#) } == 1)
    #expect(try differences { $0.replacing(#""properties":{}"#, with: #""properties":{},"additionalProperties":false"#) } == 1)
    #expect(try differences { $0.replacing(#""/a""#, with: #""/b""#) } > 0)
  }
}

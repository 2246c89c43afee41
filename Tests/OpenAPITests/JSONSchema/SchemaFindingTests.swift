import Testing

@testable import OpenAPI

/// What a finding says: where, what the schema expects, and the kind of what came.
@Suite struct SchemaFindingTests {
  private func findings(_ schema: String, _ value: String) throws -> [String] { try CompiledSchema(schema).findings(value) }

  @Test(arguments: [
    (#"{"type": ["string", "null"]}"#, "1.5", ": string or null, number"),
    (#"{"type": "integer"}"#, "1.5", ": integer, number"),
    (#"{"type": ["number", "integer"]}"#, "{}", ": number, object"),
    (#"{"enum": ["a", 1, null]}"#, #""b""#, #": one of "a", 1, null, another string"#),
    (#"{"enum": [1,2,3,4,5,6,7]}"#, "null", ": one of 7 values, null"),
    (#"{"const": {"a": 1}}"#, "[]", #": {"a": 1}, another array"#),
    (#"{"minItems": 2}"#, "[1]", ": array of at least 2, array of 1"),
    (#"{"maxProperties": 1}"#, #"{"a":1,"b":2}"#, ": at most 1 member, 2 members"),
    (#"{"multipleOf": 0.5}"#, "0.7", ": multiple of 0.5, another number"),
    (#"{"pattern": "^[a-z]+$"}"#, #""A""#, ": string that matches ^[a-z]+$, string that does not match"),
    (#"{"minLength": 3}"#, #""\u00e4🐲""#, ": string of at least 3 characters, string of 2 characters"),
    (#"{"not": {"type": "string"}}"#, #""a""#, ": not string, string"),
    (#"{"uniqueItems": true}"#, "[1, 1.0]", ": array of different elements, array with equal elements"),
    (#"{"contains": {"type": "string"}, "minContains": 2}"#, #"["a", 1]"#, ": at least 2 elements that match, 1 that match"),
    (#"{"oneOf": [{"type": "integer"}, {"minimum": 2}]}"#, "3", ": exactly one of 2 alternatives, more than one that match"),
    (#"{"anyOf": [{"type": "integer"}, {"type": "null"}]}"#, #""a""#, ": integer or null, string"),
    (
      #"{"anyOf": [{"type": "null"}, {"properties": {"a": {"type": "string"}}, "type": "object"}]}"#, #"{"a": 1}"#,
      "/a: string, integer"
    ),
    (#"{"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}"#, "{}", ": one of 2 alternatives, object that matches none"),
    (#"{"properties": {"a/b~c": {"type": "null"}}}"#, #"{"a/b~c": 1}"#, "/a~1b~0c: null, integer"),
    (#"{"required": ["a"], "properties": {"a": {"format": "uuid", "type": "string"}}}"#, "{}", "/a: string, missing"),
    (#"{"required": ["a"]}"#, "{}", "/a: a value, missing"),
    (#"{"additionalProperties": false}"#, #"{"nickname": 1}"#, "/nickname: no other members, undocumented member"),
    (#"{"additionalProperties": false}"#, #"{"person@example.com": 1}"#, "/*: no other members, undocumented member"),
    (#"{"unevaluatedProperties": {"type": "string"}}"#, #"{"4912345": 1}"#, "/*: string, integer"),
    (#"{"prefixItems": [true], "items": false}"#, "[1, 2, 3]", "/1: no further elements, undocumented element"),
    (#"{"items": {"type": "string"}}"#, #"["a", 1, 2]"#, "/1: string, integer"),
    (#"{"dependentRequired": {"a": ["b"]}}"#, #"{"a": 1}"#, "/b: a value, because a is present, missing"),
    (#"{"properties": {"a": false}}"#, #"{"a": []}"#, "/a: nothing, array"),
  ]) func saysWhatDiffers(schema: String, value: String, finding: String) throws {
    #expect(try findings(schema, value) == [finding])
  }

  @Test func everyMemberThatDiffersIsFound() throws {
    let schema = #"{"required": ["c"], "properties": {"a": {"type": "string"}, "b": {"type": "string", "minLength": 2}}}"#
    #expect(
      try findings(schema, #"{"a": 1, "b": "x"}"#) == [
        "/c: a value, missing", "/a: string, integer", "/b: string of at least 2 characters, string of 1 character",
      ])
  }

  @Test func theSameAtOtherElementsIsFoundOnce() throws {
    let schema = #"{"items": {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}}}"#
    #expect(
      try findings(schema, #"[{"a": "x"}, {"a": 1}, {"a": 2, "b": 1}]"#) == ["/1/a: string, integer", "/2/b: string, integer"])
  }

  @Test func anchorsAndReferencesWorkAcrossResources() throws {
    let schema =
      ##"{"$id": "https://a.test/x", "$ref": "y#z", "$defs": {"y": {"$id": "y", "$defs": {"z": {"$anchor": "z", "type": "null"}}}}}"##
    #expect(try findings(schema, "1") == [": null, integer"])
  }
}

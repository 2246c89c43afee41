import Testing

@testable import OpenAPI

/// What OpenAPI 3.0 means differently than JSON Schema 2020-12.
@Suite struct OpenAPI30Tests {
  private func lines(_ schema: String, _ body: String, version: String = "3.0.3") throws -> [String] {
    try ContractSample.answering(
      schema, components: #"{"schemas": {"Name": {"type": "string", "minLength": 2}}}"#, version: version
    ).lines(ContractSample.answer(body))
  }

  @Test func nullableAcceptsNull() throws {
    #expect(try lines(#"{"type": "string", "nullable": true}"#, "null") == [])
    #expect(try lines(##"{"nullable": true, "allOf": [{"$ref": "#/components/schemas/Name"}]}"##, "null") == [])
    #expect(try lines(#"{"type": "string"}"#, "null") == ["response : string, null"])
    #expect(try lines(#"{"type": "string", "nullable": true}"#, "1") == ["response : string, integer"])
  }

  @Test func nullableMeansNothingIn31() throws {
    #expect(try lines(#"{"type": "string", "nullable": true}"#, "null", version: "3.1.1") == ["response : string, null"])
    #expect(try lines(#"{"type": ["string", "null"]}"#, "null", version: "3.1.1") == [])
  }

  @Test func anExclusiveBoundIsABoolean() throws {
    #expect(try lines(#"{"minimum": 1, "exclusiveMinimum": true}"#, "1") == ["response : number > 1, the limit itself"])
    #expect(try lines(#"{"minimum": 1, "exclusiveMinimum": false}"#, "1") == [])
    #expect(try lines(#"{"maximum": 1, "exclusiveMaximum": true}"#, "2") == ["response : number < 1, a greater number"])
    #expect(try lines(#"{"exclusiveMinimum": 1}"#, "1", version: "3.1.0") == ["response : number > 1, the limit itself"])
  }

  @Test func siblingsOfAReferenceAreIgnored() throws {
    let schema = ##"{"$ref": "#/components/schemas/Name", "maxLength": 3}"##
    #expect(try lines(schema, #""long""#) == [])
    #expect(try lines(schema, #""long""#, version: "3.1.0").count == 1)
    #expect(try lines(schema, #""a""#) == ["response : string of at least 2 characters, string of 1 character"])
  }

  @Test func annotationsAreIgnored() throws {
    let schema =
      #"{"type": "object", "example": {"a": 1}, "discriminator": {"propertyName": "kind"}, "externalDocs": {"url": "x"}}"#
    #expect(try lines(schema, "{}") == [])
  }

  @Test(arguments: ["3.0.0", "3.0.4", "3.1.0", "3.1.2"]) func versionsAreRead(version: String) throws {
    #expect(try lines("true", "1", version: version) == [])
  }
}

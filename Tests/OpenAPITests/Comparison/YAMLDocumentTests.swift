import Testing

@testable import OpenAPI

/// Documents in YAML describe what the same documents in JSON do.
@Suite struct YAMLDocumentTests {
  private static let document = """
    # The title is text, whatever it looks like.
    openapi: 3.0.3
    info: {title: "on", version: '1'}
    paths:
      /thing: &thing
        get: &get
          operationId: thing
          responses:
            200:
              description: It is *here*.
              content:
                application/json:
                  schema: {$ref: '#/components/schemas/Thing'}
      /other: *thing
    components:
      schemas:
        Thing:
          type: object
          required: [id, on]
          additionalProperties: false
          properties:
            id: {type: integer, minimum: 0x10}
            on: {type: string, enum: [yes, no, "12"], nullable: yes}
            day: {type: string, pattern: '^\\d{4}$', example: 2020-01-01}
    """

  @Test func aDocumentInYAMLIsCompared() throws {
    let contract = try APIContract(parsing: Array(Self.document.utf8))
    #expect(contract.title == "on" && contract.version == "1" && contract.operationCount == 2 && contract.notes.isEmpty)
    #expect(contract.lines(ContractSample.answer(#"{"id":16,"on":"yes"}"#)).isEmpty)
    #expect(
      contract.lines(ContractSample.answer(#"{"id":15,"on":true,"day":"x"}"#)) == [
        "response /id: number ≥ 16, a smaller number", "response /on: string, boolean",
        #"response /day: string that matches ^\d{4}$, string that does not match"#,
      ])
    var other = ContractSample.answer(#"{"id":16}"#)
    other.path = "/other"
    #expect(contract.lines(other).first?.hasPrefix("response /on: ") == true)
  }
}

import JSON
import Testing

@testable import OpenAPI

/// An evaluation charges for what it reads, so that long values and lists cannot take more time than short ones for the same work.
@Suite struct EvaluationWorkTests {
  private static let length = 160_000
  private static let number = "1" + String(repeating: "0", count: length - 2) + "1.5"
  private static let text = "\"\\u0041" + String(repeating: "x", count: length) + "\""

  /// The steps that the evaluation of a value takes.
  private func work(_ schema: String, _ value: String) throws -> Int {
    let compiled = try CompiledSchema(schema, assertsFormats: true)
    var evaluation = SchemaEvaluation(compiled.program, try JSONDocument(parsing: Array(value.utf8)))
    _ = evaluation.evaluate(compiled.root, 0)
    return SchemaEvaluation.maximumWork - evaluation.work
  }

  @Test(arguments: [
    (#"{"type": "integer"}"#, number), (#"{"type": "string"}"#, number), (#"{"minimum": 0.5}"#, number),
    (#"{"maximum": 0.5}"#, number), (#"{"multipleOf": 0.5}"#, number), (#"{"const": 1.5}"#, number),
    (#"{"enum": [1.5]}"#, number),
    (#"{"not": {}}"#, number), (#"{"enum": ["x"]}"#, text), (#"{"const": "x"}"#, text), (#"{"minLength": 1}"#, text),
    (#"{"maxLength": 1}"#, text), (#"{"format": "uuid"}"#, text), (#"{"uniqueItems": true}"#, "[1, \(text)]"),
    (#"{"uniqueItems": true}"#, "[1, \(number)]"), (#"{"const": {"a": 1}}"#, "{\(text): 1}"),
    (#"{"properties": {"a": true}}"#, "{\(text): 1}"), (#"{"required": ["a"]}"#, "{\(text): 1}"),
  ]) func longValuesTakeMoreSteps(schema: String, value: String) throws {
    #expect(try work(schema, value) >= Self.length / 32)
    #expect(try work(schema, #"{"a": 1}"#) < 100)
  }

  @Test func aMissingMemberIsFoundThoughTheOthersTakeAllSteps() throws {
    let compiled = try CompiledSchema(
      #"{"required": ["list", "z"], "properties": {"list": {"items": {"type": "integer", "minimum": 0}}}}"#)
    let body = #"{"list": [\#(String(repeating: "1,", count: 300_000))1]}"#
    var evaluation = SchemaEvaluation(compiled.program, try JSONDocument(parsing: Array(body.utf8)))
    _ = evaluation.evaluate(compiled.root, 0)
    #expect(evaluation.isIncomplete)
    #expect(evaluation.findings.map(\.pointer) == ["/z"])
  }

  @Test func manyAlternativesTakeMoreSteps() throws {
    let list = Array(repeating: #"{"type": "string"}"#, count: 1000).joined(separator: ",")
    // Each alternative is evaluated and then looked at for the words of the finding.
    #expect(try work(#"{"anyOf": [\#(list)]}"#, "1") >= 6000)
  }

  @Test func manyAlternativesLeaveTheTypesOpen() throws {
    let list = Array(repeating: #"{"type": "string"}"#, count: 200).joined(separator: ",")
    let compiled = try CompiledSchema(#"{"anyOf": [\#(list)]}"#)
    #expect(compiled.program.kinds(of: compiled.root) == [.all, .integer])
  }

  @Test func aPatternIsTriedOnTextsToALimit() throws {
    let compiled = try CompiledSchema(#"{"pattern": "^y", "patternProperties": {"^y": {"type": "string"}}}"#)
    let short = String(repeating: "x", count: 8000)
    let long = String(repeating: "x", count: 9000)
    #expect(try compiled.findings("\"\(short)\"") == [": string that matches ^y, string that does not match"])
    #expect(try compiled.findings("\"\(long)\"") == [])
    #expect(try compiled.findings("{\"\(long)\": 1, \"y\": 1}") == ["/y: string, integer"])
    #expect(try work(#"{"pattern": "^y"}"#, "\"\(long)\"") < 100)
  }
}

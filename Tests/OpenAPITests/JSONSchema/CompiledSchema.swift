import JSON

@testable import OpenAPI

/// A schema that values are tried against.
struct CompiledSchema {
  let program: SchemaProgram
  let root: SchemaID
  let notes: [String]

  init(
    _ source: String, dialect: SchemaCompiler.Dialect = .draft2020, assertsFormats: Bool = false,
    remotes: [(uri: String, document: JSONDocument)] = []
  ) throws {
    var compiler = SchemaCompiler(dialect, assertsFormats: assertsFormats)
    for (uri, document) in remotes { _ = compiler.index.add(document, uri: uri, isSchema: true) }
    let document = try JSONDocument(parsing: Array(source.utf8), maximumDepth: 512)
    let number = compiler.index.add(document, uri: "test:schema", isSchema: true)
    root = compiler.schema(at: SchemaIndex.Location(document: number, token: 0))
    program = try compiler.finish()
    notes = compiler.notes
  }

  /// Whether the value fulfills the schema.
  func accepts(_ document: JSONDocument) -> Bool {
    var evaluation = SchemaEvaluation(program, document)
    evaluation.silence = 1
    return evaluation.evaluate(root, 0)
  }

  func accepts(_ value: String) throws -> Bool { accepts(try JSONDocument(parsing: Array(value.utf8))) }

  /// What differs, each as pointer, what was expected and what came.
  func findings(_ value: String, direction: SchemaEvaluation.Direction? = nil) throws -> [String] {
    var evaluation = SchemaEvaluation(program, try JSONDocument(parsing: Array(value.utf8)), direction: direction)
    _ = evaluation.evaluate(root, 0)
    return evaluation.findings.map { "\($0.pointer): \($0.expected), \($0.got)" }
  }
}

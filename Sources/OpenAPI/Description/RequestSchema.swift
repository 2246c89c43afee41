package import JSON
import Locking

/// The schema of a route's requests, which checks their bodies; compiled when the first body comes.
package final class RequestSchema: Sendable {
  /// A place where a body does not fit; contains no value of it.
  package struct Difference: Error, Equatable {
    /// The member, such as `when.skip`; an array's element counts as the array, and nil is the body itself.
    package let field: String?
    /// The expected and the received value, in words.
    package let text: String
  }

  private struct Compiled {
    let program: SchemaProgram
    let root: SchemaID
  }

  private let schema: @Sendable () -> Schema?
  private let compiled = Locked<Compiled??>(nil)

  /// `schema` is asked for once; nil accepts every body.
  package init(_ schema: @escaping @Sendable () -> Schema?) { self.schema = schema }

  /// Throws the first place where a body does not fit.
  ///
  /// A member that is null counts as missing, as it does for a decoded type. Members that the caller checks itself are excluded
  /// by name.
  package func check(_ document: JSONDocument, except judged: Set<String> = []) throws(Difference) {
    guard let compiled = compiledOnce() else { return }
    var evaluation = SchemaEvaluation(compiled.program, document, direction: .request)
    _ = evaluation.evaluate(compiled.root, 0)
    if evaluation.isIncomplete { throw Difference(field: nil, text: "The body is too complex.") }
    for finding in evaluation.findings {
      let names = finding.pointer.split(separator: "/")
      let isNullMember = finding.got == "null" && names.last.map { Int($0) == nil } == true
      let field = names.prefix { Int($0) == nil }.joined(separator: ".")
      guard !isNullMember, !judged.contains(field) else { continue }
      throw Difference(field: field.isEmpty ? nil : field, text: "Expected \(finding.expected), got \(finding.got).")
    }
  }

  private func compiledOnce() -> Compiled? {
    compiled.withLock { known in
      if let known { return known }
      let made = schema().map { Self.compile($0) }
      known = .some(made)
      return made
    }
  }

  private static func compile(_ schema: Schema) -> Compiled {
    var compiler = SchemaCompiler(assertsFormats: true)
    guard let document = try? JSONDocument(parsing: schema.inlined.bytes) else {
      preconditionFailure("a schema that was made of a type is JSON")
    }
    let number = compiler.index.add(document, uri: "request:/", isSchema: true)
    let root = compiler.schema(at: SchemaIndex.Location(document: number, token: 0))
    guard let program = try? compiler.finish() else { preconditionFailure("a schema that was made of a type has no loop") }
    return Compiled(program: program, root: root)
  }
}

import Foundation
import JSON
import Testing

@testable import OpenAPI

/// The required cases of the JSON Schema Test Suite for draft 2020-12.
@Suite struct JSONSchemaSuiteTests {
  /// The cases that fail, each with the reason; `Documentation/limits.md` has the same list.
  private static let knownFailures: [String: String] = [:]
  /// How many cases the suite has, so that none is lost.
  private static let caseCount = 1257

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "../../Fixtures/json-schema-test-suite"
  ).standardizedFileURL

  @Test func theRequiredCasesPass() throws {
    let remotes = try remoteDocuments()
    var failures: [String] = []
    var count = 0
    for file in try files(in: "tests") {
      let document = try JSONDocument(parsing: Array(Data(contentsOf: file)))
      for group in document.root.elements {
        let schema = try #require(group["schema"])
        let program = try program(schema, remotes: remotes)
        for test in group["tests"]?.elements ?? [] {
          count += 1
          let name = [file.lastPathComponent, group["description"]?.string, test["description"]?.string].compactMap(\.self)
            .joined(separator: ": ")
          let data = try JSONDocument(parsing: Array((try #require(test["data"])).sourceText.utf8))
          if program.accepts(data) != test["valid"]?.bool { failures.append(name) }
        }
      }
    }
    #expect(count == Self.caseCount)
    #expect(failures.filter { Self.knownFailures[$0] == nil } == [])
    #expect(Double(count - failures.count) / Double(count) >= 0.98)
  }

  @Test func findingsAgreeWithTheResult() throws {
    let remotes = try remoteDocuments()
    for file in try files(in: "tests") {
      for group in try JSONDocument(parsing: Array(Data(contentsOf: file))).root.elements {
        let program = try program(#require(group["schema"]), remotes: remotes)
        for test in group["tests"]?.elements ?? [] {
          let data = try JSONDocument(parsing: Array((try #require(test["data"])).sourceText.utf8))
          var evaluation = SchemaEvaluation(program.program, data)
          let isValid = evaluation.evaluate(program.root, 0)
          #expect(isValid == evaluation.findings.isEmpty, "\(file.lastPathComponent): \(test["description"]?.string ?? "")")
          #expect(!evaluation.isIncomplete)
        }
      }
    }
  }

  private func files(in folder: String) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: Self.folder.appending(path: folder), includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
  }

  private func remoteDocuments() throws -> [(uri: String, document: JSONDocument)] {
    var documents: [(String, JSONDocument)] = []
    let root = Self.folder.appending(path: "remotes")
    for path in try FileManager.default.subpathsOfDirectory(atPath: root.path) where path.hasSuffix(".json") {
      let bytes = Array(try Data(contentsOf: root.appending(path: path)))
      documents.append(("http://localhost:1234/\(path)", try JSONDocument(parsing: bytes)))
    }
    for file in try files(in: "metaschema") {
      let name = file.deletingPathExtension().lastPathComponent
      let path = name == "schema" ? name : "meta/\(name)"
      let document = try JSONDocument(parsing: Array(Data(contentsOf: file)))
      documents.append(("https://json-schema.org/draft/2020-12/\(path)", document))
    }
    return documents
  }

  private func program(_ schema: JSONNode, remotes: [(uri: String, document: JSONDocument)]) throws -> CompiledSchema {
    try CompiledSchema(schema.sourceText, remotes: remotes)
  }
}

import Foundation
import HTTPTypes
import JSON
import Support
import Testing

@testable import Backend

/// `GET /swagger.json` describes the same API as `Tests/Baselines/swagger.json`: paths, parameters, schemas, statuses and error codes.
///
/// A change of the API changes the baseline too, in the same commit.
@Suite(.timeLimit(.minutes(1))) struct APIDescriptionBaselineTests {
  @Test func theAPIIsThatOfTheBaseline() async throws {
    let tests = URL(filePath: #filePath).appending(path: "../../..").standardized
    let file = tests.appending(path: "Baselines/swagger.json")
    let baseline = Self.facts(try JSONDocument(parsing: Array(try Data(contentsOf: file))).root)
    let reply = try await BackendProbe().call(.get, "/swagger.json", device: nil)
    let current = Self.facts(try reply.json)
    #expect(current.subtracting(baseline).sorted() == [], "new")
    #expect(baseline.subtracting(current).sorted() == [], "missing")
  }

  /// The paths, components and security of a document, each leaf as one line, without texts for readers.
  private static func facts(_ document: JSONNode) -> Set<String> {
    var facts: Set<String> = []
    func walk(_ node: JSONNode, _ place: String) {
      if let text = node.string { facts.insert("\(place) = \(text)") }
      // The order of parameters, values and names has no meaning.
      for element in node.elements { walk(element, "\(place)[\(Self.name(of: element))]") }
      for (key, value) in node.members {
        let isText = ["description", "summary"].contains(key) && value.string != nil
        // The type of a constant or an enumerated value follows from the values.
        let isImplied = key == "type" && (node["const"] != nil || node["enum"] != nil)
        let isEmptyList = ["parameters", "properties"].contains(key) && value.count == 0
        guard !isText, !isImplied, !isEmptyList else { continue }
        facts.insert("\(place).\(key)")
        walk(value, "\(place).\(key)")
      }
      if [.number, .bool, .null].contains(node.kind) { facts.insert("\(place) = \(node.sourceText)") }
    }
    for key in ["openapi", "paths", "components", "tags"] {
      if let node = document[key] { walk(node, key) }
    }
    return facts
  }

  private static func name(of element: JSONNode) -> String {
    element["name"]?.string ?? element["$ref"]?.string ?? element.string
      ?? element.members.map(\.key).sorted().joined(separator: ",")
  }
}

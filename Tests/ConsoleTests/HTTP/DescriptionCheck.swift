import HTTPTypes
import JSON
import OpenAPI
import Server
import Storage
import Support
import Testing

@testable import Console

/// Compares answers with the API description: every status, media type and shape that a test meets has to be in it.
enum DescriptionCheck {
  /// The description of the console's routes.
  static let description = (try? ConsoleHarness(storage: SQLiteStorage(path: nil))).map {
    APIDescription.document(of: $0.application.routes, version: "1")
  }
  static let document = description.flatMap { try? JSONDocument(parsing: $0.json) }?.root

  /// Records an issue if an answer of a route is not as described.
  static func hold(_ response: Response, of method: HTTPRequest.Method, body: [UInt8]) {
    guard let route = response.route, let document else { return }
    let place = "\(method.rawValue) \(route) \(response.status.code)"
    let operation = document["paths"]?[route]?[method.rawValue.lowercased()]
    guard let answer = operation?["responses"]?["\(response.status.code)"] else {
      Issue.record("\(place): not described")
      return
    }
    let type = response.headers[.contentType]?.split(separator: ";").first.map(String.init)
    guard let content = answer["content"] else {
      if !body.isEmpty { Issue.record("\(place): a body that is not described") }
      return
    }
    guard let type, let schema = content[type]?["schema"] else {
      Issue.record("\(place): \(type ?? "no media type") is not described")
      return
    }
    guard type.hasSuffix("json"), type != "application/x-ndjson" else { return }
    guard let value = (try? JSONDocument(parsing: body))?.root else {
      Issue.record("\(place): not JSON")
      return
    }
    let faults = JSONSchemaCheck(document: document).faults(of: value, against: schema)
    if !faults.isEmpty { Issue.record("\(place): \(faults)") }
  }
}

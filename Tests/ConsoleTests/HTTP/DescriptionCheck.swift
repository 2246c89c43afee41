import HTTPTypes
import JSON
import Server
import Support
import Testing

@testable import Console

/// Holds answers to the API description: every status, media type and shape that a test meets must stand in it.
enum DescriptionCheck {
  /// The document.
  static let document = (try? JSONDocument(parsing: Array(APIDescriptionText.document(version: "1").utf8)))?.root

  /// Records an issue for an answer of a route that is not as described.
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
    guard type.hasSuffix("json") else { return }
    guard let value = (try? JSONDocument(parsing: body))?.root else {
      Issue.record("\(place): no JSON")
      return
    }
    let faults = JSONSchemaCheck(document: document).faults(of: value, against: schema)
    if !faults.isEmpty { Issue.record("\(place): \(faults)") }
  }
}

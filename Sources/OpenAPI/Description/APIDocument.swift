package import HTTPTypes
import JSON

/// An OpenAPI 3.1 document of routes.
package struct APIDocument: Sendable {
  /// A group of operations.
  package struct Tag: Sendable {
    let name: String
    let description: String
    package init(_ name: String, _ description: String) { (self.name, self.description) = (name, description) }
  }

  /// A method by which a caller authenticates.
  package struct SecurityScheme: Sendable {
    let json: JSONTree

    /// `Authorization: Bearer`.
    package static func bearer(_ description: String) -> SecurityScheme {
      SecurityScheme(json: ["type": "http", "scheme": "bearer", "description": .string(description)])
    }

    /// A secret in a cookie or header.
    package static func apiKey(cookie name: String) -> SecurityScheme { apiKey(name, in: "cookie") }
    package static func apiKey(header name: String) -> SecurityScheme { apiKey(name, in: "header") }

    private static func apiKey(_ name: String, in place: String) -> SecurityScheme {
      SecurityScheme(json: ["type": "apiKey", "in": .string(place), "name": .string(name)])
    }
  }

  private struct Entry: Sendable {
    let method: HTTPRequest.Method
    let path: String
    let operation: Operation
  }

  private let info: JSONTree
  private let tags: [Tag]
  private let securitySchemes: [String: SecurityScheme]
  private var entries: [Entry] = []

  package init(
    title: String, version: String, summary: String, description: String, tags: [Tag],
    securitySchemes: [String: SecurityScheme]
  ) {
    info = [
      "title": .string(title), "version": .string(version), "summary": .string(summary), "description": .string(description),
    ]
    self.tags = tags
    self.securitySchemes = securitySchemes
  }

  /// Adds a route; the path has `{name}` for each variable.
  package mutating func add(_ method: HTTPRequest.Method, _ path: String, _ operation: Operation) {
    entries.append(Entry(method: method, path: path, operation: operation))
  }

  /// The document in JSON.
  package var json: [UInt8] {
    var paths: [String: JSONTree] = [:]
    var components = Components()
    for entry in entries {
      let operation = components.json(of: entry.operation, path: entry.path)
      paths[entry.path, default: [:]][entry.method.rawValue.lowercased()] = operation
    }
    let schemes = JSONTree(securitySchemes.mapValues(\.json))
    let document: JSONTree = [
      "openapi": "3.1.0", "info": info, "paths": JSONTree(paths), "components": components.json(securitySchemes: schemes),
      "tags": .array(tags.map { ["name": .string($0.name), "description": .string($0.description)] }),
    ]
    return document.sorted.bytes + [0x0A]
  }

  /// The faults of the document: invalid schemas, an id that two operations have, a name that two different parts have, a tag or
  /// security scheme that is not listed.
  package var faults: [String] {
    var components = Components()
    var faults: [String] = []
    var ids: Set<String> = []
    for entry in entries {
      _ = components.json(of: entry.operation, path: entry.path)
      let operation = entry.operation
      if !ids.insert(operation.id).inserted { faults.append("\(operation.id): the id is used twice") }
      if !tags.contains(where: { $0.name == operation.tag }) { faults.append("\(operation.id): no tag \(operation.tag)") }
      for scheme in operation.security.joined() where securitySchemes[scheme] == nil {
        faults.append("\(operation.id): no security scheme \(scheme)")
      }
      if Set(operation.responses.map(\.status)).count != operation.responses.count {
        faults.append("\(operation.id): a status is described twice")
      }
    }
    for tag in tags where !entries.contains(where: { $0.operation.tag == tag.name }) {
      faults.append("\(tag.name): the tag has no operation")
    }
    return faults + components.faults
  }
}

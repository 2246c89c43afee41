import Testing

@testable import OpenAPI

/// A small document for tests; the parts are JSON.
enum ContractSample {
  /// A document with the paths and components.
  static func contract(
    _ paths: String, components: String = "{}", version: String = "3.1.0", servers: String = "[]"
  ) throws(APIContractError) -> APIContract {
    try APIContract(
      parsing: Array(
        """
        {"openapi": "\(version)", "info": {"title": "Sample", "version": "7"}, "servers": \(servers), "paths": \(paths), \
        "components": \(components)}
        """.utf8))
  }

  /// A document with `GET /thing`, whose answer has the schema.
  static func answering(
    _ schema: String, components: String = "{}", version: String = "3.1.0"
  ) throws(APIContractError) -> APIContract {
    try contract(
      """
      {"/thing": {"get": {"operationId": "thing", "responses": {"200": {"description": "", "content": \
      {"application/json": {"schema": \(schema)}}}}}}}
      """, components: components, version: version)
  }

  /// A document with `POST /thing`, whose request has the schema.
  static func taking(_ schema: String, version: String = "3.1.0") throws(APIContractError) -> APIContract {
    try contract(
      """
      {"/thing": {"post": {"requestBody": {"required": true, "content": {"application/json": {"schema": \(schema)}}}, \
      "responses": {"204": {"description": ""}}}}}
      """, version: version)
  }

  static let json = [(name: "Content-Type", value: "application/json; charset=utf-8")]

  /// `GET /thing` with its answer.
  static func answer(_ body: String, status: Int = 200) -> ObservedExchange {
    ObservedExchange(
      method: "GET", path: "/thing", status: status, responseHeaders: json, responseBody: Array(body.utf8))
  }

  /// `POST /thing` with a body.
  static func call(_ body: String) -> ObservedExchange {
    ObservedExchange(
      method: "POST", path: "/thing", requestHeaders: json, requestBody: Array(body.utf8), status: 204)
  }
}

extension APIContract {
  /// The differences as lines: message, pointer, what was expected and what came.
  func lines(_ exchange: ObservedExchange) -> [String] {
    differences(in: exchange).map { "\($0.side) \($0.pointer): \($0.expected), \($0.got)" }
  }
}

import JSON

/// Writes operations and collects their shared parts, which the document lists once by name.
struct Components {
  private var schemas: [String: JSONTree] = [:]
  private var parameters: [String: JSONTree] = [:]
  private var responses: [String: JSONTree] = [:]
  /// Invalid schemas, and names that two different parts have.
  private(set) var faults: [String] = []

  /// The collected parts as JSON.
  func json(securitySchemes: JSONTree) -> JSONTree {
    let all: [String: JSONTree] = [
      "securitySchemes": securitySchemes, "schemas": JSONTree(schemas), "parameters": JSONTree(parameters),
      "responses": JSONTree(responses),
    ]
    return JSONTree(all.filter { !$0.value.members.isEmpty })
  }

  /// An operation as its path lists it.
  mutating func json(of operation: Operation, path: String) -> JSONTree {
    var members: JSONTree = [
      "operationId": .string(operation.id), "tags": [.string(operation.tag)], "summary": .string(operation.summary),
    ]
    if !operation.security.isEmpty {
      members["security"] = .array(
        operation.security.map { names in JSONTree(Dictionary(names.map { ($0, []) }) { first, _ in first }) })
    }
    let listed = Set(operation.parameters.lazy.filter { $0.place == .path }.map(\.name))
    let variables = path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    let parameters = variables.filter { !listed.contains($0) }.map { Parameter.path($0) } + operation.parameters
    members["parameters"] = .array(parameters.map { json(of: $0) })
    if let request = operation.request {
      let schema: JSONTree = ["schema": json(of: request.schema)]
      members["requestBody"] = [
        "required": .bool(request.isRequired),
        "content": JSONTree(Dictionary(request.mediaTypes.map { ($0, schema) }) { first, _ in first }),
      ]
    }
    var responses: [String: JSONTree] = [:]
    for response in operation.responses { responses[String(response.status)] = json(of: response) }
    members["responses"] = JSONTree(responses)
    return members
  }

  private mutating func json(of parameter: Parameter) -> JSONTree {
    var members: JSONTree = [
      "name": .string(parameter.name), "in": .string(parameter.place.rawValue), "required": .bool(parameter.isRequired),
      "schema": json(of: parameter.schema),
    ]
    if let description = parameter.description { members["description"] = .string(description) }
    guard let name = parameter.sharedName else { return members }
    Self.list(members, as: name, in: &parameters, &faults)
    return ["$ref": .string("#/components/parameters/\(name)")]
  }

  private mutating func json(of response: Operation.Response) -> JSONTree {
    var members: JSONTree = ["description": .string(response.description)]
    if let content = response.content {
      members["content"] = [content.mediaType: ["schema": json(of: content.schema)]]
    }
    if !response.headers.isEmpty {
      var headers: [String: JSONTree] = [:]
      for header in response.headers {
        headers[header.name] = ["required": true, "schema": json(of: header.schema)]
      }
      members["headers"] = JSONTree(headers)
    }
    guard let name = response.name else { return members }
    Self.list(members, as: name, in: &responses, &faults)
    return ["$ref": .string("#/components/responses/\(name)")]
  }

  private mutating func json(of schema: Schema) -> JSONTree {
    schema.forEach { part in
      switch part {
      case .shared(let name, let shared): Self.list(shared.json, as: name, in: &schemas, &faults)
      case .invalid(let reason): faults.append(reason)
      case .keywords, .array, .object, .allOf: break
      }
    }
    return schema.json
  }

  private static func list(_ json: JSONTree, as name: String, in names: inout [String: JSONTree], _ faults: inout [String]) {
    if let other = names[name], other != json { faults.append("\(name) names two different things") }
    names[name] = json
  }
}

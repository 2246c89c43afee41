/// Writes operations and gathers what they share, which the document lists once by name.
struct Components {
  private var schemas: [String: JSONValue] = [:]
  private var parameters: [String: JSONValue] = [:]
  private var responses: [String: JSONValue] = [:]
  /// Invalid schemas, and names that two different things have.
  private(set) var faults: [String] = []

  /// What was gathered so far.
  func json(securitySchemes: JSONValue) -> JSONValue {
    let all: [String: JSONValue] = [
      "securitySchemes": securitySchemes, "schemas": .object(schemas), "parameters": .object(parameters),
      "responses": .object(responses),
    ]
    return .object(all.filter { !$0.value.members.isEmpty })
  }

  /// An operation as its path lists it.
  mutating func json(of operation: Operation, path: String) -> JSONValue {
    var members: [String: JSONValue] = [
      "operationId": .string(operation.id), "tags": [.string(operation.tag)], "summary": .string(operation.summary),
    ]
    if !operation.security.isEmpty {
      members["security"] = .array(
        operation.security.map { names in .object(Dictionary(names.map { ($0, []) }) { first, _ in first }) })
    }
    let listed = Set(operation.parameters.lazy.filter { $0.place == .path }.map(\.name))
    let variables = path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    let parameters = variables.filter { !listed.contains($0) }.map { Parameter.path($0) } + operation.parameters
    members["parameters"] = .array(parameters.map { json(of: $0) })
    if let request = operation.request {
      let schema: JSONValue = ["schema": json(of: request.schema)]
      members["requestBody"] = [
        "required": .bool(request.isRequired),
        "content": .object(Dictionary(request.mediaTypes.map { ($0, schema) }) { first, _ in first }),
      ]
    }
    var responses: [String: JSONValue] = [:]
    for response in operation.responses { responses[String(response.status)] = json(of: response) }
    members["responses"] = .object(responses)
    return .object(members)
  }

  private mutating func json(of parameter: Parameter) -> JSONValue {
    var members: [String: JSONValue] = [
      "name": .string(parameter.name), "in": .string(parameter.place.rawValue), "required": .bool(parameter.isRequired),
      "schema": json(of: parameter.schema),
    ]
    if let description = parameter.description { members["description"] = .string(description) }
    guard let name = parameter.sharedName else { return .object(members) }
    Self.list(.object(members), as: name, in: &parameters, &faults)
    return ["$ref": .string("#/components/parameters/\(name)")]
  }

  private mutating func json(of response: Operation.Response) -> JSONValue {
    var members: [String: JSONValue] = ["description": .string(response.description)]
    if let content = response.content {
      members["content"] = [content.mediaType: ["schema": json(of: content.schema)]]
    }
    if !response.headers.isEmpty {
      var headers: [String: JSONValue] = [:]
      for header in response.headers {
        headers[header.name] = ["required": .bool(header.isRequired), "schema": json(of: header.schema)]
      }
      members["headers"] = .object(headers)
    }
    guard let name = response.name else { return .object(members) }
    Self.list(.object(members), as: name, in: &responses, &faults)
    return ["$ref": .string("#/components/responses/\(name)")]
  }

  private mutating func json(of schema: Schema) -> JSONValue {
    schema.forEach { part in
      switch part {
      case .shared(let name, let shared): Self.list(shared.json, as: name, in: &schemas, &faults)
      case .invalid(let reason): faults.append(reason)
      case .keywords, .array, .object, .allOf: break
      }
    }
    return schema.json
  }

  private static func list(_ json: JSONValue, as name: String, in names: inout [String: JSONValue], _ faults: inout [String]) {
    if let other = names[name], other != json { faults.append("\(name) names two different things") }
    names[name] = json
  }
}

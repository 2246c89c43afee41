import HTTPTypes
import JSON

/// The console's routes as OpenAPI 3.1, made of the descriptions beside it and held to the route table by the tests.
package enum APIDescriptionText {
  /// Every route that is described.
  static let operations =
    deviceOperations + loginOperations + accountOperations + cueOperations + networkOperations + faultOperations
    + exportOperations + backendOperations

  /// The document, JSON.
  package static func document(version: String) -> String {
    object([
      ("openapi", string("3.1.0")),
      (
        "info",
        object([
          ("title", string("Understudy console")), ("version", string(version)),
          ("summary", string("Devices that stand in for phones: sign-in, account, network log, faults.")),
          ("description", string(overview)),
        ])
      ), ("tags", array(tags.map { object([("name", string($0.name)), ("description", string($0.description))]) })),
      ("paths", paths),
      (
        "components",
        object([
          ("securitySchemes", security), ("schemas", schemas),
        ])
      ),
    ]) + "\n"
  }

  /// The codes that stand in the document, with the operations that answer them.
  package static var codes: [ProblemCode: Set<String>] {
    operations.reduce(into: [:]) { codes, operation in
      for code in operation.allCodes { codes[code, default: []].insert(operation.name) }
    }
  }

  private static let overview = """
    Every request must name an accepted host, else the answer is 421 without a body. Requests to /api carry no foreign Origin or \
    Sec-Fetch-Site, and a body is application/json. A method that a path does not take is answered 405 method_not_allowed with \
    Allow. Errors are RFC 9457 problem details; code is the stable word. Dates are RFC 3339 with milliseconds. Unknown members of \
    a body and unknown parameters are passed over.
    """

  private static let tags: [(name: String, description: String)] = [
    ("console", "The program itself."), ("devices", "Devices of a browser, their state and events."),
    ("login", "From an identifier to a session."), ("session", "Carrying a session on and ending it."),
    ("account", "Account, profiles, choices and deletion."),
    ("cues", "What the active profile learns, with and without the backend in reach."),
    ("network", "Every request of a device, and what happened to it."),
    ("faults", "What is broken on purpose between a device and its backend."),
    ("backend", "The embedded backend's inbox, clock and limits."),
  ]

  private static let security = #"""
    {"browser":{"type":"apiKey","in":"cookie","name":"understudy_<port>_<characters>"},\#
    "device":{"type":"apiKey","in":"header","name":"X-Device-Key"}}
    """#

  /// Made once, as a console may be put together more often.
  private static let paths: String = {
    var order: [String] = []
    var methods: [String: [(String, String)]] = [:]
    for operation in operations {
      if methods[operation.path] == nil { order.append(operation.path) }
      methods[operation.path, default: []].append((operation.method.rawValue.lowercased(), describe(operation)))
    }
    return object(order.map { ($0, object(methods[$0] ?? [])) })
  }()

  private static func describe(_ operation: OperationDescription) -> String {
    var members = [
      ("operationId", string(operation.name)), ("tags", array([string(operation.tag)])), ("summary", string(operation.summary)),
    ]
    switch operation.caller {
    case .anybody: break
    case .browser: members.append(("security", #"[{},{"browser":[]}]"#))
    case .device: members.append(("security", #"[{"browser":[],"device":[]}]"#))
    }
    members.append(("parameters", array(parameters(operation))))
    if let body = operation.body {
      let content = object([("application/json", object([("schema", body.json)]))])
      members.append(("requestBody", object([("required", "\(!operation.isBodyOptional)"), ("content", content)])))
    }
    members.append(("responses", object(responses(operation))))
    return object(members)
  }

  private static func parameters(_ operation: OperationDescription) -> [String] {
    let captures = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }.map { capture in
      object([
        ("name", string(String(capture.dropFirst().dropLast()))), ("in", string("path")), ("required", "true"),
        ("schema", Schema.text.json),
      ])
    }
    return captures
      + operation.query.map { parameter in
        object([
          ("name", string(parameter.name)), ("in", string("query")), ("description", string(parameter.description)),
          ("schema", parameter.schema.json),
        ])
      }
  }

  private static func responses(_ operation: OperationDescription) -> [(String, String)] {
    let good = operation.answers.map { answer in
      var members = [("description", string(answer.description))]
      if let content = answer.content {
        members.append(("content", object([(content.type, object([("schema", content.schema.json)]))])))
      }
      return ("\(answer.status)", object(members))
    }
    let statuses = Set(operation.allCodes.map(\.status)).sorted()
    return good
      + statuses.map { status in
        let codes = operation.allCodes.filter { $0.status == status }.map(\.code)
        let narrowed = object([("properties", object([("code", object([("enum", array(codes.map(string)))]))]))])
        let schema = object([("allOf", array([Schema.shared("Problem").json, narrowed]))])
        return (
          "\(status)",
          object([
            ("description", string(codes.joined(separator: ", "))),
            ("content", object([("application/problem+json", object([("schema", schema)]))])),
          ])
        )
      }
  }

  private static func object(_ members: [(String, String)]) -> String {
    "{" + members.map { "\(string($0.0)):\($0.1)" }.joined(separator: ",") + "}"
  }

  private static func array(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }

  /// A text as JSON; the texts are this module's own.
  static func string(_ text: String) -> String {
    String(decoding: (try? JSONCoding.encode(text)) ?? Array("\"\"".utf8), as: UTF8.self)
  }
}

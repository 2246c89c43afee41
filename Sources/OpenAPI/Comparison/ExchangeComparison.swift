import JSON

/// Compares one exchange with a document.
struct ExchangeComparison {
  /// The most differences of an exchange.
  private static let maximumDrifts = 50

  let tables: ContractTables
  let exchange: ObservedExchange
  private var operationName: String?
  private(set) var drifts: [Drift] = []
  /// The steps that are left for all parameters and headers together.
  var parameterWork = SchemaEvaluation.maximumWork

  init(_ tables: ContractTables, _ exchange: ObservedExchange) {
    self.tables = tables
    self.exchange = exchange
  }

  /// The differences.
  mutating func run() -> [Drift] {
    guard let match = tables.paths.match(exchange.path, method: exchange.method) else {
      add(.request, at: "operation", expected: "a documented path", got: "no such operation", kind: .undocumented)
      return drifts
    }
    guard let operations = tables.paths[match.path].operations else { return drifts }
    // HEAD is answered like GET, without the body (RFC 9110 §9.3.2).
    guard let number = operations[exchange.method] ?? (exchange.method == "HEAD" ? operations["GET"] : nil) else {
      let methods = operations.keys.sorted().joined(separator: " or ")
      add(
        .request, at: "operation", expected: "\(methods) \(tables.paths[match.path].template.source)", got: "another method",
        kind: .undocumented)
      return drifts
    }
    let operation = tables.operations[Int(number)]
    operationName = operation.name
    compareParameters(of: operation, variables: match.variables)
    compareRequestBody(operation)
    compareResponse(operation)
    return drifts
  }

  mutating func add(_ side: Drift.Side, at pointer: String, expected: String, got: String, kind: Drift.Kind = .invalid) {
    guard drifts.count < Self.maximumDrifts else { return }
    drifts.append(Drift(side, at: pointer, expected: expected, got: got, kind: kind, operation: operationName))
  }

  private mutating func compareRequestBody(_ operation: ContractOperation) {
    guard let bytes = exchange.requestBody else { return }
    guard let number = operation.requestBody else {
      if !bytes.isEmpty { add(.request, at: "", expected: "no body", got: "a body", kind: .undocumented) }
      return
    }
    let body = tables.requestBodies[Int(number)]
    if bytes.isEmpty {
      if body.isRequired { add(.request, at: "", expected: "a body of \(body.words)", got: "no body", kind: .missing) }
      return
    }
    compare(bytes, with: body, type: header("content-type", in: exchange.requestHeaders), side: .request)
  }

  private mutating func compareResponse(_ operation: ContractOperation) {
    // A 304 stands for the response that the client has; the document describes that one.
    guard let status = exchange.status, status >= 200, status != 304 else { return }
    guard let number = operation.response(for: status) else {
      add(.response, at: "status", expected: operation.statusWords, got: "undocumented status \(status)", kind: .undocumented)
      return
    }
    let response = tables.responses[Int(number)]
    for described in response.headers {
      let values = self.values(described.name, in: exchange.responseHeaders)
      compare(values, with: described, side: .response)
    }
    guard exchange.method != "HEAD", let bytes = exchange.responseBody else { return }
    // These have no content (RFC 9110 §15.3.5 and §15.3.6), whatever the document says.
    let hasNoContent = status == 204 || status == 205
    switch response.body {
    case .none:
      if !bytes.isEmpty { add(.response, at: "", expected: "no body", got: "a body", kind: .undocumented) }
    case .unspecified:
      if !bytes.isEmpty, hasNoContent { add(.response, at: "", expected: "no body", got: "a body", kind: .undocumented) }
    case .described(let body) where bytes.isEmpty:
      if !hasNoContent { add(.response, at: "", expected: "a body of \(body.words)", got: "no body", kind: .missing) }
    case .described(let body):
      compare(bytes, with: body, type: header("content-type", in: exchange.responseHeaders), side: .response)
    }
  }

  private mutating func compare(_ bytes: [UInt8], with body: ContractBody, type value: String?, side: Drift.Side) {
    guard !body.content.isEmpty else { return }
    var schema: SchemaID = -1
    if let value {
      let type = MediaType(value)
      guard let entry = body.entry(for: type) else {
        return add(side, at: "content-type", expected: body.words, got: type.shown, kind: .undocumented)
      }
      guard type.isJSON else { return }
      schema = entry.schema
    } else {
      add(side, at: "content-type", expected: body.words, got: "missing", kind: .missing)
      guard let entry = body.content.first(where: { $0.type.isJSON }) else { return }
      schema = entry.schema
    }
    let document: JSONDocument
    do {
      document = try JSONDocument(parsing: bytes)
    } catch {
      switch error.reason {
      // Not compared: nobody reads what is nested that deeply.
      case .tooDeep: break
      case .duplicateKey: add(side, at: "", expected: "JSON", got: "JSON with a repeated member")
      default: add(side, at: "", expected: "JSON", got: "invalid JSON")
      }
      return
    }
    guard schema >= 0 else { return }
    var evaluation = SchemaEvaluation(
      tables.program, JSONTokens(document), direction: side == .request ? .request : .response)
    _ = evaluation.evaluate(schema, 0)
    for finding in evaluation.findings {
      add(side, at: finding.pointer, expected: finding.expected, got: finding.got, kind: finding.kind)
    }
  }

  /// The first value of a header; nil if there is none.
  private func header(_ name: String, in lines: [(name: String, value: String)]) -> String? {
    lines.first { Self.isSameHeader($0.name, name) }?.value
  }

  /// The values of a header.
  func values(_ name: String, in lines: [(name: String, value: String)]) -> [String] {
    lines.filter { Self.isSameHeader($0.name, name) }.map(\.value)
  }

  /// Names of headers are ASCII and equal whatever their case (RFC 9110 §5.1).
  private static func isSameHeader(_ one: String, _ other: String) -> Bool {
    one.utf8.count == other.utf8.count && zip(one.utf8, other.utf8).allSatisfy { lowercase($0) == lowercase($1) }
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
}

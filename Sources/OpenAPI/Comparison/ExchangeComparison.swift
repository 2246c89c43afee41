import JSON
import Text

/// Compares one exchange with a document.
struct ExchangeComparison {
  /// The most differences of an exchange.
  private static let maximumDrifts = 50

  private let tables: ContractTables
  private let exchange: ObservedExchange
  private var drifts: [Drift] = []
  /// The steps that are left for all parameters and headers together.
  private var parameterWork = SchemaEvaluation.maximumWork

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
    guard let number = tables.operation(at: match.path, method: exchange.method) else {
      let methods = operations.keys.sorted().joined(separator: " or ")
      add(
        .request, at: "operation", expected: "\(methods) \(tables.paths[match.path].template.source)", got: "another method",
        kind: .undocumented)
      return drifts
    }
    let operation = tables.operations[number]
    compareParameters(of: operation, variables: match.variables)
    compareRequestBody(operation)
    compareResponse(operation)
    return drifts
  }

  private mutating func add(_ side: Drift.Side, at pointer: String, expected: String, got: String, kind: Drift.Kind = .invalid) {
    guard drifts.count < Self.maximumDrifts else { return }
    drifts.append(Drift(side, at: pointer, expected: expected, got: got, kind: kind))
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
    // A 304 stands for the client's stored response, which the document describes.
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
    // These have no content (RFC 9110 §15.3.5 and §15.3.6), regardless of the document.
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
      // Not compared: no client reads values at that depth.
      case .tooDeep: break
      case .duplicateKey: add(side, at: "", expected: "JSON", got: "JSON with a repeated member")
      default: add(side, at: "", expected: "JSON", got: "invalid JSON")
      }
      return
    }
    guard schema >= 0 else { return }
    var evaluation = SchemaEvaluation(
      tables.program, document, direction: side == .request ? .request : .response)
    evaluation.isMasked = exchange.isMasked
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
  private func values(_ name: String, in lines: [(name: String, value: String)]) -> [String] {
    lines.filter { Self.isSameHeader($0.name, name) }.map(\.value)
  }

  /// Names of headers are ASCII and equal whatever their case (RFC 9110 §5.1).
  private static func isSameHeader(_ one: String, _ other: String) -> Bool {
    one.utf8.count == other.utf8.count && zip(one.utf8, other.utf8).allSatisfy { ASCII.lowercased($0) == ASCII.lowercased($1) }
  }
}

extension ExchangeComparison {
  private mutating func compareParameters(of operation: ContractOperation, variables: [(name: String, value: String)]) {
    let pairs = exchange.query.map { QueryPairs.parse($0) } ?? []
    for number in operation.parameters {
      let parameter = tables.parameters[Int(number)]
      switch parameter.place {
      case .path: compare(variables.filter { $0.name == parameter.name }.map(\.value), with: parameter, side: .request)
      case .header: compare(values(parameter.name, in: exchange.requestHeaders), with: parameter, side: .request)
      case .query:
        guard let pairs else { continue }
        compare(pairs.filter { $0.0 == parameter.name }.map(\.1), with: parameter, side: .request)
      }
    }
    guard let pairs, !pairs.isEmpty, !operation.parameters.contains(where: { hasOpenNames(tables.parameters[Int($0)]) }) else {
      return
    }
    var seen: Set<String> = []
    for (name, _) in pairs where seen.insert(name).inserted {
      let isDescribed =
        tables.keyParameters.contains(name)
        || operation.parameters.contains {
          tables.parameters[Int($0)].place == .query && tables.parameters[Int($0)].name == name
        }
      if !isDescribed, exchange.isMasked?(name) != true {
        add(
          .request, at: "query:\(PlainName.shown(name))", expected: "no other parameters", got: "undocumented parameter",
          kind: .undocumented)
      }
    }
  }

  /// Whether a parameter allows query parameters of any name.
  private func hasOpenNames(_ parameter: ContractParameter) -> Bool {
    parameter.place == .query && (parameter.spreadsMembers || parameter.schema < 0)
  }

  /// Compares the values of a parameter, or of a header of the response.
  private mutating func compare(_ values: [String], with parameter: ContractParameter, side: Drift.Side) {
    let pointer = "\(parameter.place.rawValue):\(parameter.name)"
    guard let value = values.first else {
      if parameter.isRequired, !parameter.spreadsMembers {
        let words = parameter.schema >= 0 ? tables.program.words(of: parameter.schema) : "a value"
        add(side, at: pointer, expected: words, got: "missing", kind: .missing)
      }
      return
    }
    guard parameter.schema >= 0, !(parameter.allowsEmptyValue && value.isEmpty) else { return }
    if let isMasked = exchange.isMasked, values.contains(where: isMasked) { return }
    let kinds = tables.program.kinds(of: parameter.schema)
    var candidates: [[UInt8]] = []
    if kinds.contains(.array), !kinds.contains(.string) {
      candidates = [list(of: values, parameter)]
    } else if kinds.isSubset(of: [.object, .null]) {
      // The styles of objects are not compared.
      return
    } else {
      if let typed = Self.typed(value, kinds) { candidates.append(typed) }
      if kinds.contains(.string) || candidates.isEmpty { candidates.append(JSONStringText.quoted(value)) }
    }
    var findings: [SchemaEvaluation.Finding] = []
    for candidate in candidates {
      guard let document = try? JSONDocument(parsing: candidate) else { continue }
      var evaluation = SchemaEvaluation(tables.program, document)
      evaluation.work = parameterWork
      _ = evaluation.evaluate(parameter.schema, 0)
      parameterWork = evaluation.work
      if evaluation.findings.isEmpty { return }
      if findings.isEmpty { findings = evaluation.findings }
    }
    for finding in findings {
      add(side, at: pointer + finding.pointer, expected: finding.expected, got: finding.got, kind: finding.kind)
    }
  }

  /// The JSON of a text that is a number or Boolean; nil if it is neither or the schema accepts neither.
  private static func typed(_ text: String, _ kinds: JSONKinds) -> [UInt8]? {
    guard text.utf8.count <= 100, let first = text.utf8.first else { return nil }
    let isNumber = first == UInt8(ascii: "-") || ASCII.isDigit(first)
    let accepted: JSONKinds = isNumber ? [.number, .integer] : .boolean
    guard !kinds.isDisjoint(with: accepted), isNumber || text == "true" || text == "false" else { return nil }
    let bytes = Array(text.utf8)
    guard let document = try? JSONDocument(parsing: bytes), document.root.kind == .number || document.root.kind == .bool else {
      return nil
    }
    return bytes
  }

  /// The JSON array of a parameter with several values.
  private func list(of values: [String], _ parameter: ContractParameter) -> [UInt8] {
    var texts = values
    if case .separator(let separator) = parameter.separation {
      texts = values.flatMap { value in
        value.utf8.split(separator: separator, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
      }
      if parameter.place == .header { texts = texts.map { String($0.drop { $0 == " " }) } }
    }
    let kinds = tables.program.elementKinds(of: parameter.schema)
    let elements = texts.map { Self.typed($0, kinds) ?? JSONStringText.quoted($0) }
    return [UInt8(ascii: "[")] + Array(elements.joined(separator: [UInt8(ascii: ",")])) + [UInt8(ascii: "]")]
  }
}

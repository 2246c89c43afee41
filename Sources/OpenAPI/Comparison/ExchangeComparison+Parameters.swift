import JSON
import Text

extension ExchangeComparison {
  mutating func compareParameters(of operation: ContractOperation, variables: [(name: String, value: String)]) {
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
      if !isDescribed {
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
  mutating func compare(_ values: [String], with parameter: ContractParameter, side: Drift.Side) {
    let pointer = "\(parameter.place.rawValue):\(parameter.name)"
    guard let value = values.first else {
      if parameter.isRequired, !parameter.spreadsMembers {
        let words = parameter.schema >= 0 ? tables.program.words(of: parameter.schema) : "a value"
        add(side, at: pointer, expected: words, got: "missing", kind: .missing)
      }
      return
    }
    guard parameter.schema >= 0, !(parameter.allowsEmptyValue && value.isEmpty) else { return }
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
      var evaluation = SchemaEvaluation(tables.program, JSONTokens(document))
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

  /// The JSON of a text that is a number or Boolean; nil if it is none or the schema accepts none.
  private static func typed(_ text: String, _ kinds: JSONKinds) -> [UInt8]? {
    guard text.utf8.count <= 100, let first = text.utf8.first else { return nil }
    let isNumber = first == UInt8(ascii: "-") || first &- 0x30 < 10
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

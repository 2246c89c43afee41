import JSON

/// Compares two API descriptions in their meaning: what the earlier one promises has to hold in the later one.
///
/// References are followed, `allOf` is merged, and texts and order do not count. The later one may describe more: operations,
/// statuses and codes, and members of answers.
struct DescriptionComparison {
  private indirect enum Value: Hashable {
    case object([String: Value])
    case array([Value])
    case plain(String)

    subscript(key: String) -> Value? {
      guard case .object(let members) = self else { return nil }
      return members[key]
    }

    var elements: [Value] {
      guard case .array(let elements) = self else { return [] }
      return elements
    }
  }

  private(set) var differences: [String] = []

  /// Compares the paths of two documents.
  init(earlier: JSONNode, later: JSONNode) {
    guard let one = earlier["paths"], let other = later["paths"] else {
      differences = ["no paths"]
      return
    }
    compare(Self.value(one, in: earlier), Self.value(other, in: later), "")
    rejectClosedRequests(Self.value(other, in: later))
  }

  private mutating func compare(_ earlier: Value, _ later: Value, _ place: String) {
    switch (earlier, later) {
    case (.object(let members), .object(let others)):
      if members["properties"] != nil { compareRequired(members["required"], others["required"], "\(place).required") }
      for (key, value) in members.sorted(by: { $0.key < $1.key }) where !["description", "summary", "required"].contains(key) {
        guard let other = others[key] else {
          differences.append("\(place).\(key) is missing")
          continue
        }
        switch key {
        case "parameters": compareParameters(value, other, place)
        case "enum" where place.hasSuffix(".code"):
          for missing in Set(value.elements).subtracting(other.elements) { differences.append("\(place) lacks \(missing)") }
        case "enum": compareSets(value, other, "\(place).enum")
        default: compare(value, other, "\(place).\(key)")
        }
      }
    case (.array(let elements), .array(let others)) where elements.count == others.count:
      for (index, (one, other)) in zip(elements, others).enumerated() { compare(one, other, "\(place)[\(index)]") }
    default: if earlier != later { differences.append("\(place): \(earlier) became \(later)") }
    }
  }

  /// A response may promise more members, and a request may ask for fewer.
  private mutating func compareRequired(_ earlier: Value?, _ later: Value?, _ place: String) {
    let one = Set(earlier?.elements ?? [])
    let other = Set(later?.elements ?? [])
    let broken = place.contains(".responses.") ? one.subtracting(other) : other.subtracting(one)
    if !broken.isEmpty { differences.append("\(place): \(broken)") }
  }

  private mutating func compareSets(_ earlier: Value?, _ later: Value?, _ place: String) {
    let one = Set(earlier?.elements ?? [])
    let other = Set(later?.elements ?? [])
    if one != other { differences.append("\(place): \(one.symmetricDifference(other))") }
  }

  private mutating func compareParameters(_ earlier: Value, _ later: Value, _ place: String) {
    for parameter in earlier.elements {
      guard let other = later.elements.first(where: { $0["name"] == parameter["name"] && $0["in"] == parameter["in"] }) else {
        differences.append("\(place) lacks the parameter \(parameter)")
        continue
      }
      compare(parameter, other, "\(place).parameter")
    }
    for parameter in later.elements where parameter["required"] == .plain("true") {
      guard !earlier.elements.contains(where: { $0["name"] == parameter["name"] }) else { continue }
      differences.append("\(place) requires the parameter \(parameter)")
    }
  }

  /// A request ignores members that it does not know, so its schema must not forbid them.
  private mutating func rejectClosedRequests(_ paths: Value) {
    func isClosed(_ value: Value) -> Bool {
      switch value {
      case .object(let members): members["additionalProperties"] != nil || members.values.contains(where: isClosed)
      case .array(let elements): elements.contains(where: isClosed)
      case .plain: false
      }
    }
    guard case .object(let paths) = paths else { return }
    for (path, methods) in paths {
      guard case .object(let methods) = methods else { continue }
      for (method, operation) in methods where operation["requestBody"].map(isClosed) == true {
        differences.append("\(method) \(path): the body is closed")
      }
    }
  }

  // MARK: Normal form

  private static func value(_ node: JSONNode, in document: JSONNode) -> Value {
    if let reference = node["$ref"]?.string {
      let target = reference.dropFirst(2).split(separator: "/").reduce(Optional(document)) { $0?[String($1)] }
      return target.map { value($0, in: document) } ?? .plain(reference)
    }
    switch node.kind {
    case .object:
      var members = Dictionary(node.members.map { ($0.key, value($0.value, in: document)) }) { _, last in last }
      guard let parts = members.removeValue(forKey: "allOf") else { return .object(members) }
      return parts.elements.reduce(.object(members), merged)
    case .array: return .array(node.elements.map { value($0, in: document) })
    default: return .plain(node.string ?? node.sourceText)
    }
  }

  private static func merged(_ one: Value, _ other: Value) -> Value {
    guard case .object(let members) = one, case .object(let others) = other else { return other }
    return .object(
      members.merging(others.map { ($0.key, $0.value) }) { one, other in
        if case (.array(let one), .array(let other)) = (one, other), Set(one).isDisjoint(with: other) {
          return .array(one + other)
        }
        return merged(one, other)
      })
  }
}

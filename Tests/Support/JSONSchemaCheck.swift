import Foundation
package import JSON

/// Validates the part of JSON Schema 2020-12 that the API descriptions use; an unknown keyword is an error.
package struct JSONSchemaCheck: Sendable {
  /// The description, for `$ref`.
  package let document: JSONNode

  /// Creates a check against a description.
  package init(document: JSONNode) { self.document = document }

  /// The errors of a value, each with its path.
  package func faults(of value: JSONNode, against schema: JSONNode, at place: String = "$") -> [String] {
    schema.members.flatMap { keyword, rule -> [String] in
      switch keyword {
      case "$ref": resolve(rule).map { faults(of: value, against: $0, at: place) } ?? ["\(place): no \(rule.string ?? "")"]
      case "allOf": rule.elements.flatMap { faults(of: value, against: $0, at: place) }
      case "type": isType(value, rule) ? [] : ["\(place): not \(rule.sourceText)"]
      case "const": value.sourceText == rule.sourceText ? [] : ["\(place): not \(rule.sourceText)"]
      case "enum": rule.elements.contains { $0.sourceText == value.sourceText } ? [] : ["\(place): not in the enum"]
      case "required": rule.elements.compactMap { value[$0.string ?? ""] == nil ? "\(place): no \($0.sourceText)" : nil }
      case "properties":
        rule.members.flatMap { name, rule in
          value[name].map { faults(of: $0, against: rule, at: "\(place).\(name)") } ?? []
        }
      case "additionalProperties":
        value.members.compactMap { schema["properties"]?[$0.key] == nil ? "\(place): undescribed \($0.key)" : nil }
      case "items": value.elements.enumerated().flatMap { faults(of: $1, against: rule, at: "\(place)[\($0)]") }
      case "minimum": (value.int64 ?? .min) >= (rule.int64 ?? 0) ? [] : ["\(place): below \(rule.sourceText)"]
      case "maximum":
        (Double(value.sourceText) ?? .infinity) <= (Double(rule.sourceText) ?? 0) ? [] : ["\(place): above \(rule.sourceText)"]
      case "exclusiveMinimum":
        (Double(value.sourceText) ?? -.infinity) > (Double(rule.sourceText) ?? 0)
          ? [] : ["\(place): not above \(rule.sourceText)"]
      case "minLength":
        (value.string ?? "").unicodeScalars.count >= (rule.int64 ?? 0) ? [] : ["\(place): too short"]
      case "maxLength": (value.string ?? "").unicodeScalars.count <= (rule.int64 ?? 0) ? [] : ["\(place): too long"]
      case "minItems": value.elements.count >= (rule.int64 ?? 0) ? [] : ["\(place): too few"]
      case "maxItems": value.elements.count <= (rule.int64 ?? 0) ? [] : ["\(place): too many"]
      case "pattern": matches(value.string ?? "", rule.string ?? "") ? [] : ["\(place): not the pattern"]
      case "format": isFormat(value.string ?? "", rule.string ?? "") ? [] : ["\(place): no \(rule.sourceText)"]
      case "description": []
      default: ["\(place): the check does not know \(keyword)"]
      }
    }
  }

  /// Resolves a `$ref` within this document.
  package func resolve(_ reference: JSONNode) -> JSONNode? {
    guard let text = reference.string, text.hasPrefix("#/") else { return nil }
    return text.dropFirst(2).split(separator: "/").reduce(Optional(document)) { $0?[String($1)] }
  }

  private func isType(_ value: JSONNode, _ rule: JSONNode) -> Bool {
    let names = rule.kind == .array ? rule.elements.compactMap(\.string) : [rule.string ?? ""]
    return names.contains { name in
      switch name {
      case "object": value.kind == .object
      case "array": value.kind == .array
      case "string": value.kind == .string
      case "boolean": value.kind == .bool
      case "integer": value.int64 != nil
      case "number": value.kind == .number
      case "null": value.kind == .null
      default: false
      }
    }
  }

  private func matches(_ text: String, _ pattern: String) -> Bool {
    text.range(of: pattern, options: .regularExpression) != nil
  }

  private func isFormat(_ text: String, _ format: String) -> Bool {
    switch format {
    case "uuid": UUID(uuidString: text) != nil
    case "date-time": Timestamp(parsing: text) != nil
    default: false
    }
  }
}

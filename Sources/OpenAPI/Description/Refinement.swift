import JSON

/// A schema's restriction of a value beyond its type, such as a length or a range.
package struct Refinement: Sendable {
  fileprivate let keywords: [String: JSONTree]
  /// The types that the keywords apply to; empty for all.
  fileprivate let types: Set<String>

  /// A string of so many Unicode scalars.
  package static func length(_ range: ClosedRange<Int>) -> Refinement {
    Refinement(keywords: ["minLength": .number(range.lowerBound), "maxLength": .number(range.upperBound)], types: ["string"])
  }

  /// A string of at least so many Unicode scalars.
  package static func minimumLength(_ length: Int) -> Refinement {
    Refinement(keywords: ["minLength": .number(length)], types: ["string"])
  }

  /// A string of at most so many Unicode scalars.
  package static func maximumLength(_ length: Int) -> Refinement {
    Refinement(keywords: ["maxLength": .number(length)], types: ["string"])
  }

  /// An array of so many elements.
  package static func count(_ range: ClosedRange<Int>) -> Refinement {
    Refinement(keywords: ["minItems": .number(range.lowerBound), "maxItems": .number(range.upperBound)], types: ["array"])
  }

  /// A string that the regular expression (ECMA-262) matches.
  package static func pattern(_ pattern: String) -> Refinement {
    Refinement(keywords: ["pattern": .string(pattern)], types: ["string"])
  }

  /// A string of a format of JSON Schema, such as `uuid`.
  package static func format(_ format: String) -> Refinement {
    Refinement(keywords: ["format": .string(format)], types: ["string"])
  }

  package static let uuid = format("uuid")

  /// A number of the range.
  package static func range(_ range: ClosedRange<Int>) -> Refinement {
    Refinement(
      keywords: ["minimum": .number(range.lowerBound), "maximum": .number(range.upperBound)], types: ["integer", "number"])
  }

  /// A number of at least the minimum.
  package static func minimum(_ minimum: Int) -> Refinement {
    Refinement(keywords: ["minimum": .number(minimum)], types: ["integer", "number"])
  }

  /// A number greater than one and at most the other.
  package static func range(above minimum: Int, upTo maximum: Int) -> Refinement {
    Refinement(keywords: ["exclusiveMinimum": .number(minimum), "maximum": .number(maximum)], types: ["integer", "number"])
  }

  /// One of the strings.
  package static func oneOf(_ values: some Sequence<String>) -> Refinement {
    Refinement(keywords: ["enum": .array(values.map { .string($0) })], types: ["string"])
  }

  /// Exactly the text.
  package static func constant(_ text: String) -> Refinement {
    Refinement(keywords: ["const": .string(text)], types: ["string"])
  }

  /// Exactly the Boolean value.
  package static func constant(_ value: Bool) -> Refinement {
    Refinement(keywords: ["const": .bool(value)], types: ["boolean"])
  }

  /// The value or null.
  package static let nullable = Refinement(keywords: ["type": "null"], types: [])

  /// Explains the value in a sentence.
  package static func described(_ text: String) -> Refinement {
    Refinement(keywords: ["description": .string(text)], types: [])
  }

  /// Both of two refinements.
  package static func && (one: Refinement, other: Refinement) -> Refinement {
    let types = one.types.isEmpty ? other.types : other.types.isEmpty ? one.types : one.types.intersection(other.types)
    return Refinement(keywords: one.keywords.merging(other.keywords) { _, last in last }, types: types)
  }
}

extension Schema {
  /// The same schema with refinements of members by their path, such as `session.state`; `devices[]` is an array's element.
  ///
  /// The elements of arrays in a path are entered implicitly. A missing member makes the schema invalid.
  package func refined(_ refinements: KeyValuePairs<String, Refinement>) -> Schema {
    refinements.reduce(self) { schema, entry in
      schema.changing(Self.path(entry.key), entry.key) { $0.refined(by: entry.value) }
    }
  }

  /// The same schema with other schemas for members by their path.
  package func replacing(_ schemas: KeyValuePairs<String, Schema>) -> Schema {
    schemas.reduce(self) { schema, entry in schema.changing(Self.path(entry.key), entry.key) { _ in entry.value } }
  }

  /// The same object with some of its members only, of which some are required although the type does not require them.
  package func selecting(_ members: Set<String>, requiring required: Set<String> = []) -> Schema {
    guard case .object(var object) = self else { return .invalid("only an object has members") }
    let missing = members.union(required).subtracting(object.properties.keys)
    guard missing.isEmpty else { return .invalid("there is no member \(missing.sorted().joined(separator: ", "))") }
    object.properties = object.properties.filter { members.contains($0.key) }
    object.required = object.required.union(required).intersection(members)
    return .object(object)
  }

  /// A schema that accepts the same values as this one, if members also have these values; for schemas that are shared by name.
  package func narrowed(_ refinements: KeyValuePairs<String, Refinement>) -> Schema {
    let refined = refined(refinements)
    var faults: [Schema] = []
    refined.forEach { if case .invalid = $0 { faults.append($0) } }
    if let fault = faults.first { return fault }
    let narrowings = refinements.map { path, refinement in
      Self.path(path).reversed().reduce(Schema.keywords(refinement.keywords)) { schema, key in
        key == "[]" ? .keywords(["items": schema.json]) : .keywords(["properties": [key: schema.json]])
      }
    }
    return .allOf([self] + narrowings)
  }

  /// The same schema in which the members at the paths are always present.
  package func requiring(_ paths: [String]) -> Schema {
    paths.reduce(self) { schema, whole in
      var path = Self.path(whole)
      let key = path.removeLast()
      return schema.changing(path, whole) { parent in
        guard case .object(var object) = parent, object.properties[key] != nil else {
          return .invalid("there is no member \(whole)")
        }
        object.required.insert(key)
        return .object(object)
      }
    }
  }

  /// The schema with refinements of the value itself.
  package func refined(by refinement: Refinement) -> Schema {
    if case .array = self, refinement.types == ["array"] { return .allOf([self, .keywords(refinement.keywords)]) }
    guard case .keywords(var keywords) = self else { return .invalid("only a plain value has refinements") }
    guard case .string(let type) = keywords["type"] ?? "" else { return .invalid("the value is refined twice") }
    guard refinement.types.isEmpty || refinement.types.contains(type) else {
      return .invalid("\(refinement.keywords.keys.sorted().joined(separator: ", ")) does not fit \(type)")
    }
    var added = refinement.keywords
    if added.removeValue(forKey: "type") != nil { keywords["type"] = [.string(type), "null"] }
    return .keywords(keywords.merging(added) { _, last in last })
  }

  private static func path(_ text: String) -> [String] {
    text.replacing("[]", with: ".[]").split(separator: ".").map(String.init)
  }

  private func changing(_ path: [String], _ whole: String, _ change: (Schema) -> Schema) -> Schema {
    guard let key = path.first else { return change(self) }
    switch self {
    case .shared(let name, let schema): return .shared(name: name, schema.changing(path, whole, change))
    case .array(let element):
      return .array(element.changing(key == "[]" ? Array(path.dropFirst()) : path, whole, change))
    case .object(var object):
      guard let property = object.properties[key] else { return .invalid("there is no member \(whole)") }
      object.properties[key] = property.changing(Array(path.dropFirst()), whole, change)
      return .object(object)
    case .invalid: return self
    case .keywords, .allOf: return .invalid("there is no member \(whole)")
    }
  }
}

import FoundationEssentials
import JSON

/// A schema that is being recorded while a type decodes itself from, or encodes itself into, a recorder.
final class RecordedValue {
  private(set) var schema: Schema? {
    didSet { if let schema { onChange?(schema) } }
  }
  private var onChange: ((Schema) -> Void)?

  /// The schema of a type.
  static func schema<Value: Decodable>(of type: Value.Type) -> Schema {
    let value = RecordedValue()
    do {
      _ = try value.decodeMembers(type)
    } catch {
      value.schema = .invalid("\(type): \(error)")
    }
    return value.schema ?? .invalid("\(type) decodes nothing")
  }

  /// The schema of a type's encoded examples.
  static func schema<Value: Encodable>(ofExamples examples: [Value]) -> Schema {
    var merged: Schema.Object?
    for example in examples {
      let value = RecordedValue()
      do {
        try example.encode(to: RecordingEncoder(value: value))
      } catch {
        return .invalid("\(Value.self): \(error)")
      }
      guard case .object(let object) = value.schema else { return .invalid("\(Value.self) is not encoded as an object") }
      merged = merged.map { $0.merged(with: object) } ?? object
    }
    return merged.map { .object($0) } ?? .invalid("\(Value.self) has no example")
  }

  /// The schema of a value within another: that of its type, if the type can be decoded, else that of its encoded form.
  static func schema<Value: Encodable>(ofEncoded encoded: Value) throws -> Schema {
    if let type = Value.self as? any Decodable.Type { return Schema.of(type) }
    let value = RecordedValue()
    try encoded.encode(to: RecordingEncoder(value: value))
    return value.schema ?? .any
  }

  /// The schema of a type without an example value.
  static func schema<Value: Encodable>(ofEncodable type: Value.Type) -> Schema {
    guard let type = type as? any Decodable.Type else { return .invalid("\(type) has no example") }
    return Schema.of(type)
  }

  /// A fault of a type that cannot be recorded.
  struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  // MARK: Recording

  /// Sets the schema of a value that is neither object nor array.
  func set(_ schema: Schema) { self.schema = schema }

  /// Records that the value is an object; `onChange` is called with it now and after each new member.
  func beginObject(onChange: ((Schema) -> Void)? = nil) {
    if let onChange { self.onChange = onChange }
    if case .object = schema { return }
    schema = .object(Schema.Object())
  }

  /// Records a member of the object by the key that its type has for it.
  func setMember(_ key: any CodingKey, _ member: Schema, isRequired: Bool) {
    guard case .object(var object) = schema else { return }
    let name = MemberName.written(key)
    object.properties[name] = member
    if isRequired { object.required.insert(name) }
    schema = .object(object)
  }

  /// Records that the value is an array with such elements.
  func setElement(_ element: Schema) { schema = .array(element) }

  /// Records that the object may have members of any name.
  func allowAnyMember() {
    guard case .object(var object) = schema else { return }
    object.isClosed = false
    schema = .object(object)
  }

  /// Records a type and returns a value of it, with which its container continues.
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value = try decodeMembers(type)
    if let provider = type as? any SchemaProvider.Type { schema = provider.schema }
    return value
  }

  /// Records a value without asking the type for a schema of its own.
  private func decodeMembers<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let (leaf, value) = Self.leaf(type) {
      schema = leaf
      return value
    }
    return try Value(from: RecordingDecoder(value: self))
  }

  /// The schema and a value of a type that is neither object nor array.
  private static func leaf<Value>(_ type: Value.Type) -> (Schema, Value)? {
    let leaf: (Schema, Any)? =
      switch type {
      case is Bool.Type: (.boolean, false)
      case is String.Type: (.string, "")
      case is Double.Type: (.number, 0.0)
      case is Float.Type: (.number, Float(0))
      case is Date.Type: (.instant, Date(timeIntervalSince1970: 0))
      case is Timestamp.Type: (.instant, Timestamp(milliseconds: 0))
      case is ReceivedTimestamp.Type: (.instant, ReceivedTimestamp(Timestamp(milliseconds: 0)))
      default: nil
      }
    if let leaf { return (leaf.1 as? Value).map { (leaf.0, $0) } }
    if let integer = type as? any FixedWidthInteger.Type { return integerLeaf(integer) }
    if let words = type as? any CaseIterable.Type { return enumLeaf(words) }
    return nil
  }

  private static func integerLeaf<Number: FixedWidthInteger, Value>(_ type: Number.Type) -> (Schema, Value)? {
    (Number.zero as? Value).map { (Number.isSigned ? .integer : .integer.refined(by: .minimum(0)), $0) }
  }

  private static func enumLeaf<Words: CaseIterable, Value>(_ type: Words.Type) -> (Schema, Value)? {
    let words = type.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
    guard words.count == type.allCases.count, let first = type.allCases.first as? Value else { return nil }
    return (.string.refined(by: .oneOf(words)), first)
  }
}

extension Schema.Object {
  /// The members of either; those are required that are in both.
  fileprivate func merged(with other: Schema.Object) -> Schema.Object {
    Schema.Object(
      properties: properties.merging(other.properties) { one, other in
        guard case (.object(let one), .object(let other)) = (one, other) else { return one }
        return .object(one.merged(with: other))
      }, required: required.intersection(other.required), isClosed: isClosed && other.isClosed)
  }
}

/// The name of a member as the console and the backend write it.
enum MemberName {
  private struct Example: Encodable {
    struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }
    let key: String
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(true, forKey: Key(stringValue: key))
    }
  }

  /// The name under which the JSON coder writes a key, in snake_case.
  static func written(_ key: any CodingKey) -> String {
    guard key.stringValue.contains(where: \.isUppercase) else { return key.stringValue }
    let bytes = (try? JSONCoding.encode(Example(key: key.stringValue), keys: .snakeCase)) ?? []
    return (try? JSONDocument(parsing: bytes))?.root.members.first?.key ?? key.stringValue
  }
}

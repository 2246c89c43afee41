/// A JSON Schema as the API description writes it.
struct Schema: Sendable {
  /// The schema's own JSON.
  let json: String

  static let text = Schema(json: #"{"type":"string"}"#)
  static let uuid = Schema(json: #"{"type":"string","format":"uuid"}"#)
  static let flag = Schema(json: #"{"type":"boolean"}"#)
  static let yes = Schema(json: #"{"const":true}"#)
  static let anyObject = Schema(json: #"{"type":"object"}"#)
  static let instant = Schema.shared("Instant")

  /// A text of so many characters.
  static func text(_ length: ClosedRange<Int>) -> Schema {
    Schema(json: #"{"type":"string","minLength":\#(length.lowerBound),"maxLength":\#(length.upperBound)}"#)
  }

  /// A whole number from a minimum on.
  static func number(from minimum: Int) -> Schema { Schema(json: #"{"type":"integer","minimum":\#(minimum)}"#) }

  /// A whole number of a range.
  static func number(_ range: ClosedRange<Int>) -> Schema {
    Schema(json: #"{"type":"integer","minimum":\#(range.lowerBound),"maximum":\#(range.upperBound)}"#)
  }

  /// One of some words.
  static func word(_ words: String...) -> Schema {
    Schema(json: "{\"enum\":[\(words.map(APIDescriptionText.string).joined(separator: ","))]}")
  }

  /// The shared shape of that name.
  static func shared(_ name: String) -> Schema { Schema(json: "{\"$ref\":\"#/components/schemas/\(name)\"}") }

  /// An array of a shape.
  static func list(_ element: Schema) -> Schema { Schema(json: #"{"type":"array","items":\#(element.json)}"#) }

  /// An object as an answer has it: these members and no other.
  static func object(_ required: KeyValuePairs<String, Schema>, optional: KeyValuePairs<String, Schema> = [:]) -> Schema {
    members(Array(required), Array(optional), rest: #","additionalProperties":false"#)
  }

  /// An object as a body has it: other members are passed over.
  static func body(_ required: KeyValuePairs<String, Schema> = [:], optional: KeyValuePairs<String, Schema> = [:]) -> Schema {
    members(Array(required), Array(optional), rest: "")
  }

  /// A shape with more members than a shared one has.
  static func shared(_ name: String, with more: Schema) -> Schema {
    Schema(json: #"{"allOf":[\#(shared(name).json),\#(more.json)]}"#)
  }

  private static func members(
    _ required: [(key: String, value: Schema)], _ optional: [(key: String, value: Schema)], rest: String
  ) -> Schema {
    let names = required.map { APIDescriptionText.string($0.key) }.joined(separator: ",")
    let properties = (required + optional).map { "\(APIDescriptionText.string($0.key)):\($0.value.json)" }
    return Schema(json: #"{"type":"object","required":[\#(names)],"properties":{\#(properties.joined(separator: ","))}\#(rest)}"#)
  }
}

import FoundationEssentials

/// The phrases in which errors describe values and types.
package enum JSONPhrase {
  /// The found kind for a missing field.
  package static let nothing = "nothing"
  /// The found kind for an empty text where one must not be empty.
  static let emptyString = "an empty string"

  /// The expected kind of JSON for a type.
  package static func expected(_ type: Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Bool.Type: "a boolean"
    case is any FixedWidthInteger.Type: "an integer"
    case is any BinaryFloatingPoint.Type: "a number"
    case is Timestamp.Type, is ReceivedTimestamp.Type, is Date.Type: "a date"
    case is any JSONReadableList.Type: "an array"
    case is any RawRepresentable<String>.Type: "a string"
    default: "an object"
    }
  }
}

extension JSONNode.Kind {
  /// The kind with an article, such as `a string`.
  package var phrase: String {
    switch self {
    case .object: "an object"
    case .array: "an array"
    case .string: "a string"
    case .number: "a number"
    case .bool: "a boolean"
    case .null: "null"
    }
  }
}

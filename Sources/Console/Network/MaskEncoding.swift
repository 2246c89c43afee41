import JSON
import Text

/// Encodes a value for the place of its mask.
enum MaskEncoding {
  /// Within a JSON string, without the quotes.
  static func json(_ value: String) -> String {
    String(decoding: JSONStringText.quoted(value).dropFirst().dropLast(), as: UTF8.self)
  }

  /// Within a path or query.
  static func url(_ value: String) -> String { PercentCoding.encode(value) }
}

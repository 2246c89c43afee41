import JSON
import Text

/// How a secret is encoded in the place of its mask.
enum MaskEncoding {
  /// As it is.
  case plain
  /// Within a JSON string, without the quotes.
  case json
  /// Within a path or query.
  case url

  /// The secret as it stands in the text.
  func encode(_ value: String) -> String {
    switch self {
    case .plain: value
    case .json: String(decoding: JSONStringText.quoted(value).dropFirst().dropLast(), as: UTF8.self)
    case .url: PercentCoding.encode(value)
    }
  }
}

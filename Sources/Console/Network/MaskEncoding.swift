import Client
import JSON
import Observability
import Redaction
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

/// Puts secrets in the place of the masks in a rule's texts.
struct MaskFilling {
  private let secrets: SecretRegistry
  /// The texts of the rule that is changed, as written, with their secrets.
  private let kept: [String: String]

  /// `rule` is the rule that is changed: a text that is written as before keeps its secrets, even if they are no longer known.
  init(_ secrets: SecretRegistry, changing rule: FaultRule? = nil) {
    self.secrets = secrets
    kept = Dictionary((rule?.texts ?? []).map { ($0.written, $0.value) }) { first, _ in first }
  }

  /// The text with its secrets; throws `not_replayable` with the field if one is not known.
  func text(_ written: String, _ encoding: MaskEncoding, field: String) throws(Problem) -> FaultText {
    guard let value = secrets.refill(written, encode: encoding.encode) ?? kept[written] else {
      throw .maskNotHeld(field: field)
    }
    return FaultText(written, value: value)
  }
}

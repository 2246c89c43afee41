import Client
import JSON
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

  /// The text with its secrets.
  ///
  /// Throws `not_replayable` with the field if a secret is unknown, or `invalid_request` with a title if the text is not
  /// acceptable.
  func fill(
    _ text: FaultText, _ encoding: MaskEncoding, _ field: String, else title: String, _ isAcceptable: (String) -> Bool
  ) throws(Problem) -> FaultText {
    guard let value = secrets.refill(text.written, encode: encoding.encode) ?? kept[text.written] else {
      throw .maskNotHeld(field: field)
    }
    guard isAcceptable(value) else { throw .invalidRequest(title, field: field) }
    return FaultText(text.written, value: value)
  }

  /// The same for an optional text.
  func fill(
    _ text: FaultText?, _ encoding: MaskEncoding, _ field: String, else title: String, _ isAcceptable: (String) -> Bool
  ) throws(Problem) -> FaultText? {
    guard let text else { return nil }
    let filled: FaultText = try fill(text, encoding, field, else: title, isAcceptable)
    return filled
  }
}

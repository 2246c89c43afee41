import Redaction
import Text

/// Redacts differences: the pointers contain names of members, which can be secrets.
struct DriftRedaction {
  /// The longest pointer and the longest text to store, in bytes; a longer one is cut.
  private static let limit = 300
  /// The longest name that is shown of a body that may not be stored, in bytes: no token or code fits this limit and that of the
  /// digits.
  private static let nameLimit = 40
  /// The most digits of such a name.
  private static let digitLimit = 4

  /// Knows the secrets of the device.
  let redactor: Redactor
  /// Determines which bodies may be stored.
  let endpoint: EndpointTraits
  /// Whether the API description has a name, which is no secret then.
  let declares: @Sendable (String) -> Bool

  /// The difference with secrets masked.
  func redact(_ drift: NetworkDrift) -> NetworkDrift {
    let isKept =
      drift.side == .request ? endpoint.logsRequestBody : endpoint.logsResponseBody && !endpoint.masksResponseValues
    var redacted = drift
    redacted.pointer = Self.cut(
      drift.pointer.split(separator: "/", omittingEmptySubsequences: false)
        .map { name($0, isKept: isKept) }.joined(separator: "/"))
    redacted.expected = text(drift.expected)
    redacted.got = text(drift.got)
    return redacted
  }

  /// A name of a pointer, which is masked without its escapes (RFC 6901 §3).
  private func name(_ part: Substring, isKept: Bool) -> String {
    guard !part.isEmpty else { return "" }
    let name = part.replacing("~1", with: "/").replacing("~0", with: "~")
    let parameter = ["query:", "header:", "path:"].first { name.hasPrefix($0) }.map { name.dropFirst($0.count) }
    if declares(String(parameter ?? name)) { return String(part) }
    // Login codes are masked whatever the call, as in exports.
    let masked = redactor.redact(text: String(name), context: .authentication)
    let shown = isKept || !masked.counts.isEmpty || Self.isPlain(name) ? masked.text : "?"
    return shown.replacing("~", with: "~0").replacing("/", with: "~1")
  }

  private func text(_ text: String) -> String { Self.cut(redactor.redact(text: text, context: .authentication).text) }

  private static func isPlain(_ name: Substring) -> Bool {
    let digits = name.utf8.count { ASCII.isDigit($0) }
    let letters = name.utf8.count { ASCII.isLetter($0) || [0x5F, 0x2D, 0x3A].contains($0) }
    return digits + letters == name.utf8.count && digits <= digitLimit && name.utf8.count <= nameLimit || name == "*"
  }

  private static func cut(_ text: String) -> String {
    text.utf8.count <= limit ? text : String(decoding: text.utf8.prefix(limit), as: UTF8.self) + "…"
  }
}

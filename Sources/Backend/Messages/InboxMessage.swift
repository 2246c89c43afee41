package import JSON

/// A message as its recipient receives it. Link and code are live secrets: only developers may see them, and logs never contain
/// them.
package struct InboxMessage: Codable, Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  package enum Kind: String, Codable, Sendable {
    /// A link and a code.
    case magicLink = "magic_link"
    /// A code only.
    case loginCode = "login_code"
  }

  package let id: String
  /// The normalized email address or phone number.
  package let to: String
  package let kind: Kind
  package let subject: String
  /// The body of the message.
  package let text: String
  /// The link; nil for `loginCode`.
  package let link: String?
  package let code: String?
  /// When the message was sent, on the backend's clock.
  package let deliveredAt: Timestamp
  /// When link and code expire.
  package let expiresAt: Timestamp

  enum CodingKeys: String, CodingKey {
    case id, to, kind, subject, text, link, code
    case deliveredAt = "delivered_at"
    case expiresAt = "expires_at"
  }

  /// The kind only, because the rest is secret.
  package var description: String { "InboxMessage(\(kind.rawValue))" }
  package var customMirror: Mirror { Mirror(self, children: ["kind": kind.rawValue]) }

  /// Writes the message for a link, a code or both.
  init(id: String, to: String, link: String?, code: String?, deliveredAt: Timestamp, expiresAt: Timestamp) {
    self.id = id
    self.to = to
    self.link = link
    self.code = code
    self.deliveredAt = deliveredAt
    self.expiresAt = expiresAt
    kind = link == nil ? .loginCode : .magicLink
    subject = link == nil ? "Your sign-in code" : "Your sign-in link"
    var lines: [String] = []
    if let link { lines.append("Open this link to sign in:\n\(link)") }
    if let code { lines.append("\(link == nil ? "Your code is" : "Or enter the code") \(code)") }
    lines.append("It works once and for 10 minutes. If you did not ask for it, ignore this message.")
    text = lines.joined(separator: "\n\n")
  }
}

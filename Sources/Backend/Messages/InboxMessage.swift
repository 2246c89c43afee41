package import JSON

/// A message as its receiver would see it; link and code are live secrets, so it is shown to developers only and never logged.
package struct InboxMessage: Codable, Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  /// What was asked for.
  package enum Kind: String, Codable, Sendable {
    /// A link, with a code beside it.
    case magicLink = "magic_link"
    /// A code alone.
    case loginCode = "login_code"
  }

  /// A UUID.
  package let id: String
  /// The normalized address or number.
  package let to: String
  /// What was asked for.
  package let kind: Kind
  /// One line.
  package let subject: String
  /// The whole message.
  package let text: String
  /// The link; nil for a code alone.
  package let link: String?
  /// The code beside it.
  package let code: String?
  /// When it was sent, by the backend's clock.
  package let deliveredAt: Timestamp
  /// When link and code end.
  package let expiresAt: Timestamp

  /// The contract's names.
  enum CodingKeys: String, CodingKey {
    case id, to, kind, subject, text, link, code
    case deliveredAt = "delivered_at"
    case expiresAt = "expires_at"
  }

  /// The kind alone: what is in it is secret.
  package var description: String { "InboxMessage(\(kind.rawValue))" }
  /// A mirror without secrets.
  package var customMirror: Mirror { Mirror(self, children: ["kind": kind.rawValue]) }

  /// Composes the message of a link, a code or both.
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

package import Redaction

/// A value that the client supplies to templates.
package enum FlowValue: String, CaseIterable, Sendable {
  case identifier, password, code, token, state
  case deviceID = "device_id"
  case requestID = "request_id"
  case idempotencyKey = "idempotency_key"
  case accessToken = "access_token"
  case refreshToken = "refresh_token"

  /// The beginning of the name of a parameter of a sign-in link: `link.code`.
  package static let linkPrefix = "link."

  /// The values of the contract's responses, which later requests may use without a capture.
  package static let account = [
    "session_id", "user_id", "account_id", "email", "phone", "display_name", "profile_id", "active_profile_id",
  ]

  /// Values that a call may lack: a pair of a query or a form, or a member of JSON, that consists of one is then left out.
  package static let optional: Set<String> = [FlowValue.state.rawValue, "updated_since"]

  /// Whether a value is known only while the user signs in, because it is never stored.
  package static func isMomentary(_ name: String) -> Bool {
    name.hasPrefix(linkPrefix) || [password, code, token, state].contains { $0.rawValue == name }
  }

  /// The kind of a value's mask; nil if the value may be shown. A value that a file captures under its own name is a token.
  package static func secretKind(_ name: String) -> SecretKind? {
    switch FlowValue(rawValue: name) {
    case .identifier: .identifier
    case .password: .key
    case .code: .code
    case .token, .state, .accessToken, .refreshToken: .token
    case .deviceID, .requestID, .idempotencyKey: nil
    case nil:
      switch name {
      case "email": .email
      case "phone": .phone
      // For many backends, it is the cookie or header that authenticates a request.
      case "session_id": .token
      default: AnswerField.names.contains(name) || CallName.allCases.contains { $0.arguments.contains(name) } ? nil : .token
      }
    }
  }
}

/// A value that must be masked wherever it occurs.
package struct SecretValue: Hashable, Sendable {
  /// The name of the value, or of the user's secret.
  package let name: String
  package let value: String
  package let kind: SecretKind
}

/// A field of the sign-in page.
package enum SignInField: String, CaseIterable, Sendable {
  case identifier, password, code
  /// A sign-in link, which the user follows or pastes.
  case link

  /// The field that supplies a value; nil if the user is not asked for it.
  package init?(value name: String) {
    if name.hasPrefix(FlowValue.linkPrefix) || name == FlowValue.token.rawValue {
      self = .link
    } else if let field = SignInField(rawValue: name), field != .link {
      self = field
    } else {
      return nil
    }
  }
}

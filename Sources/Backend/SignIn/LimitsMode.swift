/// How often a message may be sent to one identifier (contract §3), the same whether it has an account or not.
package enum LimitsMode: String, Encodable, Sendable, CaseIterable {
  /// 60 s apart and 5 an hour.
  case prod
  /// 5 s apart.
  case relaxed
  /// No limit.
  case off

  /// The least time between two messages, in milliseconds.
  var spacing: Int64 {
    switch self {
    case .prod: 60_000
    case .relaxed: 5_000
    case .off: 0
    }
  }

  /// How many messages an hour carries; nil for any number.
  var hourlyCap: Int? { self == .prod ? SendLimit.remembered : nil }

  /// The cooldown that `app_config` tells, in seconds.
  var cooldownSeconds: Int { Int(spacing / 1000) }
}

/// Who may sign in.
package enum RegistrationMode: String, Sendable, CaseIterable {
  /// Any valid identifier: its first redemption makes the account.
  case open
  /// Identifiers that have an account; others get the same answer and no message.
  case closed
}

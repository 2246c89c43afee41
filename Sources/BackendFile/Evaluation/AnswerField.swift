import JSON

/// A field of the contract's response to a call.
struct AnswerField: Hashable, Sendable {
  /// How a member is read.
  enum Kind: Hashable, Sendable {
    /// A text; a number becomes one.
    case text
    /// Any JSON, as it is.
    case value
  }

  let name: String
  let kind: Kind
  /// The names under which it is found without a capture.
  let usualNames: [String]

  init(_ name: String, _ kind: Kind = .value, or others: [String] = []) {
    self.name = name
    self.kind = kind
    let camel = SnakeCase.property(name)
    usualNames = [name] + (camel == name ? [] : [camel]) + others
  }
}

extension AnswerField {
  static let tokens = [
    AnswerField("access_token", .text, or: ["token", "access"]), AnswerField("refresh_token", .text, or: ["refresh"]),
    AnswerField("token_type", .text), AnswerField("session_id", .text), AnswerField("profile"),
  ]

  /// The fields with the lifetimes of the access token and the refresh token; `TokenLifetime` reads them.
  static let lifetimes = [
    "expires_in", "expires_in_ms", "expires_at", "refresh_expires_in", "refresh_expires_in_ms", "refresh_expires_at",
  ].map { AnswerField($0) }

  static let account = [
    AnswerField("user_id", .text, or: ["id", "sub", "pk"]), AnswerField("account_id", .text), AnswerField("email", .text),
    AnswerField("phone", .text), AnswerField("display_name", .text, or: ["name"]), AnswerField("roles"),
    AnswerField("active_profile_id", .text), AnswerField("profiles"), AnswerField("created_at"),
    AnswerField("deletion_scheduled_for"), AnswerField("analytics_opted_in"), AnswerField("analytics_opt_in"),
    AnswerField("metadata"),
  ]

  static let profile = [
    AnswerField("profile_id", .text, or: ["id", "pk"]), AnswerField("language_code", .text),
    AnswerField("display_name", .text, or: ["name"]), AnswerField("created_at"),
  ]

  static let cue = [
    AnswerField("cue_id", .text, or: ["id", "pk"]), AnswerField("profile_id", .text), AnswerField("prompt", .text),
    AnswerField("answer", .text), AnswerField("stage", .text), AnswerField("position"), AnswerField("updated_at"),
  ]

  static let names = Set(
    (tokens + lifetimes + account + profile + cue + CallName.allCases.flatMap(\.answer)).map(\.name))
}

extension CallName {
  /// The fields of the contract's response; those of a login include its lifetimes.
  var answer: [AnswerField] {
    switch self {
    case .requestMagicLink, .requestLoginCode: ["cooldown_seconds", "expires_in_seconds"].map { AnswerField($0) }
    case .loginWithMagicToken, .loginWithCode, .loginWithPassword, .refreshTokens: AnswerField.tokens + AnswerField.lifetimes
    case .me: AnswerField.account
    case .appConfig:
      ["default_language_code", "supported_languages", "features", "auth", "network_log", "session"].map { AnswerField($0) }
    case .getOrCreateAccountProfile, .setActiveProfile: AnswerField.profile
    case .requestAccountDeletion: ["status", "scheduled_for"].map { AnswerField($0) }
    case .getCues: ["cues", "server_time"].map { AnswerField($0) }
    case .shuffleCues: [AnswerField("cues")]
    case .updateCueStage: AnswerField.cue
    case .logout: []
    }
  }
}

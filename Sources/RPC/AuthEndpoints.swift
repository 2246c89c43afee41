package import HTTPTypes
package import JSON

/// The login, refresh and logout calls, with the JSON that they exchange (contract §3).
package enum AuthEndpoints {
  /// `POST /rpc/request_magic_link`: sends a link to whoever owns the identifier.
  package struct RequestMagicLink: APIEndpoint {
    package typealias RequestBody = MagicLinkRequest
    package typealias ResponseBody = LoginMessageReceipt
    package static let path = "/rpc/request_magic_link"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = false
    package static let loggableBodies: LoggableBodies = .response
    /// Makes the call.
    package init() {}
  }

  /// `POST /rpc/request_login_code`: sends a code to whoever owns the identifier.
  package struct RequestLoginCode: APIEndpoint {
    package typealias RequestBody = LoginCodeRequest
    package typealias ResponseBody = LoginMessageReceipt
    package static let path = "/rpc/request_login_code"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = false
    package static let loggableBodies: LoggableBodies = .response
    /// Makes the call.
    package init() {}
  }

  /// `POST /rpc/login_with_magic_token`: redeems a link's token.
  package struct LoginWithMagicToken: APIEndpoint {
    package typealias RequestBody = MagicTokenRedemption
    package typealias ResponseBody = TokenPair
    package static let path = "/rpc/login_with_magic_token"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = false
    /// Makes the call.
    package init() {}
  }

  /// `POST /rpc/login_with_code`: redeems a code.
  package struct LoginWithCode: APIEndpoint {
    package typealias RequestBody = CodeRedemption
    package typealias ResponseBody = TokenPair
    package static let path = "/rpc/login_with_code"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = false
    /// Makes the call.
    package init() {}
  }

  /// `POST /rpc/refresh_tokens`: exchanges the refresh token for a new pair; the old one is spent.
  package struct RefreshTokens: APIEndpoint {
    package typealias RequestBody = RefreshRequest
    package typealias ResponseBody = TokenPair
    package static let path = "/rpc/refresh_tokens"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = false
    /// Makes the call.
    package init() {}
  }

  /// `POST /app/api/logout`: tells the backend that the session is over.
  package struct Logout: APIEndpoint {
    package typealias RequestBody = NoBody
    package typealias ResponseBody = NoBody
    package static let path = "/app/api/logout"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = true
    /// Makes the call.
    package init() {}
  }
}

/// `{identifier, state?}`.
package struct MagicLinkRequest: Codable, Hashable, Sendable {
  package let identifier: String
  package let state: String?
  /// Makes the body of its parts.
  package init(identifier: String, state: String?) {
    self.identifier = identifier
    self.state = state
  }
}

/// `{identifier}`.
package struct LoginCodeRequest: Codable, Hashable, Sendable {
  package let identifier: String
  /// Makes the body of its part.
  package init(identifier: String) { self.identifier = identifier }
}

/// `{cooldown_seconds, expires_in_seconds}`.
package struct LoginMessageReceipt: Codable, Hashable, Sendable {
  package let cooldownSeconds: Int
  package let expiresInSeconds: Int
  /// Makes the body of its parts.
  package init(cooldownSeconds: Int, expiresInSeconds: Int) {
    self.cooldownSeconds = cooldownSeconds
    self.expiresInSeconds = expiresInSeconds
  }
  enum CodingKeys: String, CodingKey {
    case cooldownSeconds = "cooldown_seconds"
    case expiresInSeconds = "expires_in_seconds"
  }
}

/// `{token, state?}`.
package struct MagicTokenRedemption: Codable, Hashable, Sendable {
  package let token: String
  package let state: String?
  /// Makes the body of its parts.
  package init(token: String, state: String?) {
    self.token = token
    self.state = state
  }
}

/// `{identifier, code}`.
package struct CodeRedemption: Codable, Hashable, Sendable {
  package let identifier: String
  package let code: String
  /// Makes the body of its parts.
  package init(identifier: String, code: String) {
    self.identifier = identifier
    self.code = code
  }
}

/// `{refresh_token}`.
package struct RefreshRequest: Codable, Hashable, Sendable {
  package let refreshToken: String
  /// Makes the body of its part.
  package init(refreshToken: String) { self.refreshToken = refreshToken }
  enum CodingKeys: String, CodingKey { case refreshToken = "refresh_token" }
}

/// A session's tokens as every login and refresh answers them; lifetimes in seconds.
package struct TokenPair: Codable, Hashable, Sendable {
  package let accessToken: String
  package let refreshToken: String
  package let tokenType: String
  package let expiresIn: Int
  package let expiresAt: Timestamp
  package let refreshExpiresIn: Int
  package let refreshExpiresAt: Timestamp
  package let sessionID: String
  package let profile: ProfileBody?

  /// Makes the body of its parts.
  package init(
    accessToken: String, refreshToken: String, tokenType: String = "Bearer", expiresIn: Int, expiresAt: Timestamp,
    refreshExpiresIn: Int, refreshExpiresAt: Timestamp, sessionID: String, profile: ProfileBody?
  ) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.tokenType = tokenType
    self.expiresIn = expiresIn
    self.expiresAt = expiresAt
    self.refreshExpiresIn = refreshExpiresIn
    self.refreshExpiresAt = refreshExpiresAt
    self.sessionID = sessionID
    self.profile = profile
  }

  enum CodingKeys: String, CodingKey {
    case accessToken = "access_token"
    case refreshToken = "refresh_token"
    case tokenType = "token_type"
    case expiresIn = "expires_in"
    case expiresAt = "expires_at"
    case refreshExpiresIn = "refresh_expires_in"
    case refreshExpiresAt = "refresh_expires_at"
    case sessionID = "session_id"
    case profile
  }
}

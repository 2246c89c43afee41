package import HTTPTypes
package import JSON

/// The login, refresh and logout endpoints and the JSON that they exchange; the console never replays them.
package enum AuthEndpoints {
  package static let all: [any APIEndpoint.Type] = [
    RequestMagicLink.self, RequestLoginCode.self, LoginWithMagicToken.self, LoginWithCode.self, RefreshTokens.self,
    AppRefreshToken.self, Logout.self,
  ]

  /// `POST /rpc/request_magic_link`: sends a sign-in link and a code to the identifier.
  package struct RequestMagicLink: APIEndpoint {
    package typealias RequestBody = MagicLinkRequest
    package typealias ResponseBody = LoginMessageReceipt
    package static let path = "/rpc/request_magic_link"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = false
    package static let loggableBodies: LoggableBodies = .response
    package init() {}
  }

  /// `POST /rpc/request_login_code`: sends a sign-in code to the identifier.
  package struct RequestLoginCode: APIEndpoint {
    package typealias RequestBody = LoginCodeRequest
    package typealias ResponseBody = LoginMessageReceipt
    package static let path = "/rpc/request_login_code"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = false
    package static let loggableBodies: LoggableBodies = .response
    package init() {}
  }

  /// `POST /rpc/login_with_magic_token`: redeems the token of a link.
  package struct LoginWithMagicToken: APIEndpoint {
    package typealias RequestBody = MagicTokenRedemption
    package typealias ResponseBody = TokenPair
    package static let path = "/rpc/login_with_magic_token"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = false
    package static let loggableBodies: LoggableBodies = .maskedResponse
    package init() {}
  }

  /// `POST /rpc/login_with_code`: redeems a code.
  package struct LoginWithCode: APIEndpoint {
    package typealias RequestBody = CodeRedemption
    package typealias ResponseBody = TokenPair
    package static let path = "/rpc/login_with_code"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = false
    package static let loggableBodies: LoggableBodies = .maskedResponse
    package init() {}
  }

  /// Signs in with a password; only backend files have it, so this path is never sent, and is not in `all`.
  package struct LoginWithPassword: APIEndpoint {
    package typealias RequestBody = PasswordRedemption
    package typealias ResponseBody = TokenPair
    package static let path = "/rpc/login_with_password"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = false
    package static let loggableBodies: LoggableBodies = .maskedResponse
    package init() {}
  }

  /// `POST /rpc/refresh_tokens`: exchanges the refresh token for a new token pair.
  package struct RefreshTokens: APIEndpoint {
    package typealias RequestBody = RefreshRequest
    package typealias ResponseBody = TokenPair
    package static let path = "/rpc/refresh_tokens"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = false
    package static let loggableBodies: LoggableBodies = .maskedResponse
    package init() {}
  }

  /// `POST /app/api/refresh-token`: the same as `RefreshTokens`, in the `/app/api` dialect (seed-rules C-25 "refresh-token").
  package struct AppRefreshToken: APIEndpoint {
    package typealias RequestBody = RefreshRequest
    package typealias ResponseBody = TokenPair
    package static let path = "/app/api/refresh-token"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = false
    package static let loggableBodies: LoggableBodies = .maskedResponse
  }

  /// `POST /app/api/logout`: ends the session.
  package struct Logout: APIEndpoint {
    package typealias RequestBody = NoBody
    package typealias ResponseBody = NoBody
    package static let path = "/app/api/logout"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = true
    package static let loggableBodies: LoggableBodies = .maskedResponse
    package init() {}
  }
}

/// The body of `POST /rpc/request_magic_link`; `state` comes back in the link.
package struct MagicLinkRequest: Codable, Hashable, Sendable {
  package let identifier: String
  package let state: String?
  package init(identifier: String, state: String?) {
    self.identifier = identifier
    self.state = state
  }
}

/// The body of `POST /rpc/request_login_code`.
package struct LoginCodeRequest: Codable, Hashable, Sendable {
  package let identifier: String
  package init(identifier: String) { self.identifier = identifier }
}

/// The response to a request for a link or code: when the next may be requested, and how long this one is valid.
package struct LoginMessageReceipt: Codable, Hashable, Sendable, DispensableBody {
  package let cooldownSeconds: Int
  package let expiresInSeconds: Int
  package init(cooldownSeconds: Int, expiresInSeconds: Int) {
    self.cooldownSeconds = cooldownSeconds
    self.expiresInSeconds = expiresInSeconds
  }

  enum CodingKeys: String, JSONDefaultingKey {
    case cooldownSeconds = "cooldown_seconds"
    case expiresInSeconds = "expires_in_seconds"

    package var fallback: JSONFallback? {
      switch self {
      case .cooldownSeconds: .json("0")
      case .expiresInSeconds: .json("600")
      }
    }
  }
}

/// The body of `POST /rpc/login_with_magic_token`.
package struct MagicTokenRedemption: Codable, Hashable, Sendable {
  package let token: String
  package let state: String?
  package init(token: String, state: String?) {
    self.token = token
    self.state = state
  }
}

/// The body of `POST /rpc/login_with_code`.
package struct CodeRedemption: Codable, Hashable, Sendable {
  package let identifier: String
  package let code: String
  package init(identifier: String, code: String) {
    self.identifier = identifier
    self.code = code
  }
}

/// The values for `login_with_password` of a backend file.
package struct PasswordRedemption: Codable, Hashable, Sendable {
  package let identifier: String
  package let password: String
  package init(identifier: String, password: String) {
    self.identifier = identifier
    self.password = password
  }
}

/// The body of both refresh endpoints.
package struct RefreshRequest: Codable, Hashable, Sendable {
  package let refreshToken: String
  package init(refreshToken: String) { self.refreshToken = refreshToken }
  enum CodingKeys: String, CodingKey { case refreshToken = "refresh_token" }
}

/// The tokens of a session, the response of every login and refresh; lifetimes are in seconds.
///
/// Only the two tokens are required. A backend may send a lifetime, an instant, both or neither (seed-rules I-7 "A token
/// answer").
package struct TokenPair: Codable, Hashable, Sendable {
  package let accessToken: String
  /// Empty if the response has none: a refresh may keep the one that it was sent (RFC 6749 §6).
  package let refreshToken: String
  package let tokenType: String?
  package let expiresIn: Int?
  package let expiresAt: Timestamp?
  package let refreshExpiresIn: Int?
  package let refreshExpiresAt: Timestamp?
  package let sessionID: String?
  package let profile: ProfileBody?

  package init(
    accessToken: String, refreshToken: String, tokenType: String? = "Bearer", expiresIn: Int?, expiresAt: Timestamp?,
    refreshExpiresIn: Int?, refreshExpiresAt: Timestamp?, sessionID: String?, profile: ProfileBody?
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

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    accessToken = try container.decode(String.self, forKey: .accessToken)
    refreshToken = try container.decodeIfPresent(String.self, forKey: .refreshToken) ?? ""
    tokenType = try container.decodeIfPresent(String.self, forKey: .tokenType)
    expiresIn = try container.decodeIfPresent(Int.self, forKey: .expiresIn)
    expiresAt = try container.decodeIfPresent(Timestamp.self, forKey: .expiresAt)
    refreshExpiresIn = try container.decodeIfPresent(Int.self, forKey: .refreshExpiresIn)
    refreshExpiresAt = try container.decodeIfPresent(Timestamp.self, forKey: .refreshExpiresAt)
    sessionID = try container.decodeIfPresent(String.self, forKey: .sessionID)
    profile = try container.decodeIfPresent(ProfileBody.self, forKey: .profile)
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

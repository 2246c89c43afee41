package import FoundationEssentials

/// A session's tokens as they are kept over a restart.
package struct StoredTokens: Codable, Hashable, Sendable {
  package let accessToken: String
  package let refreshToken: String
  package let sessionID: String
  package let accessLifetimeSeconds: Int?
  package let accessExpiresAt: Date?
  package let refreshExpiresAt: Date?
  /// The language that the account's owner chose, a BCP 47 tag; kept beside the tokens and forgotten with them (seed 000 §3.2).
  package let preferredLanguageCode: String?
  /// Stands for the login that the tokens come from, over every rotation; made on this device, a UUID.
  package let loginID: String?
  /// Whether they may come from a copy of the data: the backend's refusal of them ends the session, whatever its words. Kept beside them.
  package var isUnproven = false

  private enum CodingKeys: CodingKey {
    case accessToken, refreshToken, sessionID, accessLifetimeSeconds, accessExpiresAt, refreshExpiresAt
    case preferredLanguageCode, loginID
  }

  /// Takes what is worth keeping.
  package init(_ tokens: SessionTokens, preferredLanguageCode: String? = nil, loginID: String? = nil) {
    accessToken = tokens.accessToken
    refreshToken = tokens.refreshToken
    sessionID = tokens.sessionID
    accessLifetimeSeconds = tokens.accessLifetime.map { Int($0.components.seconds) }
    accessExpiresAt = tokens.accessExpiresAt
    refreshExpiresAt = tokens.refreshExpiresAt
    self.preferredLanguageCode = preferredLanguageCode
    self.loginID = loginID
  }
}

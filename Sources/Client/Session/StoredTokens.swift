package import FoundationEssentials

/// A session's tokens as stored over restarts.
package struct StoredTokens: Codable, Hashable, Sendable {
  package let accessToken: String
  package let refreshToken: String?
  package let sessionID: String?
  package let accessLifetimeSeconds: Int?
  package let accessExpiresAt: Date?
  package let refreshExpiresAt: Date?
  /// The language that the user chose, a BCP 47 tag; stored with the tokens and removed with them (seed-rules N-43 "preferred
  /// language").
  package let preferredLanguageCode: String?
  /// Identifies the login over token rotations; a UUID made on this device.
  package let loginID: String?
  /// True while a refresh may have used the refresh token: a process that reads this refreshes at once, while the backend returns
  /// the successor. Nil otherwise.
  package let isRefreshing: Bool?
  /// The values that a backend file captured for the session.
  package let captured: CapturedSession?

  /// Creates the stored form of tokens.
  package init(_ tokens: SessionTokens, preferredLanguageCode: String? = nil, loginID: String? = nil, isRefreshing: Bool = false)
  {
    accessToken = tokens.accessToken
    refreshToken = tokens.refreshToken
    sessionID = tokens.sessionID
    accessLifetimeSeconds = tokens.accessLifetime.map { Int($0.components.seconds) }
    accessExpiresAt = tokens.accessExpiresAt
    refreshExpiresAt = tokens.refreshExpiresAt
    self.preferredLanguageCode = preferredLanguageCode
    self.loginID = loginID
    self.isRefreshing = isRefreshing ? true : nil
    captured = tokens.captured
  }
}

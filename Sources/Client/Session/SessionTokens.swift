package import FoundationEssentials
package import RPC

/// A session's tokens in memory.
package struct SessionTokens: Hashable, Sendable {
  package let accessToken: String
  package let refreshToken: String
  package let sessionID: String
  /// The lifetime of the access token when it was issued; nil if the backend sent no usable one.
  package let accessLifetime: Duration?
  /// When the access token expires, counted from when it was requested.
  package let accessExpiry: ContinuousClock.Instant?
  /// The same on the wall clock, for display and restarts only.
  package let accessExpiresAt: Date?
  package let refreshExpiresAt: Date?

  /// Creates tokens from the response to a login or refresh.
  ///
  /// `sentAt` and `sentWall` are when the request was sent, since the lifetime had started by the time the response arrived.
  /// Throws `unexpectedPayload` for tokens that are not visible ASCII (RFC 6750 §2.1).
  package init(
    _ pair: TokenPair, sentAt: ContinuousClock.Instant, sentWall: Date
  ) throws(NetworkError) {
    guard Self.isUsable(pair.accessToken), Self.isUsable(pair.refreshToken) else { throw .unexpectedPayload }
    accessToken = pair.accessToken
    refreshToken = pair.refreshToken
    sessionID = pair.sessionID
    let access = Self.bounded(pair.expiresIn)
    let refresh = Self.bounded(pair.refreshExpiresIn)
    accessLifetime = access.map { .seconds($0) }
    accessExpiry = access.map { sentAt + .seconds($0) }
    accessExpiresAt = access.map { sentWall + TimeInterval($0) }
    refreshExpiresAt = refresh.map { sentWall + TimeInterval($0) }
  }

  /// Restores stored tokens; the rest of the lifetime is computed on the wall clock and never exceeds the whole.
  package init(_ kept: StoredTokens, now: ContinuousClock.Instant, wall: Date) {
    accessToken = kept.accessToken
    refreshToken = kept.refreshToken
    sessionID = kept.sessionID
    let lifetime = kept.accessLifetimeSeconds.flatMap(Self.bounded)
    accessLifetime = lifetime.map { .seconds($0) }
    accessExpiresAt = kept.accessExpiresAt
    refreshExpiresAt = kept.refreshExpiresAt
    if let lifetime, let end = kept.accessExpiresAt {
      let rest = min(max(end.timeIntervalSince(wall), 0), Double(lifetime))
      accessExpiry = now + .milliseconds(Int64(rest * 1000))
    } else {
      accessExpiry = nil
    }
  }

  /// When they were requested, on the wall clock; nil if the backend sent no usable lifetime.
  package var issuedAt: Date? {
    guard let accessLifetime, let accessExpiresAt else { return nil }
    return accessExpiresAt - TimeInterval(accessLifetime.components.seconds)
  }

  private static func isUsable(_ token: String) -> Bool {
    !token.isEmpty && token.utf8.count <= 8192 && token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }

  /// A usable lifetime in seconds, at most ten years; nil if it is not positive.
  private static func bounded(_ seconds: Int) -> Int? {
    seconds > 0 ? min(seconds, 315_360_000) : nil
  }
}

package import FoundationEssentials
package import RPC

/// A session's tokens as the client holds them.
package struct SessionTokens: Hashable, Sendable {
  package let accessToken: String
  package let refreshToken: String
  package let sessionID: String
  /// How long the access token was good for when it was issued; nil where the backend gave no usable time.
  package let accessLifetime: Duration?
  /// When the access token expires, counted from the instant at which it was asked for.
  package let accessExpiry: ContinuousClock.Instant?
  /// The same on the wall clock, for showing and for a restart only.
  package let accessExpiresAt: Date?
  package let refreshExpiresAt: Date?

  /// Takes what a login or a refresh answered.
  ///
  /// `sentAt` and `sentWall` are when the request went out, as the lifetime had begun by the time the answer arrived.
  /// Throws `unexpectedPayload` for tokens that cannot stand in a header (RFC 6750 §2.1: visible ASCII).
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

  /// Takes what was kept over a restart; the rest of the lifetime is counted on the wall clock, and never exceeds the whole.
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

  /// When they were asked for, on the wall clock; nil where the backend gave no usable lifetime.
  package var issuedAt: Date? {
    guard let accessLifetime, let accessExpiresAt else { return nil }
    return accessExpiresAt - TimeInterval(accessLifetime.components.seconds)
  }

  private static func isUsable(_ token: String) -> Bool {
    !token.isEmpty && token.utf8.count <= 8192 && token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }

  /// A lifetime in seconds that can be counted with: nil for none, at most ten years.
  private static func bounded(_ seconds: Int) -> Int? {
    seconds > 0 ? min(seconds, 315_360_000) : nil
  }
}

package import FoundationEssentials
package import JSON
package import RPC

/// A session's tokens in memory.
package struct SessionTokens: Hashable, Sendable {
  package let accessToken: String
  /// Nil for a backend without a refresh, or whose refresh needs no token.
  package let refreshToken: String?
  /// The backend's id of the session; nil if it sends none.
  package internal(set) var sessionID: String?
  /// The lifetime of the access token when it was issued, zero for one that had expired by then; nil if the backend sent none, so that
  /// the token counts as valid until a 401.
  package let accessLifetime: Duration?
  /// The values that a backend file captured for the session; nil for the contract's own backend.
  package internal(set) var captured: CapturedSession?
  /// When the access token expires, counted from when it was requested.
  package let accessExpiry: ContinuousClock.Instant?
  /// The same on the wall clock, for display and restarts only.
  package let accessExpiresAt: Date?
  package internal(set) var refreshExpiresAt: Date?

  /// Creates tokens from the response to a login or refresh.
  ///
  /// `sentAt` and `sentWall` are when the request was sent, because the lifetime had started before the response arrived.
  /// `clockCorrection` is by how many seconds the backend's clock is known to be ahead of `sentWall`. `answeredAt` is the
  /// backend's clock at the response, which counts for an expiry instant without a lifetime. If the backend sends both, the
  /// lifetime counts (seed-rules I-8 "expires at the date"). `keeping` is the refresh token that stays in use if the response has
  /// none. Without `needsRefreshToken`, no refresh token is required.
  ///
  /// Throws `unexpectedPayload` for tokens that are not visible ASCII (RFC 6750 §2.1).
  package init(
    _ pair: TokenPair, sentAt: ContinuousClock.Instant, sentWall: Date, clockCorrection: Int64 = 0, answeredAt: Timestamp? = nil,
    keeping: String? = nil, needsRefreshToken: Bool = true
  ) throws(NetworkError) {
    let refreshToken = pair.refreshToken.isEmpty ? keeping : pair.refreshToken
    if refreshToken == nil, needsRefreshToken {
      throw .unexpectedPayload(PayloadMismatch(path: "refresh_token", expected: "a string", found: "missing"))
    }
    for (name, token) in [("access_token", pair.accessToken), ("refresh_token", refreshToken ?? "none")]
    where !Self.isUsable(token) {
      throw .unexpectedPayload(PayloadMismatch(path: name, expected: "1 to 8192 visible characters", found: "not usable"))
    }
    accessToken = pair.accessToken
    self.refreshToken = refreshToken
    sessionID = pair.sessionID.flatMap { $0.isEmpty ? nil : $0 }
    let serverWall = answeredAt ?? Timestamp(sentWall + TimeInterval(clockCorrection))
    let access = Self.lifetime(pair.expiresIn, until: pair.expiresAt, sentAt: serverWall)
    let refresh = Self.lifetime(pair.refreshExpiresIn, until: pair.refreshExpiresAt, sentAt: serverWall)
    accessLifetime = access
    accessExpiry = access.map { sentAt + $0 }
    accessExpiresAt = access.map { sentWall + $0.seconds }
    refreshExpiresAt = refresh.map { sentWall + $0.seconds }
  }

  /// Restores stored tokens; the rest of the lifetime is computed on the wall clock and never exceeds the whole.
  package init(_ kept: StoredTokens, now: ContinuousClock.Instant, wall: Date) {
    accessToken = kept.accessToken
    refreshToken = kept.refreshToken
    sessionID = kept.sessionID
    captured = kept.captured
    let lifetime = kept.accessLifetimeSeconds.map { min(max($0, 0), Self.longest) }
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
    return accessExpiresAt - accessLifetime.seconds
  }

  private static func isUsable(_ token: String) -> Bool {
    !token.isEmpty && token.utf8.count <= 8192 && token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }

  /// The longest lifetime, in seconds: ten years.
  private static let longest = 315_360_000

  /// The stated lifetime, else the time until the end; a lifetime that is not positive counts as none. Nil if there is neither.
  private static func lifetime(_ seconds: Int?, until end: Timestamp?, sentAt serverWall: Timestamp) -> Duration? {
    let stated = seconds.flatMap { $0 > 0 ? Duration.seconds(min($0, longest)) : nil }
    // Both are within the years 1 to 9999.
    let computed = end.map {
      Duration.milliseconds(min(max($0.milliseconds - serverWall.milliseconds, 0), Int64(longest) * 1000))
    }
    return stated ?? computed
  }
}

extension Duration {
  /// The duration in seconds, including the fraction.
  fileprivate var seconds: TimeInterval { self / .seconds(1) }
}

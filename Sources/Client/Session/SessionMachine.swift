package import Domain

/// The session as a value: which tokens are held, which refresh is under way and which one failed; it reads no clock and does no I/O.
///
/// The rules are those of contract §3 and of Alamofire's `AuthenticationInterceptor`, with epochs on top: a refresh that
/// began in one session can neither change nor end another.
package struct SessionMachine: Sendable {
  /// A refresh to be carried out: once, for one token of one session.
  package struct PendingRefresh: Hashable, Sendable {
    package let id: UInt64
    package let epoch: UInt64
    package let refreshToken: String
  }

  /// What a caller who needs a token, or whose token was refused, has to do.
  package enum Decision: Hashable, Sendable {
    /// Go out with this.
    case use(Credential)
    /// Wait for the refresh that is under way.
    case join
    /// Begin this refresh, then wait for it.
    case start(PendingRefresh)
    /// Nobody is signed in.
    case signedOut
    /// The caller's session is over.
    case ended
    /// The refresh for these tokens failed a moment ago.
    case failed(NetworkError)
  }

  /// A refresh failure that is remembered, so that late callers do not repeat it.
  private struct Failure: Sendable {
    let error: NetworkError
    let until: ContinuousClock.Instant
  }

  /// At most this many refreshes begin within `window`; a forced one is not counted out.
  package static let windowLimit = 5
  /// The time over which `windowLimit` counts.
  static let window: Duration = .seconds(30)
  /// For how long backends give the successor of a used refresh token again to who lost it; later it ends the session.
  static let reuseGracePeriod: Duration = .seconds(10)

  /// Grows with every login, logout and restore.
  package private(set) var epoch: UInt64 = 0
  /// Grows with every token pair.
  package private(set) var version: UInt64 = 0
  package private(set) var tokens: SessionTokens?
  /// The refresh under way.
  package private(set) var pendingRefresh: PendingRefresh?
  /// How long before its expiry an access token is refreshed, at most.
  package var margin: Duration = .seconds(120)

  private var failure: Failure?
  private var failuresInARow = 0
  /// Until when a refresh is tried again though the access token is good, as the one that failed may have used its token up.
  private var retryWindowEnd: ContinuousClock.Instant?
  /// Whether the backend called the access token expired or invalid.
  private var isKnownBad = false
  private var refreshStarts: [ContinuousClock.Instant] = []
  private var refreshCount: UInt64 = 0

  /// Makes the machine of a device that nobody has signed in on.
  package init() {}

  /// The state's phase.
  package var phase: SessionState.Phase {
    if tokens == nil { return .signedOut }
    if pendingRefresh != nil { return .refreshing }
    return failure == nil ? .authenticated : .error
  }

  /// Begins a session with the tokens of a login, or of the store; every refresh under way is disowned.
  package mutating func begin(_ tokens: SessionTokens) {
    epoch += 1
    version += 1
    self.tokens = tokens
    clearRefreshState()
    refreshStarts = []
  }

  /// Ends the session and returns the tokens that it had; every refresh under way is disowned.
  @discardableResult
  package mutating func end() -> SessionTokens? {
    defer { tokens = nil }
    epoch += 1
    clearRefreshState()
    refreshStarts = []
    return tokens
  }

  /// What a call that needs a token does now; `epoch` is that of the call's first attempt, nil before it.
  package mutating func request(epoch callEpoch: UInt64?, now: ContinuousClock.Instant) -> Decision {
    if let callEpoch, callEpoch != epoch { return .ended }
    guard let tokens else { return .signedOut }
    if pendingRefresh != nil { return .join }
    if let failure, failure.until > now {
      return isUnusable(tokens, now: now) ? .failed(failure.error) : .use(credential(tokens))
    }
    if isKnownBad, hasReachedRefreshLimit(now) { return .failed(.unauthorized) }
    guard isKnownBad || isDue(tokens, now: now), !hasReachedRefreshLimit(now) else { return .use(credential(tokens)) }
    return .start(beginRefresh(tokens, at: now))
  }

  /// What calls go out with until the instant, if nothing changes; nil for no instant. Nil where a call has more to decide than that.
  package func cacheableCredential(now: ContinuousClock.Instant) -> (credential: Credential, until: ContinuousClock.Instant?)? {
    guard let tokens, pendingRefresh == nil, failure == nil, !isKnownBad, !isDue(tokens, now: now) else { return nil }
    return (credential(tokens), due(tokens))
  }

  /// What a call does whose access token was refused with 401.
  ///
  /// `isKnownBad` says that the backend spoke of the token itself, so that nobody goes out with it any more.
  package mutating func refused(_ stamp: SessionStamp, isKnownBad: Bool, now: ContinuousClock.Instant) -> Decision {
    guard stamp.epoch == epoch, let tokens else { return .ended }
    if stamp.version < version { return pendingRefresh == nil ? .use(credential(tokens)) : .join }
    self.isKnownBad = self.isKnownBad || isKnownBad
    if pendingRefresh != nil { return .join }
    if let failure, failure.until > now { return .failed(failure.error) }
    if hasReachedRefreshLimit(now) { return .failed(.unauthorized) }
    return .start(beginRefresh(tokens, at: now))
  }

  /// What a user's own wish to refresh does: a failure of before is forgotten.
  package mutating func force(now: ContinuousClock.Instant) -> Decision {
    guard let tokens else { return .signedOut }
    if pendingRefresh != nil { return .join }
    return .start(beginRefresh(tokens, at: nil))
  }

  /// What a call does after the refresh it waited for failed for a passing reason: a token that is still good is used.
  package func fallback(epoch callEpoch: UInt64?, now: ContinuousClock.Instant) -> Credential? {
    guard callEpoch == nil || callEpoch == epoch, let tokens, !isUnusable(tokens, now: now) else { return nil }
    return credential(tokens)
  }

  /// Whether the outcome of a refresh may be kept: it is the one under way.
  package func accepts(_ pendingRefresh: PendingRefresh) -> Bool {
    pendingRefresh == self.pendingRefresh && pendingRefresh.epoch == epoch && pendingRefresh.refreshToken == tokens?.refreshToken
  }

  /// Takes the tokens of a refresh that is accepted.
  package mutating func commit(_ pendingRefresh: PendingRefresh, tokens: SessionTokens) {
    guard accepts(pendingRefresh) else { return }
    version += 1
    self.tokens = tokens
    clearRefreshState()
  }

  /// Notes that a refresh that is accepted failed for a passing reason; the tokens stay.
  package mutating func fail(_ pendingRefresh: PendingRefresh, error: NetworkError, now: ContinuousClock.Instant) {
    guard accepts(pendingRefresh) else { return }
    self.pendingRefresh = nil
    failuresInARow = min(failuresInARow + 1, 6)
    failure = Failure(error: error, until: now + Self.cooldown(after: error, inARow: failuresInARow))
    if error.mayHaveUsedToken, retryWindowEnd == nil { retryWindowEnd = now + Self.reuseGracePeriod }
  }

  /// When a refresh whose answer was lost is to be tried again without a call that asks for it; nil where that is of no use.
  package var retryAt: ContinuousClock.Instant? {
    guard pendingRefresh == nil, let failure, let retryWindowEnd, failure.until < retryWindowEnd else { return nil }
    return failure.until
  }

  /// Tries a refresh again whose answer was lost, at `retryAt`; nil where something has changed since.
  package mutating func retry(now: ContinuousClock.Instant) -> PendingRefresh? {
    guard let tokens, let retryAt, retryAt <= now, isInRetryWindow(now), !hasReachedRefreshLimit(now) else { return nil }
    return beginRefresh(tokens, at: now)
  }

  private func isInRetryWindow(_ now: ContinuousClock.Instant) -> Bool { retryWindowEnd.map { now < $0 } ?? false }

  /// How long no other refresh begins by itself: 2 s doubling to 60 s; after 429 what the backend says, 30 s without, at most 300 s.
  static func cooldown(after error: NetworkError, inARow: Int) -> Duration {
    if case .rateLimited(let seconds, _) = error { return .seconds(min(max(seconds ?? 30, 1), 300)) }
    return .seconds(min(1 << max(inARow, 1), 60))
  }

  /// When an access token is refreshed before its expiry: the margin, but at most a tenth of the lifetime.
  private func due(_ tokens: SessionTokens) -> ContinuousClock.Instant? {
    guard let expiry = tokens.accessExpiry, let lifetime = tokens.accessLifetime else { return nil }
    return expiry - min(margin, lifetime / 10)
  }

  private func isDue(_ tokens: SessionTokens, now: ContinuousClock.Instant) -> Bool {
    isInRetryWindow(now) || due(tokens).map { now >= $0 } ?? false
  }

  /// Whether a call would only go out to be refused.
  private func isUnusable(_ tokens: SessionTokens, now: ContinuousClock.Instant) -> Bool {
    isKnownBad || tokens.accessExpiry.map { $0 <= now } ?? false
  }

  private func hasReachedRefreshLimit(_ now: ContinuousClock.Instant) -> Bool {
    recentStarts(now) >= Self.windowLimit
  }

  /// How many refreshes began within the window.
  func recentStarts(_ now: ContinuousClock.Instant) -> Int { refreshStarts.count { $0 > now - Self.window } }

  /// Opens the slot; `now` is nil for a refresh that does not count towards the window.
  private mutating func beginRefresh(_ tokens: SessionTokens, at now: ContinuousClock.Instant?) -> PendingRefresh {
    if let now {
      refreshStarts.removeAll { $0 <= now - Self.window }
      refreshStarts.append(now)
    }
    refreshCount += 1
    let pendingRefresh = PendingRefresh(id: refreshCount, epoch: epoch, refreshToken: tokens.refreshToken)
    self.pendingRefresh = pendingRefresh
    return pendingRefresh
  }

  private mutating func clearRefreshState() {
    pendingRefresh = nil
    failure = nil
    failuresInARow = 0
    retryWindowEnd = nil
    isKnownBad = false
  }

  private func credential(_ tokens: SessionTokens) -> Credential {
    Credential(stamp: SessionStamp(epoch: epoch, version: version), accessToken: tokens.accessToken)
  }
}

extension NetworkError {
  /// Whether a refresh that ended so may have been carried out all the same: its answer was lost, or cannot be read.
  fileprivate var mayHaveUsedToken: Bool {
    switch self {
    case .unexpectedPayload, .timeout, .connectionLost(mayHaveBeenProcessed: true): true
    default: false
    }
  }
}

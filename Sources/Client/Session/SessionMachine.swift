package import Domain

/// The session as a value without clock or I/O: its tokens, the refresh in progress and the last failure.
///
/// The rules are those of `POST /rpc/refresh_tokens` and of Alamofire's `AuthenticationInterceptor`, plus epochs: a refresh
/// that started in one session can neither change nor end another.
package struct SessionMachine: Sendable {
  /// A refresh to perform: once, for one token of one session.
  package struct PendingRefresh: Hashable, Sendable {
    package let id: UInt64
    package let epoch: UInt64
    package let tokens: SessionTokens
    package var refreshToken: String? { tokens.refreshToken }
    /// Whether no call needs it: it retries a failed refresh.
    package var isSpare = false
  }

  /// The decision about a call that needs a token or got a 401.
  package enum Decision: Hashable, Sendable {
    /// Send with this credential.
    case use(SessionCredential)
    /// Wait for the refresh in progress.
    case join
    /// Start this refresh, then wait for it.
    case start(PendingRefresh)
    /// No user is signed in.
    case signedOut
    /// The call's session is over.
    case ended
    /// The refresh of these tokens failed, and must not be repeated yet.
    case failed(NetworkError)
  }

  /// The last refresh's failure.
  private struct Failure: Sendable {
    let error: NetworkError
    /// When the refresh is retried, if no call needs it before.
    let until: ContinuousClock.Instant
    /// Whether the backend asked to wait until then, so that no call retries it before.
    let isHeld: Bool

    /// The error for a call at an instant, with the remaining part of a wait that the backend asked for.
    func told(at now: ContinuousClock.Instant) -> NetworkError {
      guard isHeld else { return error }
      let left = max(1, Int(((until - now) / .seconds(1)).rounded(.up)))
      switch error {
      case .rateLimited(_, let retryAt): return .rateLimited(retryAfterSeconds: left, retryAt: retryAt)
      case .server(let status, _): return .server(statusCode: status, retryAfterSeconds: left)
      default: return error
      }
    }
  }

  /// The maximum number of refreshes within `window` for calls; a user's refreshes and retries are not limited.
  package static let windowLimit = 5
  /// The period of `windowLimit`.
  static let window: Duration = .seconds(30)
  /// How long the backend returns the successor of a used refresh token; later the reuse ends the session.
  private static let reuseGracePeriod: Duration = .seconds(10)

  /// Increases with every login, logout and restore.
  package private(set) var epoch: UInt64 = 0
  /// Increases with every token pair.
  package private(set) var version: UInt64 = 0
  package private(set) var tokens: SessionTokens?
  /// The refresh in progress.
  package private(set) var pendingRefresh: PendingRefresh?
  /// How long before its expiry an access token is refreshed, at most.
  package var margin: Duration = .seconds(120)
  /// Whether the backend has a refresh; without one, only its responses show that a token has expired.
  package var canRefresh = true

  private let backoff: Backoff
  private var failure: Failure?
  /// Whether a call worked with the access token after the refresh had failed.
  private var isProven = false
  private var failuresInARow = 0
  private var failureCount: UInt64 = 0
  /// Until when a call refreshes although the access token is valid, because the failed refresh may have used the refresh token.
  private var retryWindowEnd: ContinuousClock.Instant?
  /// Whether the backend rejected the access token as expired or invalid.
  private var isKnownBad = false
  private var refreshStarts: [ContinuousClock.Instant] = []
  private var refreshCount: UInt64 = 0

  /// Creates the state of a device without a session; `backoff` has the pauses between failed refreshes.
  package init(backoff: Backoff = .standard) { self.backoff = backoff }

  /// The phase to publish.
  package var phase: SessionState.Phase {
    if tokens == nil { return .signedOut }
    if let pendingRefresh, !(pendingRefresh.isSpare && isProven) { return .refreshing }
    return failure == nil || isProven ? .authenticated : .error
  }

  /// Starts a session with the tokens of a login or of the store; a refresh in progress is disowned.
  package mutating func begin(_ tokens: SessionTokens) {
    epoch += 1
    version += 1
    self.tokens = tokens
    clearRefreshState()
    refreshStarts = []
  }

  /// Ends the session and returns its tokens; a refresh in progress is disowned.
  @discardableResult
  package mutating func end() -> SessionTokens? {
    defer { tokens = nil }
    epoch += 1
    clearRefreshState()
    refreshStarts = []
    return tokens
  }

  /// Whether a call would use the access token as it is.
  package func isUsable(now: ContinuousClock.Instant) -> Bool { cacheableCredential(now: now) != nil }

  /// Decides about a call that needs a token; `epoch` is that of the call's first attempt, nil before it.
  ///
  /// A call that has waited for a refresh sets `refreshesAhead` to false: it uses the token although it seems to have expired,
  /// because a backend whose tokens all seem expired would otherwise receive refreshes without end.
  package mutating func request(
    epoch callEpoch: UInt64?, now: ContinuousClock.Instant, refreshesAhead: Bool = true
  ) -> Decision {
    if let callEpoch, callEpoch != epoch { return .ended }
    guard let tokens else { return .signedOut }
    let isUnusable = isUnusable(tokens, now: now)
    if let pendingRefresh { return pendingRefresh.isSpare && !isUnusable ? .use(credential(tokens)) : .join }
    if let failure, failure.until > now {
      // The token may still work; if it does not, the call needs the refresh now.
      if !isUnusable { return .use(credential(tokens)) }
      if failure.isHeld { return .failed(failure.told(at: now)) }
    }
    if isUnusable, hasReachedRefreshLimit(now), isKnownBad || failure != nil {
      return .failed(failure?.error ?? .unauthorized)
    }
    guard canRefresh, isKnownBad || refreshesAhead && isDue(tokens, now: now), !hasReachedRefreshLimit(now) else {
      return .use(credential(tokens))
    }
    return .start(beginRefresh(tokens, at: now))
  }

  /// The credential that calls can use until the instant (nil: without end) if nothing changes; nil if a call needs a decision.
  package func cacheableCredential(now: ContinuousClock.Instant) -> (
    credential: SessionCredential, until: ContinuousClock.Instant?
  )? {
    guard let tokens, pendingRefresh == nil, failure == nil, !isKnownBad, !isDue(tokens, now: now) else { return nil }
    return (credential(tokens), due(tokens))
  }

  /// Decides about a call whose access token got a 401.
  ///
  /// `isKnownBad` means that the backend rejected the token itself, so that no call uses it any more.
  package mutating func refused(_ stamp: SessionStamp, isKnownBad: Bool, now: ContinuousClock.Instant) -> Decision {
    guard stamp.epoch == epoch, let tokens else { return .ended }
    if stamp.version < version { return pendingRefresh == nil ? .use(credential(tokens)) : .join }
    self.isKnownBad = self.isKnownBad || isKnownBad
    if pendingRefresh != nil { return .join }
    isProven = false
    // A call that was under way when the refresh failed gets its error; a later one needs another refresh.
    if let failure, failure.until > now, failure.isHeld || stamp.failures < failureCount { return .failed(failure.told(at: now)) }
    if hasReachedRefreshLimit(now) { return .failed(failure?.error ?? .unauthorized) }
    return .start(beginRefresh(tokens, at: now))
  }

  /// Decides about a refresh at the user's request; ignores recent failures.
  package mutating func force() -> Decision {
    guard let tokens else { return .signedOut }
    if pendingRefresh != nil { return .join }
    guard canRefresh else { return .failed(.forbidden(code: nil)) }
    return .start(beginRefresh(tokens, at: nil))
  }

  /// The credential for a call whose refresh failed for a transient reason: the old token if it is still valid.
  package func fallback(epoch callEpoch: UInt64?, now: ContinuousClock.Instant) -> SessionCredential? {
    guard callEpoch == nil || callEpoch == epoch, let tokens, !isUnusable(tokens, now: now) else { return nil }
    return credential(tokens)
  }

  /// Whether a refresh is the one in progress, so that its outcome counts.
  package func accepts(_ pendingRefresh: PendingRefresh) -> Bool {
    pendingRefresh == self.pendingRefresh && pendingRefresh.epoch == epoch && pendingRefresh.refreshToken == tokens?.refreshToken
  }

  /// Sets the tokens of an accepted refresh.
  package mutating func commit(_ pendingRefresh: PendingRefresh, tokens: SessionTokens) {
    guard accepts(pendingRefresh) else { return }
    version += 1
    self.tokens = tokens
    clearRefreshState()
  }

  /// Adds the values captured by a call of the session; returns whether any is new.
  package mutating func note(_ captured: [String: String], epoch: UInt64) -> Bool {
    guard epoch == self.epoch, tokens != nil else { return false }
    var session = tokens?.captured ?? CapturedSession()
    session.merge(captured)
    guard session != tokens?.captured ?? CapturedSession() else { return false }
    tokens?.captured = session
    return true
  }

  /// Records that an accepted refresh failed without a verdict; the tokens stay. `random`, in 0 ..< 1, is the pause's jitter.
  package mutating func fail(
    _ pendingRefresh: PendingRefresh, error: NetworkError, now: ContinuousClock.Instant, random: Double = 0.5
  ) {
    guard accepts(pendingRefresh), let tokens else { return }
    self.pendingRefresh = nil
    failuresInARow = min(failuresInARow + 1, 7)
    failureCount += 1
    if isUnusable(tokens, now: now) { isProven = false }
    let asked = Self.wait(askedBy: error)
    let pause = backoff.pause(failuresInARow, longest: 60, random: random)
    failure = Failure(error: error, until: now + max(pause, asked ?? .zero), isHeld: asked != nil)
    if error.mayHaveUsedToken, retryWindowEnd == nil { retryWindowEnd = now + Self.reuseGracePeriod }
  }

  /// Records that a call with the credential was accepted although the refresh had failed; returns whether the phase changes.
  package mutating func noteAccepted(_ stamp: SessionStamp) -> Bool {
    guard stamp.epoch == epoch, stamp.version == version, failure != nil, !isKnownBad, !isProven else { return false }
    let before = phase
    isProven = true
    return phase != before
  }

  /// When to retry a failed refresh without a call that needs it; nil if none has failed.
  package var retryAt: ContinuousClock.Instant? { pendingRefresh == nil ? failure?.until : nil }

  /// Retries a failed refresh at `retryAt`; nil if the state has changed since.
  package mutating func retry(now: ContinuousClock.Instant) -> PendingRefresh? {
    guard canRefresh, let tokens, let retryAt, retryAt <= now else { return nil }
    // Its pauses limit it.
    var refresh = beginRefresh(tokens, at: nil)
    refresh.isSpare = true
    pendingRefresh = refresh
    return refresh
  }

  /// Whether a refresh may have used the refresh token, so that it is repeated soon: one is in progress, or its response was
  /// lost.
  package func mayHaveUsedToken(now: ContinuousClock.Instant) -> Bool { pendingRefresh != nil || isInRetryWindow(now) }

  private func isInRetryWindow(_ now: ContinuousClock.Instant) -> Bool { retryWindowEnd.map { now < $0 } ?? false }

  /// How long the backend asks to wait, at most 300 s; nil if it does not ask.
  private static func wait(askedBy error: NetworkError) -> Duration? {
    error.retryAfterSeconds.map { .seconds(min(max($0, 1), 300)) }
  }

  /// When an access token is refreshed: the margin before its expiry, but at most a tenth of its lifetime.
  private func due(_ tokens: SessionTokens) -> ContinuousClock.Instant? {
    guard canRefresh, let expiry = tokens.accessExpiry, let lifetime = tokens.accessLifetime else { return nil }
    return expiry - min(margin, lifetime / 10)
  }

  private func isDue(_ tokens: SessionTokens, now: ContinuousClock.Instant) -> Bool {
    canRefresh && isInRetryWindow(now) || due(tokens).map { now >= $0 } ?? false
  }

  /// Whether a call with the access token would get a 401.
  private func isUnusable(_ tokens: SessionTokens, now: ContinuousClock.Instant) -> Bool {
    isKnownBad || canRefresh && tokens.accessExpiry.map { $0 <= now } ?? false
  }

  private func hasReachedRefreshLimit(_ now: ContinuousClock.Instant) -> Bool {
    recentStarts(now) >= Self.windowLimit
  }

  /// The number of refreshes started within the window.
  func recentStarts(_ now: ContinuousClock.Instant) -> Int { refreshStarts.count { $0 > now - Self.window } }

  /// Starts a refresh; `now` is nil for one that does not count towards the window.
  private mutating func beginRefresh(_ tokens: SessionTokens, at now: ContinuousClock.Instant?) -> PendingRefresh {
    if let now {
      refreshStarts.removeAll { $0 <= now - Self.window }
      refreshStarts.append(now)
    }
    refreshCount += 1
    let pendingRefresh = PendingRefresh(id: refreshCount, epoch: epoch, tokens: tokens)
    self.pendingRefresh = pendingRefresh
    return pendingRefresh
  }

  private mutating func clearRefreshState() {
    pendingRefresh = nil
    failure = nil
    isProven = false
    failuresInARow = 0
    retryWindowEnd = nil
    isKnownBad = false
  }

  private func credential(_ tokens: SessionTokens) -> SessionCredential {
    let stamp = SessionStamp(epoch: epoch, version: version, failures: failureCount)
    var credential = SessionCredential(stamp: stamp, accessToken: tokens.accessToken)
    credential.isDoubtful = failure != nil && !isProven
    credential.refreshToken = tokens.refreshToken
    credential.captured = tokens.captured
    return credential
  }
}

extension NetworkError {
  /// Whether the refresh may have been processed despite the error, because its response was lost or unreadable.
  fileprivate var mayHaveUsedToken: Bool {
    switch self {
    case .unexpectedPayload, .timeout, .connectionLost(mayHaveBeenProcessed: true): true
    default: false
    }
  }
}

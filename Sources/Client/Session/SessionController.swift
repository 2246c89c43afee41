package import Domain
import FoundationEssentials
package import Logging
import Vault

/// Owns a device's tokens: restores, refreshes, publishes and ends its session (seed-rules N-37 "is an actor", N-50 "one refresh
/// runs at a time").
///
/// `SessionMachine` contains the rules; this actor performs them. A change is committed without suspending: compare, save,
/// increment the version, publish, resume the waiters.
package actor SessionController {
  let store: any TokenStore
  let time: Time
  let logger: Logger
  let refreshCall: RefreshCall
  /// Whether other processes may have the session before and after this one.
  let isShared: Bool
  /// Whether the app is launched; false if it goes on in this process.
  let isLaunch: Bool
  /// Called with each change before anybody else can act on it; must not block.
  let onChange: @Sendable (SessionChange) -> Void
  private let onState: @Sendable (SessionState) -> Void

  var machine: SessionMachine {
    // The cached credential may be outdated.
    didSet { cachedCredential.set(nil) }
  }
  private let random: @Sendable () -> Double
  private let cachedCredential = CachedCredential()
  var waiters = RefreshWaiters()
  var isClosed = false
  /// Whether the store refused the session's last change.
  var isBehind = false
  var isSavingLater = false
  var reasonOnceSaved: String?
  private var nextWaiter: UInt64 = 0
  private var published: SessionState
  private var user: User?
  /// The language that the user chose, stored with the tokens; nil for no choice and while nobody is signed in.
  package internal(set) var preferredLanguageCode: String?
  /// Identifies the login over token rotations and restarts; a backend's session id need not distinguish logins.
  package internal(set) var loginID = SecureRandom.uuid()
  private var reason: String?
  private var listeners: [UInt64: AsyncStream<SessionState>.Continuation] = [:]
  private var nextListener: UInt64 = 0

  /// Creates the controller of a device that has not been bootstrapped; `onState` is called with every state, in order and
  /// before anybody else.
  package init(
    store: any TokenStore, time: Time, logger: Logger, refreshCall: @escaping RefreshCall, isShared: Bool = false,
    isLaunch: Bool = true, backoff: Backoff = .standard, random: @escaping @Sendable () -> Double = { 0.5 },
    onChange: @escaping @Sendable (SessionChange) -> Void = { _ in },
    onState: @escaping @Sendable (SessionState) -> Void = { _ in }
  ) {
    self.store = store
    self.time = time
    self.logger = logger
    self.refreshCall = refreshCall
    (self.isShared, self.isLaunch) = (isShared, isLaunch)
    // Without a pause, a refresh that fails at once would be tried in a loop.
    machine = SessionMachine(backoff: Backoff(first: max(backoff.first, .milliseconds(1))))
    self.random = random
    self.onChange = onChange
    self.onState = onState
    published = SessionState(number: 0, phase: .signedOut, since: time.wall())
  }

  // MARK: State

  /// The current state.
  package var state: SessionState { published }

  /// The current state and every later one; a slow listener misses the oldest beyond 16.
  package func states() -> AsyncStream<SessionState> {
    let (stream, continuation) = AsyncStream.makeStream(of: SessionState.self, bufferingPolicy: .bufferingNewest(16))
    nextListener += 1
    let id = nextListener
    listeners[id] = continuation
    continuation.onTermination = { _ in Task { await self.removeListener(id) } }
    continuation.yield(published)
    if isClosed { continuation.finish() }
    return stream
  }

  /// Adds the user to the state if the session is still the one they were fetched with.
  package func setUser(_ user: User, epoch: UInt64) {
    guard machine.epoch == epoch, machine.tokens != nil, self.user != user else { return }
    self.user = user
    publish(reason: reason)
  }

  /// Sets how long before its expiry an access token is refreshed.
  package func setRefreshMargin(_ margin: Duration) { machine.margin = max(margin, .zero) }

  /// The number of refreshes started in the last 30 s, limited to `SessionMachine.windowLimit`.
  package func recentRefreshes() -> Int { machine.recentStarts(time.monotonic()) }

  /// The epoch of the session; nil while nobody is signed in.
  package var epochIfSignedIn: UInt64? { machine.tokens == nil ? nil : machine.epoch }

  /// Whether the session is still the one that a call started with.
  package nonisolated func isCurrent(epoch: UInt64) async -> Bool {
    if cachedCredential.isOf(epoch: epoch) { return true }
    return await isCurrentNow(epoch: epoch)
  }

  private func isCurrentNow(epoch: UInt64) -> Bool { machine.epoch == epoch && machine.tokens != nil }

  // MARK: Credentials

  /// The access token to send; waits for a refresh in progress, and refreshes a token that is about to expire.
  ///
  /// `epoch` is that of the call's first attempt, nil before it. Throws `unauthorized` if nobody is signed in, `sessionEnded`
  /// if the call's session is over, `timeout`, `cancelled`, or the error of the refresh. `refreshesAhead` is that of
  /// `SessionMachine.request`.
  package nonisolated func credential(
    epoch: UInt64?, deadline: ContinuousClock.Instant, cause: RefreshCause, refreshesAhead: Bool = true
  ) async throws(NetworkError) -> Credential {
    if let credential = cachedCredential.credential(epoch: epoch, now: time.monotonic()) { return credential }
    return try await decidedCredential(epoch: epoch, deadline: deadline, cause: cause, refreshesAhead: refreshesAhead)
  }

  private func decidedCredential(
    epoch: UInt64?, deadline: ContinuousClock.Instant, cause: RefreshCause, refreshesAhead: Bool
  ) async throws(NetworkError) -> Credential {
    var callEpoch = epoch
    var hasRefreshed = false
    while true {
      let now = time.monotonic()
      switch machine.request(epoch: callEpoch, now: now, refreshesAhead: refreshesAhead && !hasRefreshed) {
      case .use(var credential):
        credential.isFresh = hasRefreshed
        if !isClosed { cachedCredential.set(machine.cacheableCredential(now: now)) }
        return credential
      case .signedOut: throw .unauthorized
      case .ended: throw .sessionEnded
      case .failed(let error): throw error
      case .start(let pendingRefresh): start(pendingRefresh, cause: cause)
      case .join: break
      }
      callEpoch = machine.epoch
      switch await wait(until: deadline) {
      case .refreshed: hasRefreshed = true
      case .ended: throw .sessionEnded
      case .cancelled: throw .cancelled
      case .timedOut: throw .timeout
      case .failed(let error):
        guard let credential = machine.fallback(epoch: callEpoch, now: time.monotonic()) else { throw error }
        return credential
      }
    }
  }

  /// Gets a new token after a 401; returns once the call may be sent again.
  ///
  /// A token that was replaced in the meantime costs no refresh. Throws as `credential` does.
  package func recover(
    _ stamp: SessionStamp, isKnownBad: Bool, deadline: ContinuousClock.Instant, cause: RefreshCause
  ) async throws(NetworkError) {
    let phase = machine.phase
    switch machine.refused(stamp, isKnownBad: isKnownBad, now: time.monotonic()) {
    case .use: return
    case .signedOut, .ended: throw .sessionEnded
    case .failed(let error):
      if machine.phase != phase { publish(reason: error.word) }
      throw error
    case .start(let pendingRefresh): start(pendingRefresh, cause: cause)
    case .join: break
    }
    switch await wait(until: deadline) {
    case .refreshed: return
    case .ended: throw .sessionEnded
    case .cancelled: throw .cancelled
    case .timedOut: throw .timeout
    case .failed(let error): throw error
    }
  }

  /// Notes that the backend accepted a call whose credential was doubtful, which ends the phase `error`.
  package func noteAccepted(_ credential: Credential) {
    if machine.noteAccepted(credential.stamp) { publish(reason: nil) }
  }

  /// Records the failure of a refresh, which is tried again after a pause.
  func fail(_ pendingRefresh: SessionMachine.PendingRefresh, error: NetworkError) {
    machine.fail(pendingRefresh, error: error, now: time.monotonic(), random: random())
  }

  // MARK: Waiting

  /// The number of calls that wait for the refresh in progress.
  package var waitingCount: Int { waiters.count }

  func wait(until deadline: ContinuousClock.Instant?) async -> RefreshOutcome {
    nextWaiter += 1
    let id = nextWaiter
    let timer = deadline.map { deadline in
      Task.detached { [time] in
        guard (try? await time.sleep(deadline)) != nil else { return }
        await self.release(id, with: .timedOut)
      }
    }
    defer { timer?.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // Nothing else has run on the actor since the caller saw the refresh in progress, so no outcome was missed.
        waiters.add(id, continuation)
        if Task.isCancelled { waiters.resume(id, with: .cancelled) }
      }
    } onCancel: {
      Task.detached { await self.release(id, with: .cancelled) }
    }
  }

  private func release(_ id: UInt64, with outcome: RefreshOutcome) { waiters.resume(id, with: outcome) }

  // MARK: Publishing

  /// Publishes the machine's state; the tokens must be committed before.
  func publish(reason: String?) {
    self.reason = reason
    let phase = machine.phase
    let tokens = machine.tokens
    if tokens == nil { forgetUser() }
    published = SessionState(
      number: published.number + 1,
      phase: phase,
      since: phase == published.phase ? published.since : time.wall(),
      reason: reason,
      tokensIssuedAt: tokens?.issuedAt,
      accessExpiresAt: tokens?.accessExpiresAt,
      refreshExpiresAt: tokens?.refreshExpiresAt,
      user: user)
    logger.info(
      "session is \(phase.rawValue)", metadata: ["reason": "\(reason ?? "none")", "number": "\(published.number)"])
    onState(published)
    for listener in listeners.values { listener.yield(published) }
  }

  /// Removes what belonged to the previous session; `preferredLanguageCode` is stored with the new one's tokens.
  func forgetUser(preferredLanguageCode: String? = nil) {
    user = nil
    self.preferredLanguageCode = preferredLanguageCode
  }

  /// Ends every listener's stream.
  func finishListeners() {
    for listener in listeners.values { listener.finish() }
    listeners = [:]
  }

  private func removeListener(_ id: UInt64) { listeners[id] = nil }
}

/// A change of the session, reported by its controller within its own turn, so that nothing can come in between.
///
/// The session id consists of the login's on this device, and the backend's if it sends one.
package enum SessionChange: Hashable, Sendable {
  /// Stored tokens were restored after a restart.
  case restored(epoch: UInt64, sessionID: String)
  /// Somebody signed in.
  case loggedIn(epoch: UInt64, sessionID: String)
  /// The session has a new token pair; the backend may have sent another id with it.
  case refreshed(epoch: UInt64, sessionID: String)
  /// Nobody was signed in when the device was launched.
  case absent
  /// The session ended.
  case ended
  /// The device is being closed; its session continues with the next launch.
  case closed
}

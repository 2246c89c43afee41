package import Domain
import FoundationEssentials
package import Logging
import Vault

/// Owns a device's tokens: restores, refreshes, publishes and ends its session (seed 000 §3).
///
/// The rules are `SessionMachine`'s; this shell performs them. A change is committed without a suspension between the
/// comparison and the end: compare, persist, count the version, publish, let the waiters go.
package actor SessionController {
  let store: any TokenStore
  let time: Time
  let logger: Logger
  let refreshCall: RefreshCall
  /// Hears of each change before anybody else can act on it; must not wait.
  let onChange: @Sendable (SessionChange) -> Void
  private let onState: @Sendable (SessionState) -> Void

  var machine = SessionMachine() {
    // Whatever was cachedCredential must be asked for again.
    didSet { cachedCredential.set(nil) }
  }
  private let cachedCredential = CachedCredential()
  var waiters = RefreshWaiters()
  var isClosed = false
  private var nextWaiter: UInt64 = 0
  private var published: SessionState
  private var user: User?
  /// What is kept beside the tokens; nil for no choice and while nobody is signed in.
  package internal(set) var preferredLanguageCode: String?
  /// Stands for the login that the session comes from, over rotations and restarts; a backend's session id need not.
  var loginID = SecureRandom.uuid()
  /// Whether the tokens may come from a copy of the data, and the backend has not said yet that they are good.
  var isUnproven = false
  private var reason: String?
  private var listeners: [UInt64: AsyncStream<SessionState>.Continuation] = [:]
  private var nextListener: UInt64 = 0

  /// Makes the controller of a device that has not been bootstrapped; `onState` hears of every state, in order and before anybody else.
  package init(
    store: any TokenStore, time: Time, logger: Logger, refreshCall: @escaping RefreshCall,
    onChange: @escaping @Sendable (SessionChange) -> Void = { _ in },
    onState: @escaping @Sendable (SessionState) -> Void = { _ in }
  ) {
    self.store = store
    self.time = time
    self.logger = logger
    self.refreshCall = refreshCall
    self.onChange = onChange
    self.onState = onState
    published = SessionState(number: 0, phase: .signedOut, since: time.wall())
  }

  // MARK: State

  /// Where the session stands now.
  package var state: SessionState { published }

  /// The current state and every later one; a listener who is slow misses the oldest of more than 16.
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

  /// Adds who is signed in to the state, if the session is still the one that was asked under.
  package func setUser(_ user: User, epoch: UInt64) {
    guard machine.epoch == epoch, machine.tokens != nil, self.user != user else { return }
    self.user = user
    publish(reason: reason)
  }

  /// Sets how long before its expiry an access token is refreshed, as the backend's configuration says.
  package func setRefreshMargin(_ margin: Duration) { machine.margin = max(margin, .zero) }

  /// How many refreshes began in the last 30 s, of `SessionMachine.windowLimit`.
  package func recentRefreshes() -> Int { machine.recentStarts(time.monotonic()) }

  /// The epoch of the session; nil while nobody is signed in.
  package var epochIfSignedIn: UInt64? { machine.tokens == nil ? nil : machine.epoch }

  /// Whether the session is still the one that a call began under.
  package nonisolated func isCurrent(epoch: UInt64) async -> Bool {
    if cachedCredential.isOf(epoch: epoch) { return true }
    return await isCurrentNow(epoch: epoch)
  }

  private func isCurrentNow(epoch: UInt64) -> Bool { machine.epoch == epoch && machine.tokens != nil }

  // MARK: Credentials

  /// The access token to go out with; waits while a refresh is under way, and refreshes a token that is about to expire.
  ///
  /// `epoch` is that of the call's first attempt, nil before it. Throws `unauthorized` where nobody is signed in,
  /// `sessionEnded` where the call's session is over, `timeout`, `cancelled`, or why the refresh failed.
  package nonisolated func credential(
    epoch: UInt64?, deadline: ContinuousClock.Instant, cause: RefreshCause
  ) async throws(NetworkError) -> Credential {
    if let credential = cachedCredential.credential(epoch: epoch, now: time.monotonic()) { return credential }
    return try await decidedCredential(epoch: epoch, deadline: deadline, cause: cause)
  }

  private func decidedCredential(
    epoch: UInt64?, deadline: ContinuousClock.Instant, cause: RefreshCause
  ) async throws(NetworkError) -> Credential {
    var callEpoch = epoch
    while true {
      let now = time.monotonic()
      switch machine.request(epoch: callEpoch, now: now) {
      case .use(let credential):
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
      case .refreshed: continue
      case .ended: throw .sessionEnded
      case .cancelled: throw .cancelled
      case .timedOut: throw .timeout
      case .failed(let error):
        guard let credential = machine.fallback(epoch: callEpoch, now: time.monotonic()) else { throw error }
        return credential
      }
    }
  }

  /// Sees to a new token after one was refused with 401; returns when the call may be sent again.
  ///
  /// A token that was replaced meanwhile costs no refresh. Throws as `credential` does.
  package func recover(
    _ stamp: SessionStamp, isKnownBad: Bool, deadline: ContinuousClock.Instant, cause: RefreshCause
  ) async throws(NetworkError) {
    switch machine.refused(stamp, isKnownBad: isKnownBad, now: time.monotonic()) {
    case .use: return
    case .signedOut, .ended: throw .sessionEnded
    case .failed(let error): throw error
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

  // MARK: Waiting

  /// How many calls wait for the refresh under way.
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
        // Nothing else has run on the actor since the caller saw the refresh under way, so no outcome was missed.
        waiters.add(id, continuation)
        if Task.isCancelled { waiters.resume(id, with: .cancelled) }
      }
    } onCancel: {
      Task.detached { await self.release(id, with: .cancelled) }
    }
  }

  private func release(_ id: UInt64, with outcome: RefreshOutcome) { waiters.resume(id, with: outcome) }

  // MARK: Publishing

  /// Publishes what the machine says now; the tokens must be committed before.
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

  /// Forgets what belonged to the session before, as another begins; `preferredLanguageCode` is what was kept with its tokens.
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

/// What became of the session, told by its controller within its own turn, so that nothing can come between.
package enum SessionChange: Hashable, Sendable {
  /// Kept tokens were taken up again: the session of before the restart.
  case restored(epoch: UInt64, sessionID: String)
  /// Somebody signed in.
  case loggedIn(epoch: UInt64, sessionID: String)
  /// The session has another token pair; the id is the one that the backend named with it.
  case refreshed(epoch: UInt64, sessionID: String)
  /// Nobody is signed in (any more).
  case ended
  /// The device goes to sleep: its session is the next launch's.
  case closed
}

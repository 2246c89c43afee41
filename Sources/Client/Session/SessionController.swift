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
  private let store: any TokenStore
  private let time: Time
  private let logger: Logger
  private let refreshCall: RefreshCall
  /// Whether the backend has a refresh.
  private let canRefresh: @Sendable () -> Bool
  /// Whether other processes may have the session before and after this one.
  private let isShared: Bool
  /// Whether the app is launched; false if it continues in this process.
  private let isLaunch: Bool
  /// Called with each change before any other code can act on it; must not block.
  private let onChange: @Sendable (SessionChange) -> Void
  private let onState: @Sendable (SessionState) -> Void

  var machine: SessionMachine {
    // The cached credential may be outdated.
    didSet { cachedCredential.set(nil) }
  }
  private let random: @Sendable () -> Double
  private let cachedCredential = CachedCredential()
  private var waiters = RefreshWaiters()
  private var isClosed = false
  /// Whether the store rejected the session's last change.
  private var isBehind = false
  private var isSavingLater = false
  private var reasonOnceSaved: String?
  private var nextWaiter: UInt64 = 0
  private var published: SessionState
  private var user: User?
  /// The language that the user chose, stored with the tokens; nil for no choice and while no user is signed in.
  package internal(set) var preferredLanguageCode: String?
  /// Identifies the login over token rotations and restarts; a backend's session id need not distinguish logins.
  package internal(set) var loginID = SecureRandom.uuid()
  private var reason: String?
  private var listeners: [UInt64: AsyncStream<SessionState>.Continuation] = [:]
  private var nextListener: UInt64 = 0

  /// Creates the controller of a device that has not been bootstrapped; `onState` is called with every state, in order and before
  /// any other listener.
  package init(
    store: any TokenStore, time: Time, logger: Logger, refreshCall: @escaping RefreshCall,
    canRefresh: @escaping @Sendable () -> Bool = { true }, isShared: Bool = false,
    isLaunch: Bool = true, backoff: Backoff = .standard, random: @escaping @Sendable () -> Double = { 0.5 },
    onChange: @escaping @Sendable (SessionChange) -> Void = { _ in },
    onState: @escaping @Sendable (SessionState) -> Void = { _ in }
  ) {
    self.store = store
    self.time = time
    self.logger = logger
    self.refreshCall = refreshCall
    self.canRefresh = canRefresh
    self.isShared = isShared
    self.isLaunch = isLaunch
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

  /// Adds the user to the state if the session is still the one in which the user was fetched.
  package func setUser(_ user: User, epoch: UInt64) {
    guard machine.epoch == epoch, machine.tokens != nil, self.user != user else { return }
    self.user = user
    publish(reason: reason)
  }

  /// Sets how long before its expiry an access token is refreshed.
  package func setRefreshMargin(_ margin: Duration) { machine.margin = max(margin, .zero) }

  /// The number of refreshes started in the last 30 s, limited to `SessionMachine.windowLimit`.
  package func recentRefreshes() -> Int { machine.recentStarts(time.monotonic()) }

  /// The epoch of the session; nil while no user is signed in.
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
  /// `epoch` is that of the call's first attempt, nil before it. Throws `unauthorized` if no user is signed in, `sessionEnded` if
  /// the call's session is over, `timeout`, `cancelled`, or the error of the refresh. `refreshesAhead` is that of
  /// `SessionMachine.request`.
  package nonisolated func credential(
    epoch: UInt64?, deadline: ContinuousClock.Instant, cause: RefreshCause, refreshesAhead: Bool = true
  ) async throws(NetworkError) -> SessionCredential {
    if let credential = cachedCredential.credential(epoch: epoch, now: time.monotonic()) { return credential }
    return try await decidedCredential(epoch: epoch, deadline: deadline, cause: cause, refreshesAhead: refreshesAhead)
  }

  private func decidedCredential(
    epoch: UInt64?, deadline: ContinuousClock.Instant, cause: RefreshCause, refreshesAhead: Bool
  ) async throws(NetworkError) -> SessionCredential {
    var callEpoch = epoch
    var hasRefreshed = false
    while true {
      let now = time.monotonic()
      updateRefreshing()
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

  /// Records that the backend accepted a call whose credential was doubtful, which ends the phase `error`.
  package func noteAccepted(_ credential: SessionCredential) {
    if machine.noteAccepted(credential.stamp) { publish(reason: nil) }
  }

  /// Adds the values captured by a call of the session to those stored with its tokens.
  func note(_ captured: [String: String], epoch: UInt64) {
    guard !isClosed, machine.note(captured, epoch: epoch) else { return }
    do throws(TokenStoreError) { try save() } catch { saveLater(reason: reason) }
  }

  /// The account from the sign-in, as the contract's JSON, and its session; nil if no user is signed in.
  var accountFromSignIn: (json: String?, epoch: UInt64)? {
    machine.tokens.map { ($0.captured?.account, machine.epoch) }
  }

  /// Applies a change of the backend file.
  private func updateRefreshing() {
    let canRefresh = canRefresh()
    if machine.canRefresh != canRefresh { machine.canRefresh = canRefresh }
  }

  /// Records the failure of a refresh, which is retried after a pause.
  private func fail(_ pendingRefresh: SessionMachine.PendingRefresh, error: NetworkError) {
    machine.fail(pendingRefresh, error: error, now: time.monotonic(), random: random())
  }

  // MARK: Waiting

  /// The number of calls that wait for the refresh in progress.
  package var waitingCount: Int { waiters.count }

  private func wait(until deadline: ContinuousClock.Instant?) async -> RefreshOutcome {
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
  private func publish(reason: String?) {
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

  /// Removes the previous session's data; `preferredLanguageCode` is stored with the new one's tokens.
  private func forgetUser(preferredLanguageCode: String? = nil) {
    user = nil
    self.preferredLanguageCode = preferredLanguageCode
  }

  /// Ends every listener's stream.
  private func finishListeners() {
    for listener in listeners.values { listener.finish() }
    listeners = [:]
  }

  private func removeListener(_ id: UInt64) { listeners[id] = nil }
}

/// A change of the session, reported by its controller within its own turn, so that no other change can come in between.
///
/// The session id consists of the login's on this device, and the backend's if it sends one.
package enum SessionChange: Hashable, Sendable {
  /// Stored tokens were restored after a restart.
  case restored(epoch: UInt64, sessionID: String)
  /// A user signed in.
  case loggedIn(epoch: UInt64, sessionID: String)
  /// The session has a new token pair; the backend may have sent another id with it.
  case refreshed(epoch: UInt64, sessionID: String)
  /// No user was signed in when the device was launched.
  case absent
  /// The session ended.
  case ended
  /// The device is being closed; its session continues with the next launch.
  case closed
}

extension SessionController {
  /// Reads the stored tokens, refreshes them and returns the resulting state (seed-rules N-47 "At launch", N-49 "delete the
  /// tokens"). Without a launch it refreshes only if a refresh may have been cut off or the access token is due.
  ///
  /// Tokens are removed only if the backend ends the session or if they do not decrypt; any other failure leaves them, in phase
  /// `error`.
  @discardableResult
  package func bootstrap() async -> SessionState {
    let before = (machine.epoch, machine.version)
    let loaded = await loaded()
    guard (machine.epoch, machine.version) == before, !isClosed else { return state }
    switch loaded {
    case .success(nil):
      onChange(.absent)
      publish(reason: state.reason)
    case .success(let kept?):
      machine.begin(SessionTokens(kept, now: time.monotonic(), wall: time.wall()))
      loginID = kept.loginID ?? SecureRandom.uuid()
      onChange(.restored(epoch: machine.epoch, sessionID: uniqueID(kept.sessionID)))
      forgetUser(preferredLanguageCode: kept.preferredLanguageCode)
      waiters.resumeAll(with: .ended)
      updateRefreshing()
      let isNotDue = !isLaunch && kept.isRefreshing != true && machine.isUsable(now: time.monotonic())
      if !machine.canRefresh || isNotDue {
        publish(reason: nil)
        return state
      }
      _ = await refresh(cause: RefreshCause(flow: Flow.current ?? Flow(name: "bootstrap")))
    case .failure(.damaged):
      logger.error("stored tokens cannot be decrypted; signed out")
      finish(reason: .vaultDamaged)
    case .failure:
      logger.error("stored tokens cannot be read")
      publish(reason: "storage_unavailable")
    }
    return state
  }

  /// Reads the stored tokens, repeatedly for some seconds if the database that other processes share is unreachable.
  private func loaded() async -> Result<StoredTokens?, TokenStoreError> {
    var pauses = isShared ? [0.2, 0.5, 1, 2, 5, 5] : []
    while true {
      let loaded = await Task.detached { [store] () -> Result<StoredTokens?, TokenStoreError> in
        do throws(TokenStoreError) { return .success(try store.load()) } catch { return .failure(error) }
      }.value
      guard case .failure(.unavailable) = loaded, !pauses.isEmpty, !isClosed else { return loaded }
      guard (try? await time.sleep(time.monotonic() + .seconds(pauses.removeFirst()))) != nil else { return loaded }
    }
  }

  /// Refreshes now, even after recent failures; joins a refresh in progress.
  @discardableResult
  package func refresh(cause: RefreshCause = RefreshCause(flow: Flow.current)) async -> RefreshOutcome {
    updateRefreshing()
    switch machine.force() {
    case .start(let pendingRefresh): start(pendingRefresh, cause: cause)
    case .join: break
    case .failed(let error): return .failed(error)
    default: return .ended
    }
    return await wait(until: nil)
  }

  /// Starts a session with the tokens of a login; throws `storageFull` and starts none if they cannot be saved.
  ///
  /// The caller's cancellation and executor do not affect the commit.
  package nonisolated func adopt(_ tokens: SessionTokens) async throws(NetworkError) {
    let result = await Task.detached { await self.commitLogin(tokens) }.value
    try result.get()
  }

  /// Saves the language that the user chose, nil for none, with the session's tokens (seed-rules N-43 "preferred language").
  ///
  /// Throws `unauthorized` if no user is signed in, and `storageFull` if it cannot be saved; the earlier choice then stays.
  package nonisolated func setPreferredLanguageCode(_ code: String?) async throws(NetworkError) {
    let result = await Task.detached { await self.commitPreferredLanguageCode(code) }.value
    try result.get()
  }

  /// The reason of a session that ended although its tokens could not be removed from the disk.
  package static let tokensNotRemovedReason = "storage_full"

  /// Ends the session on this device; returns its tokens, so that the backend can be notified.
  @discardableResult
  package nonisolated func logout(reason: LogoutReason) async -> SessionTokens? {
    await Task.detached { await self.finish(reason: reason) }.value
  }

  /// Ends the session because the backend's response to a call with the credential of `stamp` requires it.
  ///
  /// Has no effect on a later session. Returns false, and ends nothing, if only the token was rejected and has been replaced
  /// since.
  package nonisolated func end(_ stamp: SessionStamp, reason: LogoutReason) async -> Bool {
    await Task.detached { await self.endNow(stamp, reason: reason) }.value
  }

  private func endNow(_ stamp: SessionStamp, reason: LogoutReason) -> Bool {
    guard stamp.epoch == machine.epoch else { return true }
    if reason.isOfToken, stamp.version != machine.version { return false }
    finish(reason: reason)
    return true
  }

  /// Waits for a refresh in progress, by default at most 5 s, then accepts no more tokens and ends the state streams.
  ///
  /// The response to a slower refresh is lost, and the next launch repeats it.
  package func close(refreshTimeout: Duration = .seconds(5)) async {
    if machine.pendingRefresh != nil { _ = await wait(until: time.monotonic() + refreshTimeout) }
    if isBehind { try? save() }
    isClosed = true
    // In memory only: the stored tokens are for the next launch.
    machine.end()
    onChange(.closed)
    waiters.resumeAll(with: .ended)
    finishListeners()
  }

  /// Runs a refresh in a detached task, which a waiter's cancellation does not affect.
  private func start(_ pendingRefresh: SessionMachine.PendingRefresh, cause: RefreshCause) {
    publish(reason: nil)
    let rows = StartedRows.current
    Task.detached { [refreshCall] in
      let result = await StartedRows.$current.withValue(rows) { () async -> Result<SessionTokens, RefreshFailure> in
        do throws(RefreshFailure) {
          return .success(
            try await refreshCall(pendingRefresh.tokens, cause) { await self.refusal(of: pendingRefresh) })
        } catch {
          return .failure(error)
        }
      }
      await self.finish(pendingRefresh, result)
    }
  }

  private func finish(_ pendingRefresh: SessionMachine.PendingRefresh, _ result: Result<SessionTokens, RefreshFailure>) {
    guard machine.accepts(pendingRefresh), !isClosed else {
      logger.debug("the outcome of a refresh was dropped: its session is over")
      return
    }
    switch result {
    case .success(var tokens):
      tokens.sessionID = tokens.sessionID ?? machine.tokens?.sessionID
      if let new = tokens.captured {
        var session = machine.tokens?.captured ?? CapturedSession()
        session.merge(new.values)
        tokens.captured = session
      }
      if tokens.refreshToken == machine.tokens?.refreshToken {
        tokens.refreshExpiresAt = tokens.refreshExpiresAt ?? machine.tokens?.refreshExpiresAt
      }
      var reason: String?
      isBehind = false
      do throws(TokenStoreError) {
        try store.save(StoredTokens(tokens, preferredLanguageCode: preferredLanguageCode, loginID: loginID))
      } catch {
        // The old pair is used up, so the new one is the session.
        logger.error("refreshed tokens could not be saved")
        reason = error == .storageFull ? "storage_full" : "storage_unavailable"
        saveLater(reason: nil)
      }
      machine.commit(pendingRefresh, tokens: tokens)
      onChange(.refreshed(epoch: machine.epoch, sessionID: uniqueID(tokens.sessionID)))
      publish(reason: reason)
      waiters.resumeAll(with: .refreshed)
    case .failure(let failure):
      if let reason = failure.refusal {
        finish(reason: reason)
        return
      }
      let error = failure.error
      fail(pendingRefresh, error: error)
      publish(reason: machine.phase == .authenticated ? nil : error.word)
      waiters.resumeAll(with: .failed(error))
      if let retryAt = machine.retryAt { retry(at: retryAt) }
    }
  }

  /// Retries a failed refresh: the backend returns the successor of a used token for some seconds, and may be reachable again
  /// later.
  private func retry(at instant: ContinuousClock.Instant) {
    Task.detached { [weak self, time] in
      guard (try? await time.sleep(instant)) != nil else { return }
      await self?.retryNow()
    }
  }

  private func retryNow() {
    updateRefreshing()
    guard !isClosed, let pendingRefresh = machine.retry(now: time.monotonic()) else { return }
    start(pendingRefresh, cause: RefreshCause(flow: Flow(name: "refresh")))
  }

  /// An id of the session that no other user's session has: a backend may send no id, or the same one to all users.
  private func uniqueID(_ sessionID: String?) -> String { [loginID, sessionID ?? ""].joined(separator: " ") }

  private func commitLogin(_ tokens: SessionTokens) -> Result<Void, NetworkError> {
    guard !isClosed else { return .failure(.sessionEnded) }
    let loginID = SecureRandom.uuid()
    do throws(TokenStoreError) {
      try store.save(StoredTokens(tokens, loginID: loginID))
    } catch {
      logger.error("the tokens of a login could not be saved")
      return .failure(.storageFull)
    }
    isBehind = false
    machine.begin(tokens)
    self.loginID = loginID
    onChange(.loggedIn(epoch: machine.epoch, sessionID: uniqueID(tokens.sessionID)))
    forgetUser()
    publish(reason: nil)
    waiters.resumeAll(with: .ended)
    return .success(())
  }

  private func commitPreferredLanguageCode(_ code: String?) -> Result<Void, NetworkError> {
    guard !isClosed, let tokens = machine.tokens else { return .failure(.unauthorized) }
    do throws(TokenStoreError) { try store.save(stored(tokens, code)) } catch {
      logger.error("the preferred language could not be saved")
      return .failure(.storageFull)
    }
    (preferredLanguageCode, isBehind) = (code, false)
    return .success(())
  }

  @discardableResult
  private func finish(reason: LogoutReason) -> SessionTokens? {
    // A closed controller has a successor, to which the stored tokens belong.
    guard !isClosed else { return nil }
    let tokens = machine.end()
    onChange(.ended)
    var word = reason.rawValue
    do throws(TokenStoreError) { try save() } catch {
      logger.error("the tokens of an ended session could not be removed")
      word = Self.tokensNotRemovedReason
      saveLater(reason: reason.rawValue)
    }
    publish(reason: word)
    waiters.resumeAll(with: .ended)
    return tokens
  }
}

extension SessionController {
  /// The pauses between the retries of a write that the store rejected; the last pause repeats.
  private static let pauses: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2), .seconds(5)]

  /// Retries the last change of the session until the store accepts it; `reason` is then that of the state.
  ///
  /// Until then, the next launch, or another console that takes the device, begins with used tokens.
  private func saveLater(reason: String?) {
    reasonOnceSaved = reason
    isBehind = true
    guard !isSavingLater else { return }
    isSavingLater = true
    Task.detached { [weak self, time] in
      for turn in 0... {
        let pause = Self.pauses[min(turn, Self.pauses.count - 1)]
        guard (try? await time.sleep(time.monotonic() + pause)) != nil, await self?.saveAgain() == false else { return }
      }
    }
  }

  /// Writes the session's current data; throws `TokenStoreError`.
  private func save() throws(TokenStoreError) {
    if let tokens = machine.tokens {
      try store.save(stored(tokens, preferredLanguageCode))
    } else {
      try store.clear()
    }
    isBehind = false
  }

  /// The stored form of the tokens; if another process may continue the session, it also records a refresh that may have used
  /// them.
  private func stored(_ tokens: SessionTokens, _ preferredLanguageCode: String?) -> StoredTokens {
    StoredTokens(
      tokens, preferredLanguageCode: preferredLanguageCode, loginID: loginID,
      isRefreshing: isShared && machine.mayHaveUsedToken(now: time.monotonic()))
  }

  /// Why a refresh must not be sent now; nil if it may.
  ///
  /// A backend ends a session whose token is used twice. So a session that has ended here sends none, however late its attempt
  /// begins. If other processes may continue the session, the store first records the refresh, in case this process is lost.
  private func refusal(of pendingRefresh: SessionMachine.PendingRefresh) -> NetworkError? {
    guard !isClosed, machine.accepts(pendingRefresh) else { return .sessionEnded }
    guard isShared else { return nil }
    do throws(TokenStoreError) { try save() } catch {
      logger.warning("a refresh is not in the store, and not sent")
      return .storageUnavailable
    }
    return nil
  }

  /// Whether the last change is saved or needs no saving.
  private func saveAgain() -> Bool {
    if isBehind, !isClosed {
      do throws(TokenStoreError) { try save() } catch { return false }
      logger.info("the session was saved after all")
      publish(reason: reasonOnceSaved)
    }
    isSavingLater = false
    return true
  }
}

package import Domain
import FoundationEssentials
import Logging
import Vault

extension SessionController {
  /// Reads the kept tokens and refreshes them; returns where the session stands then (seed 000 §3.3).
  ///
  /// Tokens go only when the backend says so, or when they cannot be opened; anything else leaves them, in phase `error`.
  @discardableResult
  package func bootstrap() async -> SessionState {
    let before = (machine.epoch, machine.version)
    let store = store
    let loaded = await Task.detached { () -> Result<StoredTokens?, TokenStoreError> in
      do throws(TokenStoreError) { return .success(try store.load()) } catch { return .failure(error) }
    }.value
    guard (machine.epoch, machine.version) == before, !isClosed else { return state }
    switch loaded {
    case .success(nil):
      onChange(.ended)
      publish(reason: state.reason)
    case .success(let kept?):
      machine.begin(SessionTokens(kept, now: time.monotonic(), wall: time.wall()))
      onChange(.restored(epoch: machine.epoch, sessionID: kept.sessionID))
      forgetUser(preferredLanguageCode: kept.preferredLanguageCode)
      loginID = kept.loginID ?? SecureRandom.uuid()
      isUnproven = kept.isUnproven
      waiters.resumeAll(with: .ended)
      _ = await refresh(cause: RefreshCause(flow: Flow.current ?? Flow(name: "bootstrap")))
    case .failure(.damaged):
      logger.error("kept tokens do not open; signed out")
      finish(reason: .vaultDamaged)
    case .failure:
      logger.error("kept tokens cannot be read")
      publish(reason: "storage_unavailable")
    }
    return state
  }

  /// Refreshes now, whatever failed before; a refresh that is under way is joined.
  @discardableResult
  package func refresh(cause: RefreshCause = RefreshCause(flow: Flow.current)) async -> RefreshOutcome {
    switch machine.force(now: time.monotonic()) {
    case .start(let pendingRefresh): start(pendingRefresh, cause: cause)
    case .join: break
    default: return .ended
    }
    return await wait(until: nil)
  }

  /// Begins a session with the tokens of a login; throws `storageFull` and begins none where they cannot be kept.
  ///
  /// Neither the caller's cancellation nor its executor reaches the commit.
  package nonisolated func adopt(_ tokens: SessionTokens) async throws(NetworkError) {
    let result = await Task.detached { await self.commitLogin(tokens) }.value
    try result.get()
  }

  /// Keeps the language that the account's owner chose, nil for none, with the tokens of the session (seed 000 §3.2).
  ///
  /// Throws `unauthorized` where nobody is signed in and `storageFull` where it cannot be kept; the choice before stays then.
  package nonisolated func setPreferredLanguageCode(_ code: String?) async throws(NetworkError) {
    let result = await Task.detached { await self.commitPreferredLanguageCode(code) }.value
    try result.get()
  }

  /// The reason of a session that ended here while its tokens could not be removed from the disk.
  package static let keptReason = "storage_full"

  /// Ends the session on this device; returns the tokens that it had, for telling the backend.
  @discardableResult
  package nonisolated func logout(reason: LogoutReason) async -> SessionTokens? {
    await Task.detached { await self.finish(reason: reason) }.value
  }

  /// Ends the session because the backend said so to a call of it; a call of another session changes nothing.
  package nonisolated func end(epoch: UInt64, reason: LogoutReason) async {
    _ = await Task.detached { await self.finish(reason: reason, epoch: epoch) }.value
  }

  /// Lets the refresh under way end, for 5 s at most, then takes no more tokens and ends the state streams.
  package func close() async {
    if machine.pendingRefresh != nil { _ = await wait(until: time.monotonic() + .seconds(5)) }
    isClosed = true
    // In memory alone: the kept tokens are the next launch's.
    machine.end()
    onChange(.closed)
    waiters.resumeAll(with: .ended)
    finishListeners()
  }

  /// Carries out a refresh in a task of its own, which no waiter's cancellation reaches.
  func start(_ pendingRefresh: SessionMachine.PendingRefresh, cause: RefreshCause) {
    publish(reason: nil)
    Task.detached { [refreshCall] in
      let result: Result<SessionTokens, NetworkError>
      do throws(NetworkError) {
        result = .success(try await refreshCall(pendingRefresh.refreshToken, cause))
      } catch {
        result = .failure(error)
      }
      await self.finish(pendingRefresh, result)
    }
  }

  private func finish(_ pendingRefresh: SessionMachine.PendingRefresh, _ result: Result<SessionTokens, NetworkError>) {
    guard machine.accepts(pendingRefresh), !isClosed else {
      logger.debug("the outcome of a refresh was dropped: its session is over")
      return
    }
    switch result {
    case .success(let tokens):
      var reason: String?
      do throws(TokenStoreError) {
        try store.save(StoredTokens(tokens, preferredLanguageCode: preferredLanguageCode, loginID: loginID))
      } catch {
        // The old pair is spent, so the new one is the session; it is only lost with the process.
        logger.error("refreshed tokens could not be kept")
        reason = error == .storageFull ? "storage_full" : "storage_unavailable"
      }
      isUnproven = false
      machine.commit(pendingRefresh, tokens: tokens)
      onChange(.refreshed(epoch: machine.epoch, sessionID: tokens.sessionID))
      publish(reason: reason)
      waiters.resumeAll(with: .refreshed)
    case .failure(let error):
      if let reason = UnauthorizedRules.logoutReason(onRefresh: error) {
        finish(reason: reason)
        return
      }
      if isUnproven, UnauthorizedRules.isRefusal(ofRefresh: error) {
        logger.notice("tokens that came from a copy were refused; signed out")
        finish(reason: .invalidToken)
        return
      }
      machine.fail(pendingRefresh, error: error, now: time.monotonic())
      publish(reason: error.word)
      waiters.resumeAll(with: .failed(error))
      if let retryAt = machine.retryAt { retry(at: retryAt) }
    }
  }

  /// Tries again what may have used the refresh token up, while the backend still gives its successor.
  private func retry(at instant: ContinuousClock.Instant) {
    Task.detached { [weak self, time] in
      guard (try? await time.sleep(instant)) != nil else { return }
      await self?.retryNow()
    }
  }

  private func retryNow() {
    guard !isClosed, let pendingRefresh = machine.retry(now: time.monotonic()) else { return }
    start(pendingRefresh, cause: RefreshCause(flow: Flow(name: "refresh")))
  }

  private func commitLogin(_ tokens: SessionTokens) -> Result<Void, NetworkError> {
    guard !isClosed else { return .failure(.sessionEnded) }
    let loginID = SecureRandom.uuid()
    do throws(TokenStoreError) {
      try store.save(StoredTokens(tokens, loginID: loginID))
    } catch {
      logger.error("the tokens of a login could not be kept")
      return .failure(.storageFull)
    }
    machine.begin(tokens)
    onChange(.loggedIn(epoch: machine.epoch, sessionID: tokens.sessionID))
    forgetUser()
    self.loginID = loginID
    isUnproven = false
    publish(reason: nil)
    waiters.resumeAll(with: .ended)
    return .success(())
  }

  private func commitPreferredLanguageCode(_ code: String?) -> Result<Void, NetworkError> {
    guard !isClosed, let tokens = machine.tokens else { return .failure(.unauthorized) }
    var stored = StoredTokens(tokens, preferredLanguageCode: code, loginID: loginID)
    stored.isUnproven = isUnproven
    do throws(TokenStoreError) { try store.save(stored) } catch {
      logger.error("the preferred language could not be kept")
      return .failure(.storageFull)
    }
    preferredLanguageCode = code
    return .success(())
  }

  @discardableResult
  private func finish(reason: LogoutReason, epoch: UInt64? = nil) -> SessionTokens? {
    // A closed controller has a successor, whose tokens these would be.
    guard !isClosed else { return nil }
    if let epoch, epoch != machine.epoch { return nil }
    let tokens = machine.end()
    onChange(.ended)
    var word = reason.rawValue
    do throws(TokenStoreError) {
      try store.clear()
    } catch {
      logger.error("the tokens of an ended session could not be removed")
      word = Self.keptReason
    }
    publish(reason: word)
    waiters.resumeAll(with: .ended)
    return tokens
  }
}

package import Domain
import FoundationEssentials
import Logging
import Vault

extension SessionController {
  /// Reads the stored tokens, refreshes them and returns the resulting state (seed-rules N-47 "At launch", N-49 "delete the
  /// tokens"). What is no launch needs no refresh, unless one may have been cut off or the access token is due.
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
      if !isLaunch, kept.isRefreshing != true, machine.isUsable(now: time.monotonic()) {
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

  /// Reads the stored tokens, again and again for some seconds if a database that other processes share is away.
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
    switch machine.force(now: time.monotonic()) {
    case .start(let pendingRefresh): start(pendingRefresh, cause: cause)
    case .join: break
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
  /// Throws `unauthorized` if nobody is signed in, and `storageFull` if it cannot be saved; the earlier choice then stays.
  package nonisolated func setPreferredLanguageCode(_ code: String?) async throws(NetworkError) {
    let result = await Task.detached { await self.commitPreferredLanguageCode(code) }.value
    try result.get()
  }

  /// The reason of a session that ended although its tokens could not be removed from the disk.
  package static let tokensNotRemovedReason = "storage_full"

  /// Ends the session on this device; returns its tokens, so that the backend can be told.
  @discardableResult
  package nonisolated func logout(reason: LogoutReason) async -> SessionTokens? {
    await Task.detached { await self.finish(reason: reason) }.value
  }

  /// Ends the session because the backend said so in response to a call with the credential of `stamp`.
  ///
  /// Has no effect on a later session. Returns false, and ends nothing, if only the token was refused and has been replaced
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
  /// The answer of a refresh that takes longer is lost, and the next launch repeats it.
  package func close(patience: Duration = .seconds(5)) async {
    if machine.pendingRefresh != nil { _ = await wait(until: time.monotonic() + patience) }
    if isBehind { try? save() }
    isClosed = true
    // In memory only: the stored tokens are for the next launch.
    machine.end()
    onChange(.closed)
    waiters.resumeAll(with: .ended)
    finishListeners()
  }

  /// Runs a refresh in a detached task, which no waiter's cancellation reaches.
  func start(_ pendingRefresh: SessionMachine.PendingRefresh, cause: RefreshCause) {
    publish(reason: nil)
    Task.detached { [refreshCall] in
      let result: Result<SessionTokens, RefreshFailure>
      do throws(RefreshFailure) {
        result = .success(
          try await refreshCall(pendingRefresh.refreshToken, cause) { await self.refusal(of: pendingRefresh) })
      } catch {
        result = .failure(error)
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

  /// Tries a refresh that failed again: the backend returns the successor of a used token for some seconds, and later it may be back.
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

  /// An id of the session that no other user's session has: a backend may send none, or everybody the same.
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

import Domain
import Logging

extension SessionController {
  /// How long after a write that the store refused it is tried again; the last pause repeats.
  private static let pauses: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2), .seconds(5)]

  /// Tries the last change of the session again until the store takes it; `reason` is then that of the state.
  ///
  /// Until then, the next launch, or another console that takes the device, would begin with tokens that are used up.
  func saveLater(reason: String?) {
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

  /// Writes what the session has become; throws `TokenStoreError`.
  func save() throws(TokenStoreError) {
    if let tokens = machine.tokens {
      try store.save(stored(tokens, preferredLanguageCode))
    } else {
      try store.clear()
    }
    isBehind = false
  }

  /// What is stored of tokens; while a refresh may have used them up, that too, if another process may go on with them.
  func stored(_ tokens: SessionTokens, _ preferredLanguageCode: String?) -> StoredTokens {
    StoredTokens(
      tokens, preferredLanguageCode: preferredLanguageCode, loginID: loginID,
      isRefreshing: isShared && machine.mayHaveUsedToken(now: time.monotonic()))
  }

  /// Why a refresh must not be sent now; nil if it may.
  ///
  /// A backend ends a session whose token is used twice. So a session that has ended here sends none, however late its attempt
  /// begins; and if other processes may have the session, the store first takes a note for whoever goes on if this one is lost.
  func refusal(of pendingRefresh: SessionMachine.PendingRefresh) -> NetworkError? {
    guard !isClosed, machine.accepts(pendingRefresh) else { return .sessionEnded }
    guard isShared else { return nil }
    do throws(TokenStoreError) { try save() } catch {
      logger.warning("a refresh is not in the store, and not sent")
      return .storageUnavailable
    }
    return nil
  }

  /// Whether there is nothing more to try.
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

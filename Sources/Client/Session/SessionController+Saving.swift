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
      try store.save(StoredTokens(tokens, preferredLanguageCode: preferredLanguageCode, loginID: loginID))
    } else {
      try store.clear()
    }
    isBehind = false
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

import Locking

/// Where one device's tokens for one backend are kept over a restart (seed 000 §3.2); calls may block for one small statement, so
/// the session controller keeps them off the event loops.
///
/// What was saved is there once `save` has returned, and never half of it.
package protocol TokenStore: Sendable {
  /// The tokens that were kept, nil where there are none; throws `damaged` where they cannot be trusted.
  func load() throws(TokenStoreError) -> StoredTokens?
  /// Keeps the tokens in place of those before.
  func save(_ tokens: StoredTokens) throws(TokenStoreError)
  /// Forgets the tokens with all that is kept beside them.
  func clear() throws(TokenStoreError)
}

/// Why tokens could not be read or written.
package enum TokenStoreError: Error, Hashable, Sendable {
  /// The row does not open with this key, device and backend, or holds something else than tokens.
  case damaged
  /// No space is left.
  case storageFull
  /// The database refused for another reason.
  case unavailable
}

/// Tokens that live as long as the process: nothing of them reaches a disk.
package final class MemoryTokenStore: TokenStore {
  private let kept = Locked<StoredTokens?>(nil)

  /// Makes an empty store.
  package init() {}

  /// The tokens that were kept, nil where there are none.
  package func load() throws(TokenStoreError) -> StoredTokens? { kept.withLock { $0 } }

  /// Keeps the tokens in place of those before.
  package func save(_ tokens: StoredTokens) throws(TokenStoreError) { kept.withLock { $0 = tokens } }

  /// Forgets the tokens with all that is kept beside them.
  package func clear() throws(TokenStoreError) { kept.withLock { $0 = nil } }
}

import Locking

/// Stores one device's tokens for one backend over restarts (seed-rules N-42 "token store keeps"). Calls may block for one small
/// statement, so the session controller keeps them off the event loops.
///
/// Saved tokens are durable once `save` has returned, and never saved in part.
package protocol TokenStore: Sendable {
  /// Reads the tokens, nil if there are none; throws `damaged` if they do not decrypt.
  func load() throws(TokenStoreError) -> StoredTokens?
  /// Saves the tokens, replacing earlier ones.
  func save(_ tokens: StoredTokens) throws(TokenStoreError)
  /// Removes the tokens and everything stored with them.
  func clear() throws(TokenStoreError)
}

/// Why tokens could not be read or written.
package enum TokenStoreError: Error, Hashable, Sendable {
  /// The row does not decrypt with this key, device and backend, or does not contain tokens.
  case damaged
  /// The disk is full.
  case storageFull
  /// The database failed for another reason.
  case unavailable
}

/// Keeps tokens in memory only.
package final class MemoryTokenStore: TokenStore {
  private let kept = Locked<StoredTokens?>(nil)

  /// Creates an empty store.
  package init() {}

  /// The tokens; nil if there are none.
  package func load() throws(TokenStoreError) -> StoredTokens? { kept.withLock { $0 } }

  /// Saves the tokens, replacing earlier ones.
  package func save(_ tokens: StoredTokens) throws(TokenStoreError) { kept.withLock { $0 = tokens } }

  /// Removes the tokens and everything stored with them.
  package func clear() throws(TokenStoreError) { kept.withLock { $0 = nil } }
}

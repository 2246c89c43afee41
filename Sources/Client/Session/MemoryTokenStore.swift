import Locking

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

import Client
import Locking

/// A store in memory that can block a reader after it has read, like a slow disk.
final class BlockingTokenStore: TokenStore {
  private let memory = MemoryTokenStore()
  private let isHolding = Locked(false)
  private let entered = ThreadGate()
  private let released = ThreadGate()

  /// Blocks the next reader.
  func hold() { isHolding.withLock { $0 = true } }

  /// Waits until a reader is blocked.
  func waitForReader() { entered.wait() }

  /// Releases it and all later readers.
  func release() {
    isHolding.withLock { $0 = false }
    released.open()
  }

  func load() throws(TokenStoreError) -> StoredTokens? {
    let tokens = try memory.load()
    if isHolding.withLock({ $0 }) {
      entered.open()
      released.wait()
    }
    return tokens
  }

  func save(_ tokens: StoredTokens) throws(TokenStoreError) { try memory.save(tokens) }

  func clear() throws(TokenStoreError) { try memory.clear() }
}

import Client
import Locking

/// A store in memory that can hold a reader between its reading and its return, as a slow disk does.
final class HeldTokenStore: TokenStore {
  private let memory = MemoryTokenStore()
  private let isHolding = Locked(false)
  private let (entered, released) = (ThreadGate(), ThreadGate())

  /// Holds the next reader.
  func hold() { isHolding.withLock { $0 = true } }

  /// Waits until a reader is held.
  func waitForReader() { entered.wait() }

  /// Lets it go, and every later one.
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

/// A store of tokens that a fault rule can take the disk away from.
struct FaultyTokenStore: TokenStore {
  let store: any TokenStore
  let faults: FaultInjector

  func load() throws(TokenStoreError) -> StoredTokens? { try store.load() }

  func save(_ tokens: StoredTokens) throws(TokenStoreError) {
    guard !faults.refusesStorage() else { throw .storageFull }
    try store.save(tokens)
  }

  func clear() throws(TokenStoreError) { try store.clear() }
}

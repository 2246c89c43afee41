package import Storage
package import Vault

/// One device's tokens for one backend, sealed in a shared database.
///
/// The session controller keeps its calls off the event loops.
package struct SealedTokenStore: TokenStore {
  private static let table = SealedTable(name: "client_token")

  private let place: SealedTable.Place

  /// Creates the store of one device and backend; the table must exist (``schema``).
  package init(storage: any StorageEngine, key: SealingKey, backendID: String, deviceID: String) {
    place = SealedTable.Place(storage: storage, key: key, backendID: backendID, deviceID: deviceID)
  }

  /// The script that creates the table; tables of earlier versions also have the time of the last change.
  package static let schema = table.schema

  /// Removes the tokens of a device, for every backend.
  package static func removeAll(deviceID: String, in transaction: any StorageTransaction) throws(StorageError) {
    try table.removeAll(deviceID: deviceID, in: transaction)
  }

  /// Makes all tokens unreadable, so that their devices are signed out with the reason `vault_damaged`.
  package static func invalidateAll(_ transaction: any StorageTransaction) throws(StorageError) {
    try transaction.execute("UPDATE client_token SET sealed = ?", [0 as UInt8])
  }

  /// Reads the tokens, nil if there are none; throws `damaged` if they do not decrypt.
  package func load() throws(TokenStoreError) -> StoredTokens? { try Self.table.load(StoredTokens.self, at: place) }

  /// Saves the tokens, replacing earlier ones.
  package func save(_ tokens: StoredTokens) throws(TokenStoreError) { try Self.table.save(tokens, at: place) }

  /// Removes the tokens.
  package func clear() throws(TokenStoreError) { try Self.table.clear(at: place) }

  /// Encrypts with `new` the tokens that `old` decrypts, for every device and backend; returns how many.
  package static func reseal(
    _ transaction: any StorageTransaction, from old: SealingKey, to new: SealingKey
  ) throws(StorageError) -> Int { try table.reseal(transaction, from: old, to: new) }
}

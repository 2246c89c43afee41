package import FoundationEssentials
package import Storage
package import Vault

/// The captured values of an incomplete sign-in, and until when its code or link is valid.
package struct UnfinishedSignIn: Codable, Hashable, Sendable {
  package let values: [String: String]
  package let until: Date
  /// The hosts in addition to the backend's that received the file's requests, in order; another file's hosts must not get the
  /// values.
  package let hosts: [String]

  package init(values: [String: String], until: Date, hosts: Set<String> = []) {
    self.values = values
    self.until = until
    self.hosts = hosts.sorted()
  }
}

/// Stores the unfinished sign-in of one device at one backend over restarts. Calls may block for one small statement.
package protocol SignInStore: Sendable {
  /// Reads it, nil if there is none; throws `damaged` if it does not decrypt.
  func load() throws(TokenStoreError) -> UnfinishedSignIn?
  /// Saves it, replacing an earlier one.
  func save(_ signIn: UnfinishedSignIn) throws(TokenStoreError)
  /// Removes it.
  func clear() throws(TokenStoreError)
}

/// One device's unfinished sign-in at one backend, sealed in a shared database.
package struct SealedSignInStore: SignInStore {
  private static let table = SealedTable(name: "client_sign_in")

  private let place: SealedTable.Place

  /// Creates the store of one device and backend; the table must exist (``schema``).
  package init(storage: any StorageEngine, key: SealingKey, backendID: String, deviceID: String) {
    place = SealedTable.Place(storage: storage, key: key, backendID: backendID, deviceID: deviceID)
  }

  /// The script that creates the table.
  package static let schema = table.schema

  /// Removes the unfinished sign-ins of a device, for every backend.
  package static func removeAll(deviceID: String, in transaction: any StorageTransaction) throws(StorageError) {
    try table.removeAll(deviceID: deviceID, in: transaction)
  }

  /// Removes all of them.
  package static func removeAll(_ transaction: any StorageTransaction) throws(StorageError) {
    try transaction.execute("DELETE FROM client_sign_in")
  }

  package func load() throws(TokenStoreError) -> UnfinishedSignIn? { try Self.table.load(UnfinishedSignIn.self, at: place) }

  package func save(_ signIn: UnfinishedSignIn) throws(TokenStoreError) { try Self.table.save(signIn, at: place) }

  package func clear() throws(TokenStoreError) { try Self.table.clear(at: place) }

  /// Encrypts with `new` the values that `old` decrypts, for every device and backend; returns how many.
  package static func reseal(
    _ transaction: any StorageTransaction, from old: SealingKey, to new: SealingKey
  ) throws(StorageError) -> Int { try table.reseal(transaction, from: old, to: new) }
}

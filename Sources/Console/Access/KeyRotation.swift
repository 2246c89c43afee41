import Client
package import Storage
package import Vault

/// Changes the key that the console's database is sealed and signed with, and keeps the key of the tags over such a change.
package enum KeyRotation {
  /// The tag key's associated data; a key sealed with it means that the file's rows are signed.
  private static let place = Array("vault_secret\nidentifier tags\nof signed rows".utf8)
  /// The same in a file from before rows were signed.
  private static let unsignedPlace = Array("vault_secret\nidentifier tags".utf8)
  /// The purpose from which the key of the tags is derived in a file without one.
  private static let purpose = "identifier tags"

  /// The stored key of the tags, as a key of the vault opens it.
  private enum Kept {
    case missing
    /// It was sealed with another key, or it is damaged.
    case foreign
    /// In a file from before rows were signed.
    case unsigned([UInt8])
    case signed([UInt8])
  }

  /// Seals and signs with `new` everything that is sealed or signed with `old`, in one transaction; returns how many values it
  /// sealed.
  ///
  /// Values that `old` does not open stay as they are: they are already sealed with `new`, or no key opens them. Throws
  /// ``StorageError``.
  package static func reseal(_ storage: any StorageEngine, from old: SealingKey, to new: SealingKey) async throws -> Int {
    let count = try await storage.write { transaction in
      var count = try SealedTokenStore.reseal(transaction, from: old, to: new)
      count += try SealedSignInStore.reseal(transaction, from: old, to: new)
      count += try SignInRequestStore.reseal(transaction, from: old, to: new)
      let before = AccessRows(key: old, logger: nil)
      let rows = AccessRows(key: new, logger: nil)
      switch try kept(transaction, key: old) {
      case .signed(let tagKey):
        try rows.sign(transaction, acceptedBy: before)
        try keep(transaction, tagKey: tagKey, sealedWith: new)
        count += 1
      case .unsigned(let tagKey):
        try rows.signAll(transaction)
        try keep(transaction, tagKey: tagKey, sealedWith: new)
        count += 1
      case .missing where count > 0:
        // A file from before the tags had their own key.
        try rows.sign(transaction, acceptedBy: before)
        try keep(transaction, tagKey: old.derive(purpose), sealedWith: new)
        count += 1
      case .missing, .foreign: break
      }
      return count
    }
    // The files contain the old pages until then.
    try await storage.purge()
    return count
  }

  /// The key of the tags that stand for identifiers and accounts, which stays the same when the vault's key changes.
  ///
  /// Replaces a key that does not open; values tagged with the old key are not found again. Signs the rows of a file from before
  /// rows were signed, unless `mayBeUnsigned` is false. In a file that this key does not open, it signs the rows too but voids
  /// every sealed value: devices stay, signed out, so that an inserted row grants nothing; `script` voids the sealed values of
  /// people. Calls `onForeign` for such a file. Throws ``StorageError``.
  package static func tagKey(
    _ storage: any StorageEngine, key: SealingKey, voiding script: String, mayBeUnsigned: Bool = true,
    onForeign: @Sendable () -> Void = {}
  ) async throws -> [UInt8] {
    if case .signed(let tagKey) = try await storage.read({ try kept($0, key: key) }) { return tagKey }
    let replacement = SecureRandom.bytes(SealingKey.byteCount)
    let (tagKey, isForeign) = try await storage.exclusively { transaction -> ([UInt8], Bool) in
      let rows = AccessRows(key: key, logger: nil)
      let found = try kept(transaction, key: key)
      let tagKey: [UInt8]
      switch found {
      case .signed(let kept): return (kept, false)
      case .unsigned(let kept): tagKey = kept
      case .missing: tagKey = key.derive(purpose)
      case .foreign: tagKey = replacement
      }
      var isForeign = false
      if case .unsigned = found, mayBeUnsigned {
        try rows.signAll(transaction)
      } else if try rows.isAnyUnsigned(transaction) {
        try invalidateAll(transaction)
        try transaction.run(script: script)
        try rows.signAll(transaction)
        isForeign = true
      }
      try keep(transaction, tagKey: tagKey, sealedWith: key)
      return (tagKey, isForeign)
    }
    if isForeign { onForeign() }
    return tagKey
  }

  /// The key of the tags as it is stored.
  package enum StoredTagKey: Sendable {
    case key([UInt8])
    /// There is none yet.
    case missing
    /// It was sealed with another key, or it is damaged.
    case foreign
  }

  /// Returns the key of the tags without changing anything. Throws ``StorageError``.
  package static func storedTagKey(_ storage: any StorageEngine, key: SealingKey) async throws -> StoredTagKey {
    switch try await storage.read({ try kept($0, key: key) }) {
    case .signed(let tagKey), .unsigned(let tagKey): .key(tagKey)
    case .missing: .missing
    case .foreign: .foreign
    }
  }

  /// Voids the data that a device's row leads to: its tokens, its unfinished sign-in, the identifiers that it requested messages
  /// for, and its links.
  private static func invalidateAll(_ transaction: any StorageTransaction) throws(StorageError) {
    try SealedTokenStore.invalidateAll(transaction)
    try SealedSignInStore.removeAll(transaction)
    try transaction.execute("UPDATE asked_identifier SET sealed = ?", [0 as UInt8])
    try transaction.execute("DELETE FROM link_state")
    // Another program may have written them to gain access to a device.
    try transaction.execute("DELETE FROM device_key")
  }

  private static func kept(_ transaction: any StorageTransaction, key: SealingKey) throws(StorageError) -> Kept {
    guard let sealed = try VaultSecret.tagKey.sealed(transaction) else { return .missing }
    if let tagKey = try? key.open(sealed, associatedData: place) { return .signed(tagKey) }
    if let tagKey = try? key.open(sealed, associatedData: unsignedPlace) { return .unsigned(tagKey) }
    return .foreign
  }

  private static func keep(_ transaction: any StorageTransaction, tagKey: [UInt8], sealedWith key: SealingKey)
    throws(StorageError)
  {
    try VaultSecret.tagKey.keep(transaction, key.seal(tagKey, associatedData: place))
  }
}

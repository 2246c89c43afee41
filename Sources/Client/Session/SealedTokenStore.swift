import FoundationEssentials
package import Storage
package import Vault

/// One device's tokens for one backend, encrypted with AES-256-GCM in a shared database.
///
/// The associated data binds backend, device and row name, so that a row copied elsewhere does not decrypt. Calls block for one
/// small statement; the session controller keeps them off the event loops.
package struct SealedTokenStore: TokenStore {
  private let storage: any StorageEngine
  private let key: SealingKey
  private let backendID: String
  private let deviceID: String

  /// Creates the store of one device and backend; the table must exist (``schema``).
  package init(storage: any StorageEngine, key: SealingKey, backendID: String, deviceID: String) {
    self.storage = storage
    self.key = key
    self.backendID = backendID
    self.deviceID = deviceID
  }

  /// The script that creates the table; tables of earlier versions also have the time of the last change.
  package static let schema = """
    CREATE TABLE client_token (
      device_id TEXT NOT NULL,
      backend_id TEXT NOT NULL,
      sealed {bytes} NOT NULL,
      PRIMARY KEY (device_id, backend_id)
    ) {strict by key};
    """

  /// Removes the tokens of a device, for every backend.
  package static func removeAll(deviceID: String, in transaction: any StorageTransaction) throws(StorageError) {
    try transaction.execute("DELETE FROM client_token WHERE device_id = ?", deviceID)
  }

  /// Makes all tokens unreadable, so that their devices are signed out with the reason `vault_damaged`.
  package static func invalidateAll(_ transaction: any StorageTransaction) throws(StorageError) {
    try transaction.execute("UPDATE client_token SET sealed = ?", [0 as UInt8])
  }

  /// Reads the tokens, nil if there are none; throws `damaged` if they do not decrypt.
  package func load() throws(TokenStoreError) -> StoredTokens? {
    let sealed = try run {
      try storage.readAndWait { [deviceID, backendID] transaction in
        try transaction.first("SELECT sealed FROM client_token WHERE device_id = ? AND backend_id = ?", deviceID, backendID)?
          .bytes("sealed")
      }
    }
    guard let sealed else { return nil }
    guard let opened = try? key.open(sealed, associatedData: associatedData),
      let tokens = try? JSONDecoder().decode(StoredTokens.self, from: Data(opened))
    else { throw .damaged }
    return tokens
  }

  /// Saves the tokens, replacing earlier ones.
  package func save(_ tokens: StoredTokens) throws(TokenStoreError) {
    guard let plain = try? JSONEncoder().encode(tokens) else { throw .unavailable }
    let sealed = key.seal([UInt8](plain), associatedData: associatedData)
    try run {
      try storage.writeAndWait { [deviceID, backendID] transaction in
        try transaction.execute(
          """
          INSERT INTO client_token (device_id, backend_id, sealed) VALUES (?, ?, ?)
          ON CONFLICT (device_id, backend_id) DO UPDATE SET sealed = excluded.sealed
          """, deviceID, backendID, sealed)
      }
    }
  }

  /// Removes the tokens.
  package func clear() throws(TokenStoreError) {
    try run {
      try storage.writeAndWait { [deviceID, backendID] transaction in
        try transaction.execute("DELETE FROM client_token WHERE device_id = ? AND backend_id = ?", deviceID, backendID)
      }
    }
  }

  /// Encrypts with `new` the tokens that `old` decrypts, for every device and backend; returns how many.
  package static func reseal(
    _ transaction: any StorageTransaction, from old: SealingKey, to new: SealingKey
  ) throws(StorageError) -> Int {
    var count = 0
    for row in try transaction.rows("SELECT device_id, backend_id, sealed FROM client_token") {
      let (deviceID, backendID) = (try row.text("device_id"), try row.text("backend_id"))
      let place = associatedData(backendID, deviceID)
      guard let opened = try? old.open(row.bytes("sealed"), associatedData: place) else { continue }
      try transaction.execute(
        "UPDATE client_token SET sealed = ? WHERE device_id = ? AND backend_id = ?", new.seal(opened, associatedData: place),
        deviceID, backendID)
      count += 1
    }
    return count
  }

  private var associatedData: [UInt8] { Self.associatedData(backendID, deviceID) }

  /// Lengths precede the parts, so that no two pairs give the same bytes.
  private static func associatedData(_ backendID: String, _ deviceID: String) -> [UInt8] {
    ["client_token", backendID, deviceID].flatMap { part in
      Array("\(part.utf8.count):".utf8) + Array(part.utf8)
    }
  }

  @discardableResult
  private func run<Value>(_ body: () throws -> Value) throws(TokenStoreError) -> Value {
    do {
      return try body()
    } catch StorageError.full {
      throw .storageFull
    } catch StorageError.damaged, StorageError.mismatch {
      throw .damaged
    } catch {
      throw .unavailable
    }
  }
}

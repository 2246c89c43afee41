import FoundationEssentials
import Storage
import Vault

/// A table with one value for each device and backend, encrypted with AES-256-GCM in a shared database.
///
/// The associated data binds table, backend and device, so that a row copied elsewhere does not decrypt. Calls block for one small
/// statement.
struct SealedTable: Sendable {
  /// The name, which is a word of this program's own.
  let name: StaticString

  /// One device's and one backend's place in the table.
  struct Place: Sendable {
    let storage: any StorageEngine
    let key: SealingKey
    let backendID: String
    let deviceID: String
  }

  /// The script that creates the table.
  var schema: String {
    """
    CREATE TABLE \(name) (
      device_id TEXT NOT NULL,
      backend_id TEXT NOT NULL,
      sealed {bytes} NOT NULL,
      PRIMARY KEY (device_id, backend_id)
    ) {strict by key};
    """
  }

  /// Removes the values of a device, for every backend.
  func removeAll(deviceID: String, in transaction: any StorageTransaction) throws(StorageError) {
    try transaction.execute("DELETE FROM \(name) WHERE device_id = ?", deviceID)
  }

  /// Reads a value, nil if there is none; throws `damaged` if it does not decrypt.
  func load<Value: Decodable>(_ type: Value.Type, at place: Place) throws(TokenStoreError) -> Value? {
    let sealed = try run {
      try place.storage.readAndWait { [name] transaction in
        try transaction.first(
          "SELECT sealed FROM \(name) WHERE device_id = ? AND backend_id = ?", place.deviceID, place.backendID)?.bytes("sealed")
      }
    }
    guard let sealed else { return nil }
    guard let opened = try? place.key.open(sealed, associatedData: associatedData(place.backendID, place.deviceID)),
      let value = try? JSONDecoder().decode(type, from: Data(opened))
    else { throw .damaged }
    return value
  }

  /// Saves a value, replacing an earlier one.
  func save(_ value: some Encodable, at place: Place) throws(TokenStoreError) {
    guard let plain = try? JSONEncoder().encode(value) else { throw .unavailable }
    let sealed = place.key.seal([UInt8](plain), associatedData: associatedData(place.backendID, place.deviceID))
    try run {
      try place.storage.writeAndWait { [name] transaction in
        try transaction.execute(
          """
          INSERT INTO \(name) (device_id, backend_id, sealed) VALUES (?, ?, ?)
          ON CONFLICT (device_id, backend_id) DO UPDATE SET sealed = excluded.sealed
          """, place.deviceID, place.backendID, sealed)
      }
    }
  }

  /// Removes a value.
  func clear(at place: Place) throws(TokenStoreError) {
    try run {
      try place.storage.writeAndWait { [name] transaction in
        try transaction.execute(
          "DELETE FROM \(name) WHERE device_id = ? AND backend_id = ?", place.deviceID, place.backendID)
      }
    }
  }

  /// Encrypts with `new` the values that `old` decrypts, for every device and backend; returns how many.
  func reseal(
    _ transaction: any StorageTransaction, from old: SealingKey, to new: SealingKey
  ) throws(StorageError) -> Int {
    var count = 0
    for row in try transaction.rows("SELECT device_id, backend_id, sealed FROM \(name)") {
      let deviceID = try row.text("device_id")
      let backendID = try row.text("backend_id")
      let place = associatedData(backendID, deviceID)
      guard let opened = try? old.open(row.bytes("sealed"), associatedData: place) else { continue }
      try transaction.execute(
        "UPDATE \(name) SET sealed = ? WHERE device_id = ? AND backend_id = ?", new.seal(opened, associatedData: place),
        deviceID, backendID)
      count += 1
    }
    return count
  }

  /// Lengths precede the parts, so that no two places give the same bytes.
  private func associatedData(_ backendID: String, _ deviceID: String) -> [UInt8] {
    ["\(name)", backendID, deviceID].flatMap { part in Array("\(part.utf8.count):".utf8) + Array(part.utf8) }
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

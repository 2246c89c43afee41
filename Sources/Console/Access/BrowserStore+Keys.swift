import FoundationEssentials
import Storage
import Vault

extension BrowserStore {
  /// How many keys a device has beside its first; the oldest are void.
  static let keyLimit = 20

  /// Makes another key for a device of the browser; nil if it has no such device.
  ///
  /// A person's browsers each need one, and the keys themselves are not stored.
  package func makeKey(deviceID: String, browserID: String) async throws -> (DeviceRecord, key: String)? {
    let (key, now) = (Self.deviceKey(deviceID), wall().timeIntervalSince1970)
    defer { credentials.remove(deviceID: deviceID) }
    return try await storage.write { [rows] transaction in
      guard let row = try rows.first(transaction, .device, where: "device_id = ? AND browser_id = ?", deviceID, browserID) else {
        return nil
      }
      try rows.insert(transaction, into: .deviceKey, [Self.hash(key), deviceID, now])
      try transaction.execute(
        """
        DELETE FROM device_key WHERE device_id = ? AND key_hash NOT IN
        (SELECT key_hash FROM device_key WHERE device_id = ? ORDER BY made_at DESC, key_hash LIMIT ?)
        """, deviceID, deviceID, Self.keyLimit)
      return (try Self.record(row), key)
    }
  }

  /// Makes another key for the device of the person that was signed in or got a key last; nil if there is no device.
  func makeKeyOfLastUsed(browserID: String) async throws -> (DeviceRecord, key: String)? {
    let last = try await storage.read { transaction in
      try transaction.first(
        """
        SELECT device_id FROM device WHERE browser_id = ? ORDER BY
          EXISTS (SELECT 1 FROM client_token WHERE client_token.device_id = device.device_id) DESC,
          coalesce((SELECT max(made_at) FROM device_key WHERE device_key.device_id = device.device_id), created_at) DESC, device_id
        LIMIT 1
        """, browserID)?.text("device_id")
    }
    guard let last else { return nil }
    return try await makeKey(deviceID: last, browserID: browserID)
  }

  /// The device of the browser that one of its other keys belongs to.
  static func device(
    _ transaction: any StorageTransaction, _ rows: AccessRows, otherKey hash: [UInt8], browserID: String
  ) throws(StorageError) -> DeviceRecord? {
    guard let key = try rows.first(transaction, .deviceKey, where: "key_hash = ?", hash),
      let device = try rows.first(
        transaction, .device, where: "device_id = ? AND browser_id = ?", try key.text("device_id"), browserID)
    else { return nil }
    return try record(device)
  }
}

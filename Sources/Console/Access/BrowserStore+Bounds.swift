import Client
package import Storage

extension BrowserStore {
  /// The ids of all devices.
  package static func deviceIDs(in storage: any StorageEngine) async throws -> Set<String> {
    try await storage.read { transaction in
      Set(try transaction.rows("SELECT device_id FROM device").map { try $0.text("device_id") })
    }
  }

  /// How many browsers without a signed-in device are stored; the ones that were not seen for the longest time are deleted first.
  package static let browserLimit = 10_000

  /// How many browsers without a session there are, and the most devices of a browser; zeros if the database fails.
  func counts() async -> (browsersWithoutSession: Int, devices: Int) {
    let counts = try? await storage.read { transaction in
      (
        try transaction.number("SELECT count(*) FROM browser WHERE \(Self.hasNoSession)"),
        try transaction.number("SELECT max(held) FROM (SELECT count(*) AS held FROM device GROUP BY browser_id) AS browsers")
      )
    }
    return (Int(counts?.0 ?? 0), Int(counts?.1 ?? 0))
  }

  /// Deletes browsers that were not seen for `lifetime`, and the oldest without a session above the limit, as
  /// ``remove(_:_:browserID:)`` does; returns whether there were any.
  static func prune(_ transaction: any StorageTransaction, _ rows: AccessRows, now: Double) throws -> Bool {
    var gone = try transaction.rows("SELECT browser_id FROM browser WHERE seen_at <= ?", now - lifetime)
    // Counting is fast; looking for sessions is only needed if there can be too many browsers.
    if try transaction.number("SELECT count(*) FROM browser") ?? 0 > browserLimit {
      gone += try transaction.rows(
        "SELECT browser_id FROM browser WHERE \(hasNoSession) ORDER BY seen_at DESC LIMIT ? OFFSET ?", Int64.max, browserLimit)
    }
    for browser in Set(try gone.map { try $0.text("browser_id") }) { try remove(transaction, rows, browserID: browser) }
    return !gone.isEmpty
  }

  /// Deletes a browser with its devices and everything those stored.
  ///
  /// With a person, the name disappears from the audit log, whose entries stay, and the workspaces that nobody else manages go to
  /// another member, or go too. The recordings are removed afterwards, since they may be in another database.
  static func remove(_ transaction: any StorageTransaction, _ rows: AccessRows, browserID: String) throws {
    for device in try transaction.rows("SELECT device_id FROM device WHERE browser_id = ?", browserID) {
      try removeDevice(transaction, id: try device.text("device_id"))
    }
    if try transaction.first("SELECT 1 AS one FROM person WHERE person_id = ?", browserID) != nil {
      try Workspaces.handOver(transaction, rows, from: browserID)
      try transaction.execute("UPDATE audit SET person = '' WHERE person_id = ?", browserID)
    }
    try transaction.execute("DELETE FROM browser WHERE browser_id = ?", browserID)
  }

  /// Deletes a device with everything it stored, including its tokens.
  static func removeDevice(_ transaction: any StorageTransaction, id: String) throws(StorageError) {
    try SealedTokenStore.removeAll(deviceID: id, in: transaction)
    try CueStore.removeAll(deviceID: id, in: transaction)
    try transaction.execute("DELETE FROM device WHERE device_id = ?", id)
  }

  private static let hasNoSession =
    "NOT EXISTS (SELECT 1 FROM device JOIN client_token USING (device_id) WHERE device.browser_id = browser.browser_id)"
}

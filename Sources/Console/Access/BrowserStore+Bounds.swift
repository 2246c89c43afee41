import Client
package import GRDB

extension BrowserStore {
  /// The ids of all devices.
  package static func deviceIDs(in database: some DatabaseReader) async throws -> Set<String> {
    try await database.fetch { db in Set(try String.fetchAll(db, sql: "SELECT device_id FROM device")) }
  }

  /// How many browsers without a signed-in device are stored; the ones that were not seen for the longest time are deleted first.
  package static let browserLimit = 10_000

  /// How many browsers without a session there are, and the most devices of a browser; zeros if the database fails.
  func counts() async -> (browsersWithoutSession: Int, devices: Int) {
    let counts = try? await database.fetch { db in
      (
        try Int.fetchOne(db, sql: "SELECT count(*) FROM browser WHERE \(Self.hasNoSession)"),
        try Int.fetchOne(db, sql: "SELECT max(held) FROM (SELECT count(*) AS held FROM device GROUP BY browser_id)")
      )
    }
    return (counts?.0 ?? 0, counts?.1 ?? 0)
  }

  /// Deletes browsers that were not seen for `lifetime`, and the oldest without a session above the limit, with their devices and
  /// everything those stored; returns whether there were any.
  static func prune(_ db: Database, now: Double) throws -> Bool {
    var gone = try String.fetchAll(db, sql: "SELECT browser_id FROM browser WHERE seen_at <= ?", arguments: [now - lifetime])
    // Counting is fast; looking for sessions is only needed if there can be too many browsers.
    if try Int.fetchOne(db, sql: "SELECT count(*) FROM browser") ?? 0 > browserLimit {
      gone += try String.fetchAll(
        db, sql: "SELECT browser_id FROM browser WHERE \(hasNoSession) ORDER BY seen_at DESC LIMIT -1 OFFSET ?",
        arguments: [browserLimit])
    }
    for browser in Set(gone) {
      for device in try String.fetchAll(db, sql: "SELECT device_id FROM device WHERE browser_id = ?", arguments: [browser]) {
        try removeDevice(db, id: device)
      }
      try db.execute(sql: "DELETE FROM browser WHERE browser_id = ?", arguments: [browser])
    }
    return !gone.isEmpty
  }

  /// Deletes a device with everything it stored, including its tokens.
  static func removeDevice(_ db: Database, id: String) throws {
    try SealedTokenStore.removeAll(deviceID: id, in: db)
    try CueStore.removeAll(deviceID: id, in: db)
    try db.execute(sql: "DELETE FROM device WHERE device_id = ?", arguments: [id])
  }

  private static let hasNoSession =
    "NOT EXISTS (SELECT 1 FROM device JOIN client_token USING (device_id) WHERE device.browser_id = browser.browser_id)"
}

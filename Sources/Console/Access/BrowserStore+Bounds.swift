import Client
import GRDB

extension BrowserStore {
  /// How many browsers are kept of which no device is signed in; of more, those go that were not seen for the longest time.
  package static let browserLimit = 10_000

  /// How much of what may be kept is kept; zeros where the database does not answer.
  func counts() async -> (browsersWithoutSession: Int, devices: Int) {
    let counts = try? await database.read { db in
      (
        try Int.fetchOne(db, sql: "SELECT count(*) FROM browser WHERE \(Self.hasNoSession)"),
        try Int.fetchOne(db, sql: "SELECT max(held) FROM (SELECT count(*) AS held FROM device GROUP BY browser_id)")
      )
    }
    return (counts?.0 ?? 0, counts?.1 ?? 0)
  }

  /// Forgets browsers that were not seen for `lifetime`, and of those without a session the oldest that are too many, with their
  /// devices and all that is kept of them; returns whether there were any.
  static func prune(_ db: Database, now: Double) throws -> Bool {
    var gone = try String.fetchAll(db, sql: "SELECT browser_id FROM browser WHERE seen_at <= ?", arguments: [now - lifetime])
    // Counted first, which is quick: who has a session is asked only where there can be too many.
    if try Int.fetchOne(db, sql: "SELECT count(*) FROM browser") ?? 0 > browserLimit {
      gone += try String.fetchAll(
        db, sql: "SELECT browser_id FROM browser WHERE \(hasNoSession) ORDER BY seen_at DESC LIMIT -1 OFFSET ?",
        arguments: [browserLimit])
    }
    for browser in Set(gone) {
      for device in try String.fetchAll(db, sql: "SELECT device_id FROM device WHERE browser_id = ?", arguments: [browser]) {
        try forgetDevice(db, id: device)
      }
      try db.execute(sql: "DELETE FROM browser WHERE browser_id = ?", arguments: [browser])
    }
    return !gone.isEmpty
  }

  /// Forgets a device and all that is kept of it, its tokens included.
  static func forgetDevice(_ db: Database, id: String) throws {
    try SealedTokenStore.removeAll(deviceID: id, in: db)
    try CueStore.removeAll(deviceID: id, in: db)
    try db.execute(sql: "DELETE FROM device WHERE device_id = ?", arguments: [id])
  }

  private static let hasNoSession =
    "NOT EXISTS (SELECT 1 FROM device JOIN client_token USING (device_id) WHERE device.browser_id = browser.browser_id)"
}

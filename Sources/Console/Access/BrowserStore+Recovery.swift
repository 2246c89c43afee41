import FoundationEssentials
import Storage

extension BrowserStore {
  private func newBrowser() async throws -> (Browser, String?) { try await makeBrowser() }

  private func personIDs() async throws -> Set<String> {
    try await storage.read { transaction in
      Set(try transaction.rows("SELECT person_id FROM person").map { try $0.text("person_id") })
    }
  }

  /// The device that the key belongs to, whichever browser has it.
  package func device(key: String) async throws -> DeviceRecord? {
    let hash = Self.hash(key)
    let browserID = try await storage.read {
      try $0.first("SELECT browser_id FROM device WHERE key_hash = ?", hash)?.text("browser_id")
    }
    guard let browserID else { return nil }
    return try await device(key: key, browserID: browserID)
  }

  /// Creates a browser for the devices that the keys belong to; returns a device or nil for each key, and the browser's cookie.
  ///
  /// A browser that is left without a device is deleted with its cookies. There is no cookie if no key belongs to a device.
  ///
  /// With `person`, the devices become the person's instead, without a cookie. A person's devices never become anybody else's,
  /// whoever has learned their keys.
  package func recoverBrowser(
    keys: [String], person: Person? = nil
  ) async throws -> (devices: [DeviceRecord?], cookie: String?) {
    let persons = try await personIDs()
    var found: [DeviceRecord?] = []
    for key in keys {
      found.append(
        try await device(key: key).flatMap { $0.browserID == person?.id || !persons.contains($0.browserID) ? $0 : nil })
    }
    let devices = found.compactMap { $0 }
    guard !devices.isEmpty else { return (found, nil) }
    let (browser, cookie) = if let person { (person.browser, String?.none) } else { try await newBrowser() }
    let kept = try await move(devices, to: browser)
    let moved = found.map { record in
      record.flatMap { kept.contains($0.id) ? DeviceRecord(id: $0.id, browserID: browser.id, name: $0.name) : nil }
    }
    return (moved, kept.isEmpty ? nil : cookie)
  }

  /// Gives devices to a browser, and returns the ids of those that it has then.
  ///
  /// One that moved since it was read stays where it is, and so does another person's, and what would be more than a browser can have.
  /// A browser that is left without a device is deleted, unless it is a person's.
  func move(_ devices: [DeviceRecord], to browser: Browser) async throws -> Set<String> {
    defer {
      for device in devices {
        credentials.remove(deviceID: device.id)
        if device.browserID != browser.id { credentials.remove(browserID: device.browserID) }
      }
    }
    return try await storage.write { [rows] transaction in
      var kept: Set<String> = []
      var count = try transaction.number("SELECT count(*) FROM device WHERE browser_id = ?", browser.id) ?? 0
      for device in devices where !kept.contains(device.id) {
        let condition = "device_id = ? AND browser_id = ?"
        if device.browserID == browser.id {
          if try rows.first(transaction, .device, where: condition, device.id, browser.id) != nil { kept.insert(device.id) }
          continue
        }
        guard count < Self.deviceLimit,
          try transaction.first("SELECT 1 AS one FROM person WHERE person_id = ?", device.browserID) == nil,
          try rows.change(
            transaction, .device, set: "browser_id", to: browser.id, where: condition, device.id, device.browserID) > 0
        else { continue }
        kept.insert(device.id)
        count += 1
      }
      for id in Set(devices.map(\.browserID)).union([browser.id]) {
        try transaction.execute(
          """
          DELETE FROM browser WHERE browser_id = ? AND NOT EXISTS (SELECT 1 FROM device WHERE browser_id = ?)
            AND NOT EXISTS (SELECT 1 FROM person WHERE person_id = ?)
          """, id, id, id)
      }
      return kept
    }
  }
}

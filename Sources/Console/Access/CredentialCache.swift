import Foundation
import Locking

/// Caches the browsers and devices of cookies and keys, so that a call does not read from the disk.
///
/// The signatures of their rows were checked when they were read. Code that changes a row removes its entries here; if other consoles
/// write these tables too, entries count for a few seconds only (`BrowserStore`).
final class CredentialCache: Sendable {
  /// A cookie that the browser has sent before.
  struct Cookie: Sendable {
    let browser: BrowserStore.Browser
    /// Until when it is valid, in seconds since 1970; nil for the current one.
    let validUntil: Double?
    /// When a visit was last recorded, in seconds since 1970.
    let seenAt: Double
    /// When it was read from the database.
    let readAt: Double
  }

  /// A device whose key was read before.
  struct Device: Sendable {
    let record: BrowserStore.DeviceRecord
    /// When it was read from the database, in seconds since 1970.
    let readAt: Double
  }

  /// How many of each are cached; one more clears the cache.
  static let limit = 10_000

  private struct State {
    var cookies: [[UInt8]: Cookie] = [:]
    var devices: [[UInt8]: Device] = [:]
    var changes: UInt64 = 0
  }

  private let state = Locked(State())

  /// Grows with every change; a row that was read before a change is not cached after it.
  var changes: UInt64 { state.withLock { $0.changes } }

  /// How many cookies or keys are cached.
  var count: Int { state.withLock { max($0.cookies.count, $0.devices.count) } }

  func cookie(hash: [UInt8]) -> Cookie? { state.withLock { $0.cookies[hash] } }

  func device(keyHash: [UInt8]) -> Device? { state.withLock { $0.devices[keyHash] } }

  /// Caches a cookie that was read when `changes` had this value.
  func store(_ cookie: Cookie, hash: [UInt8], readAt changes: UInt64) {
    state.withLock { state in
      guard state.changes == changes else { return }
      if state.cookies.count >= Self.limit { state.cookies = [:] }
      state.cookies[hash] = cookie
    }
  }

  /// Caches a device that was read when `changes` had this value.
  func store(_ device: Device, keyHash: [UInt8], readAt changes: UInt64) {
    state.withLock { state in
      guard state.changes == changes else { return }
      if state.devices.count >= Self.limit { state.devices = [:] }
      state.devices[keyHash] = device
    }
  }

  /// Removes the cookies of a browser.
  func remove(browserID: String) {
    remove { $0.cookies = $0.cookies.filter { $1.browser.id != browserID } }
  }

  func remove(deviceID: String) {
    remove { $0.devices = $0.devices.filter { $1.record.id != deviceID } }
  }

  /// Removes everything.
  func removeAll() {
    remove { ($0.cookies, $0.devices) = ([:], [:]) }
  }

  private func remove(_ body: (inout State) -> Void) {
    state.withLock { state in
      state.changes += 1
      body(&state)
    }
  }
}

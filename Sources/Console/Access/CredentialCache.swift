import Foundation
import Locking

/// The cookies and device keys that the database has recognised, so that a call reads nothing from the disk.
///
/// Their rows' signatures were checked as they were read. Only this process writes the tables that stand behind it; whoever changes a row forgets what was recognised of it.
final class CredentialCache: Sendable {
  /// A cookie that was presented before.
  struct Cookie: Sendable {
    let browser: BrowserStore.Browser
    /// Until when it works, in seconds from 1970; nil for the current one.
    let worksUntil: Double?
    /// When the visit was last noted, in seconds from 1970.
    let seenAt: Double
  }

  /// How many of each are held; all are forgotten at one more.
  static let limit = 10_000

  private struct State {
    var cookies: [Data: Cookie] = [:]
    var devices: [Data: BrowserStore.DeviceRecord] = [:]
    var changes: UInt64 = 0
  }

  private let state = Locked(State())

  /// Grows with every change; what was read before one is not held after it.
  var changes: UInt64 { state.withLock { $0.changes } }

  /// How many cookies and keys are held.
  var count: Int { state.withLock { max($0.cookies.count, $0.devices.count) } }

  func cookie(hash: Data) -> Cookie? { state.withLock { $0.cookies[hash] } }

  func device(keyHash: Data) -> BrowserStore.DeviceRecord? { state.withLock { $0.devices[keyHash] } }

  /// Holds a cookie that was read when `changes` was that.
  func hold(_ cookie: Cookie, hash: Data, readAt changes: UInt64) {
    state.withLock { state in
      guard state.changes == changes else { return }
      if state.cookies.count >= Self.limit { state.cookies = [:] }
      state.cookies[hash] = cookie
    }
  }

  /// Holds a device that was read when `changes` was that.
  func hold(_ device: BrowserStore.DeviceRecord, keyHash: Data, readAt changes: UInt64) {
    state.withLock { state in
      guard state.changes == changes else { return }
      if state.devices.count >= Self.limit { state.devices = [:] }
      state.devices[keyHash] = device
    }
  }

  /// Forgets all of a browser.
  func forget(browserID: String) {
    forget { $0.cookies = $0.cookies.filter { $1.browser.id != browserID } }
  }

  /// Forgets a device.
  func forget(deviceID: String) {
    forget { $0.devices = $0.devices.filter { $1.id != deviceID } }
  }

  /// Forgets everything.
  func forgetAll() {
    forget { ($0.cookies, $0.devices) = ([:], [:]) }
  }

  private func forget(_ body: (inout State) -> Void) {
    state.withLock { state in
      state.changes += 1
      body(&state)
    }
  }
}

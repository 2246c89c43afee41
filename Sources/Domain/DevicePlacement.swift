/// Where a device is awake: always here, or on one of several consoles that share a database.
package protocol DevicePlacement<Claim>: Sendable {
  /// The database's claim that a device is here.
  associatedtype Claim: Sendable

  /// Whether devices may be awake elsewhere.
  var isShared: Bool { get }
  /// Whether every device that is awake here is certainly asleep elsewhere.
  var isCertain: Bool { get }
  /// Whether devices may be sent here, because they can wake here at once.
  var isReady: Bool { get }

  /// Yields when there may be changes.
  func checkTimes() -> AsyncStream<Void>

  /// The changes since the last check; throws ``DeviceAway/unreachable``.
  func check() async throws(DeviceAway) -> DeviceMoves

  /// Claims a device for this console, from another one if necessary; nil if there are no other consoles.
  func claim(_ deviceID: String) async throws(DeviceAway) -> Claim?

  /// Whether a device is still here by that claim, as far as this console knows.
  func holds(_ deviceID: String, by claim: Claim) async -> Bool

  /// Releases a device to other consoles, once its last write here has ended.
  func release(_ deviceID: String) async

  /// Evicts a deleted device.
  func forget(_ deviceID: String) async

  /// Releases all devices to other consoles; the devices must be asleep.
  func end() async
}

/// The devices that moved to another console, or that another console waits for.
package struct DeviceMoves: Sendable {
  /// Devices that another console has taken.
  package var lost: [String] = []
  /// Devices that another console waits for.
  package var requested: [String] = []

  package init() {}
}

/// Why a device cannot be awake here now.
package enum DeviceAway: Error, Hashable, Sendable {
  /// It moved a moment ago; the seconds after which it may move again.
  case moved(retryAfterSeconds: Int)
  /// The database cannot be reached, so that the device's place is unknown.
  case unreachable
}

/// The only console of a database: every device is here.
package struct SingleConsolePlacement<Claim: Sendable>: DevicePlacement {
  package init() {}
  package var isShared: Bool { false }
  package var isCertain: Bool { true }
  package var isReady: Bool { true }
  package func checkTimes() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
  package func check() -> DeviceMoves { DeviceMoves() }
  package func claim(_ deviceID: String) -> Claim? { nil }
  package func holds(_ deviceID: String, by claim: Claim) -> Bool { true }
  package func release(_ deviceID: String) {}
  package func forget(_ deviceID: String) {}
  package func end() {}
}

/// Where a device is awake: always here, or on one of several consoles that share a database.
package protocol DevicePlacement<Claim>: Sendable {
  /// By what the database knows that a device is here.
  associatedtype Claim: Sendable

  /// Whether devices may be awake elsewhere.
  var isShared: Bool { get }
  /// Whether no device that is awake here can be awake elsewhere.
  var isCertain: Bool { get }
  /// Whether devices may be sent here, where they can come at once.
  var isReady: Bool { get }

  /// Yields when there may be changes.
  func checkTimes() -> AsyncStream<Void>

  /// What has changed since the last look; throws ``DeviceAway/unreachable``.
  func check() async throws(DeviceAway) -> DeviceMoves

  /// Has a device come here, from elsewhere if need be; nil if it can be nowhere else.
  func claim(_ deviceID: String) async throws(DeviceAway) -> Claim?

  /// Whether a device is still here by that claim, as far as is known.
  func holds(_ deviceID: String, by claim: Claim) async -> Bool

  /// Lets others have a device, once nothing of it is written here any more.
  func release(_ deviceID: String) async

  /// Forgets a device that was deleted.
  func forget(_ deviceID: String) async

  /// Lets others have all devices, which must be asleep.
  func end() async
}

/// Which devices went elsewhere, or are wanted there.
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
  /// The database cannot be reached, so that nobody knows where it is.
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

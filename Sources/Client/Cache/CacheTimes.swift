import FoundationEssentials

/// When a request was sent and its response arrived.
package struct CacheTimes: Hashable, Sendable {
  /// When the response had arrived, in Unix seconds on the client's wall clock.
  let receivedWall: Double
  /// The seconds between request and response.
  let delay: Double
  /// When the request was sent, on this process's clock; nil for a response that an earlier process stored.
  let sentAt: ContinuousClock.Instant?
  /// When the response had arrived, likewise.
  let receivedAt: ContinuousClock.Instant?

  /// The times of a request of this process; `receivedWall` in Unix seconds.
  package init(sentAt: ContinuousClock.Instant, receivedAt: ContinuousClock.Instant, receivedWall: Double) {
    self.receivedWall = receivedWall
    delay = max((receivedAt - sentAt) / .seconds(1), 0)
    self.sentAt = sentAt
    self.receivedAt = receivedAt
  }

  /// The times of a request of an earlier process.
  init(receivedWall: Double, delay: Double) {
    self.receivedWall = receivedWall
    self.delay = delay
    sentAt = nil
    receivedAt = nil
  }

  /// The seconds since the response arrived (`resident_time`); nil if the wall clock was set back, which makes it unknown.
  ///
  /// A wall clock that was set forward makes a response older, never younger.
  func residentTime(at now: CacheInstant) -> Double? {
    let byWall = now.wall - receivedWall
    guard let receivedAt else { return byWall >= 0 ? byWall : nil }
    return max(byWall, (now.monotonic - receivedAt) / .seconds(1), 0)
  }
}

/// The current instant on both clocks.
package struct CacheInstant: Hashable, Sendable {
  /// Unix seconds on the client's wall clock.
  let wall: Double
  /// The instant on this process's monotonic clock.
  let monotonic: ContinuousClock.Instant
}

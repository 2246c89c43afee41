import FoundationEssentials

/// When an answer was asked for and arrived.
package struct CacheTimes: Hashable, Sendable {
  /// When it had arrived, in unix seconds on the client's wall clock.
  let receivedWall: Double
  /// The seconds between question and answer.
  let delay: Double
  /// When the question went out, counted by this process alone; nil for an answer that an earlier process kept.
  let sentAt: ContinuousClock.Instant?
  /// When the answer had arrived, as above.
  let receivedAt: ContinuousClock.Instant?

  /// The times of an exchange of this process; `receivedWall` in unix seconds.
  package init(sentAt: ContinuousClock.Instant, receivedAt: ContinuousClock.Instant, receivedWall: Double) {
    self.receivedWall = receivedWall
    delay = max((receivedAt - sentAt) / .seconds(1), 0)
    self.sentAt = sentAt
    self.receivedAt = receivedAt
  }

  /// The times of an exchange of an earlier process.
  init(receivedWall: Double, delay: Double) {
    self.receivedWall = receivedWall
    self.delay = delay
    sentAt = nil
    receivedAt = nil
  }

  /// The seconds since the answer arrived; nil where the clock was set back meanwhile, so that nobody can say.
  ///
  /// A wall clock that was set forward makes an answer older, never younger.
  func residentTime(at now: CacheInstant) -> Double? {
    let byWall = now.wall - receivedWall
    guard let receivedAt else { return byWall >= 0 ? byWall : nil }
    return max(byWall, (now.monotonic - receivedAt) / .seconds(1), 0)
  }
}

/// Now, on both clocks.
package struct CacheInstant: Hashable, Sendable {
  /// Unix seconds on the client's wall clock.
  let wall: Double
  /// The instant that counts within this process.
  let monotonic: ContinuousClock.Instant
}

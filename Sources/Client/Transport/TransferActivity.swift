/// When the last byte of an attempt moved, in either direction (seed-rules C-9 "times out after 30 s").
struct TransferActivity: Sendable {
  private var lastByte: ContinuousClock.Instant?
  /// The bytes of the body that were sent, as libcurl counts them.
  private var sent = 0

  /// Notes that the request begins to be sent.
  mutating func begin(at now: ContinuousClock.Instant) { lastByte = now }

  /// Notes how many bytes of the body were sent so far; nothing moved if it is the number of before.
  mutating func noteSent(_ count: Int, at now: ContinuousClock.Instant) {
    guard count > sent else { return }
    sent = count
    lastByte = now
  }

  /// Notes that bytes of the response came.
  mutating func noteReceived(at now: ContinuousClock.Instant) { lastByte = now }

  /// When the attempt has been idle for `timeout`; nil before it is sent, when the connect timeout applies.
  func deadline(after timeout: Duration) -> ContinuousClock.Instant? { lastByte.map { $0 + timeout } }
}

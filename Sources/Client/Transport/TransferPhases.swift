/// When an attempt's request and answer moved, where libcurl 7.88 has no mark, or one that an upload makes wrong.
struct TransferPhases {
  /// When the transport's thread took it up.
  private let started = ContinuousClock.now
  /// When libcurl was about to send it.
  private var began: ContinuousClock.Instant?
  /// When the last byte of it was handed to the system.
  var sent: ContinuousClock.Instant?
  /// When the first line of the answer came.
  var answered: ContinuousClock.Instant?

  /// The request goes out, or goes out again; without a body it is sent at once.
  mutating func begin(at now: ContinuousClock.Instant, hasBody: Bool) {
    began = now
    sent = hasBody ? nil : now
    answered = nil
  }

  /// The phases of an attempt that was asked for and ended at these instants; an answer that came early cut the sending short.
  func timings(asked: ContinuousClock.Instant, ended: ContinuousClock.Instant) -> TransportTimings {
    var timings = TransportTimings(queue: started - asked, total: ended - asked)
    guard let began, let answered else { return timings }
    let sent = min(sent ?? answered, answered)
    timings.send = sent - began
    timings.wait = answered - sent
    timings.receive = ended - answered
    return timings
  }
}

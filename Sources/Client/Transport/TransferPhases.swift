/// When request and response of an attempt were transferred, for phases that libcurl 7.88 does not measure, or measures wrongly
/// with an upload.
struct TransferPhases {
  /// When the transport's thread started it.
  private let started = ContinuousClock.now
  /// When libcurl was about to send it.
  private var began: ContinuousClock.Instant?
  /// When the last byte of the request was handed to the system.
  var sent: ContinuousClock.Instant?
  /// When the first line of the response arrived.
  var answered: ContinuousClock.Instant?

  /// The request is sent, or sent again; without a body it is sent at once.
  mutating func begin(at now: ContinuousClock.Instant, hasBody: Bool) {
    began = now
    sent = hasBody ? nil : now
    answered = nil
  }

  /// The phases of an attempt that was requested and ended at these instants; an early response ends the sending phase.
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

/// The metrics of one attempt (seed-rules N-25 "timings of each attempt", N-26 "available to analytics"): names, numbers and
/// durations, nothing that the backend or a user wrote.
package struct AttemptReport: Hashable, Sendable {
  /// The endpoint's name in the network log.
  package let endpoint: String
  /// The number of the attempt within its call, starting at 1.
  package let attempt: Int
  /// The status of the response; nil if there was none.
  package let status: Int?
  /// The client's identifier of the error; nil on success.
  package let error: String?
  /// How long each phase took.
  package let timings: TransportTimings
  package init(endpoint: String, attempt: Int, status: Int?, error: String?, timings: TransportTimings) {
    self.endpoint = endpoint
    self.attempt = attempt
    self.status = status
    self.error = error
    self.timings = timings
  }
}

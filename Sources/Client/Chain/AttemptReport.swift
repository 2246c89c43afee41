/// What metrics may know of an attempt (seed 000 §2.2.5): names, numbers and durations, nothing that a backend or user wrote.
package struct AttemptReport: Hashable, Sendable {
  /// What the network log calls the endpoint.
  package let endpoint: String
  /// The number of the attempt within its call, from 1 on.
  package let attempt: Int
  /// The answer's status; nil for none.
  package let status: Int?
  /// The client's own word for the failure; nil for a success.
  package let error: String?
  /// How long each phase took.
  package let timings: TransportTimings

  /// Makes a report of its parts.
  package init(endpoint: String, attempt: Int, status: Int?, error: String?, timings: TransportTimings) {
    self.endpoint = endpoint
    self.attempt = attempt
    self.status = status
    self.error = error
    self.timings = timings
  }
}

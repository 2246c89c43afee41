package import FoundationEssentials

/// The call, flow and cause of an attempt. Contains no secret.
package struct AttemptOrigin: Equatable, Sendable {
  /// Shared by all attempts of a call; a UUID.
  package var callID: String
  /// The row that caused this attempt: a refresh, replay or redirect.
  package var parentID: String?
  /// Identifies the user action; a UUID.
  package var flowID: String
  /// The name of the user action, such as `login`.
  package var flow: String
  /// The number of the attempt within its call, from 1.
  package var attempt: Int
  /// The expected source of the response.
  package var source: NetworkRow.Source
  /// The start time on the wall clock.
  package var startedAt: Date

  package init(
    callID: String, parentID: String? = nil, flowID: String, flow: String, attempt: Int = 1, source: NetworkRow.Source = .network,
    startedAt: Date
  ) {
    self.callID = callID
    self.parentID = parentID
    self.flowID = flowID
    self.flow = flow
    self.attempt = attempt
    self.source = source
    self.startedAt = startedAt
  }
}

package import FoundationEssentials

/// What an attempt belongs to; holds no secret.
package struct AttemptOrigin: Equatable, Sendable {
  /// Joins the attempts of a call; a UUID.
  package var callID: String
  /// The row that caused this one: a refresh, replay or redirect.
  package var parentID: String?
  /// The user action; a UUID.
  package var flowID: String
  /// The user action's name, such as `login`.
  package var flow: String
  /// The number of the attempt within its call, from 1 on.
  package var attempt: Int
  /// Where the answer is to come from.
  package var source: NetworkRow.Source
  /// When it began, on the wall clock.
  package var startedAt: Date

  /// An attempt's place.
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

package import Redaction

/// The result of an attempt as the client saw it, including secrets; only for `NetworkLog`. It cannot be encoded, and
/// descriptions omit the content.
package struct RawExchange: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The request as last sent.
  package var request: RawRequest
  /// The response; nil if there was none.
  package var response: RawResponse?
  /// The durations of the phases.
  package var timings: NetworkTimings
  /// The connection over which the response came.
  package var connection: NetworkConnection?
  /// `success`, `failure` or `cancelled`.
  package var state: NetworkRow.State
  /// The source of the response, if it differs from the row's.
  package var source: NetworkRow.Source?
  /// The fault rule's ID; nil if none applied.
  package var faultID: String?
  /// The fault rule that applied.
  package var fault: RowFault?
  /// The error as a stable code, such as `timeout` or `ErrAccessTokenExpired`.
  package var error: String?
  /// The error as the transport describes it.
  package var errorDetail: String?
  /// The pins of a rejected certificate chain, leaf first. They are digests of public keys and not redacted.
  package var presentedPins: [String]

  package init(
    request: RawRequest, response: RawResponse? = nil, timings: NetworkTimings = NetworkTimings(),
    connection: NetworkConnection? = nil, state: NetworkRow.State,
    source: NetworkRow.Source? = nil, faultID: String? = nil, fault: RowFault? = nil, error: String? = nil,
    errorDetail: String? = nil, presentedPins: [String] = []
  ) {
    self.request = request
    self.response = response
    self.timings = timings
    self.connection = connection
    self.state = state
    self.source = source
    self.faultID = faultID
    self.fault = fault
    self.error = error
    self.errorDetail = errorDetail
    self.presentedPins = presentedPins
  }

  /// A description without the content.
  package var description: String { "RawExchange" }
  /// A description without the content.
  package var debugDescription: String { description }
  /// A mirror without the content, so that `dump` shows nothing.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

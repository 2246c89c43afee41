/// How an attempt ended, as the client saw it, secrets included: made for `NetworkLog` alone. It cannot be encoded and prints nothing of itself.
package struct RawExchange: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The request as it went out in the end.
  package var request: RawRequest
  /// The response; nil when there was none.
  package var response: RawResponse?
  /// How long the phases took.
  package var timings: NetworkTimings
  /// `success`, `failure` or `cancelled`.
  package var state: NetworkRow.State
  /// Where the response came from, if it is not what the row began with.
  package var source: NetworkRow.Source?
  /// The fault that acted.
  package var faultID: String?
  /// The error in a word or a stable code, such as `timeout` or `ErrAccessTokenExpired`.
  package var error: String?
  /// The error in the transport's own words.
  package var errorDetail: String?
  /// The pins of a chain in which none was wanted, leaf first. They are digests of public keys and are shown as they are.
  package var presentedPins: [String]

  /// The end of an attempt.
  package init(
    request: RawRequest, response: RawResponse? = nil, timings: NetworkTimings = NetworkTimings(), state: NetworkRow.State,
    source: NetworkRow.Source? = nil, faultID: String? = nil, error: String? = nil, errorDetail: String? = nil,
    presentedPins: [String] = []
  ) {
    self.request = request
    self.response = response
    self.timings = timings
    self.state = state
    self.source = source
    self.faultID = faultID
    self.error = error
    self.errorDetail = errorDetail
    self.presentedPins = presentedPins
  }

  /// A text without the exchange.
  package var description: String { "RawExchange" }
  /// A text without the exchange.
  package var debugDescription: String { description }
  /// A mirror without the exchange, so that `dump` shows nothing.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

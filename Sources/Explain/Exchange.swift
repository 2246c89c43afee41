/// A request of a log and its response, as a recorder or Understudy's own log has them.
///
/// Values can be secrets or masks of secrets: ``Explainer`` keeps neither, only tags that are equal for equal values.
package struct Exchange: Sendable {
  /// A response, complete or not.
  package struct Response: Sendable {
    package var status: Int
    package var headers: [(name: String, value: String)]
    /// Without content coding; empty if there is none.
    package var body: [UInt8]
    /// Whether the body was recorded, empty or not.
    package var isBodyRecorded: Bool
    /// Whether it came from a cache, so that its date is an earlier response's.
    package var isCached: Bool

    package init(
      status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = [], isBodyRecorded: Bool = true,
      isCached: Bool = false
    ) {
      self.status = status
      self.headers = headers
      self.body = body
      self.isBodyRecorded = isBodyRecorded
      self.isCached = isCached
    }
  }

  /// The client's own data about one of its requests, which a recorder does not have.
  package struct Attempt: Sendable {
    /// The purpose of a call.
    package enum Purpose: Sendable { case refresh, signOut, other }

    /// The row's ID.
    package var row: String
    /// The ID of the row that caused this one.
    package var parent: String?
    /// The ID that all attempts of a call share.
    package var call: String
    /// The number of the attempt within its call, from 1.
    package var number: Int
    package var purpose: Purpose
    /// Whether it is part of an app's launch.
    package var isLaunch: Bool
    /// Whether the client could not use the response, whatever the status.
    package var isFailed: Bool
    /// Whether it failed because there was no network, which takes no time to find out.
    package var isOffline: Bool
    /// The fault rule's ID; nil if none acted.
    package var faultID: String?

    package init(
      row: String, parent: String? = nil, call: String, number: Int = 1, purpose: Purpose = .other, isLaunch: Bool = false,
      isFailed: Bool = false, isOffline: Bool = false, faultID: String? = nil
    ) {
      self.row = row
      self.parent = parent
      self.call = call
      self.number = number
      self.purpose = purpose
      self.isLaunch = isLaunch
      self.isFailed = isFailed
      self.isOffline = isOffline
      self.faultID = faultID
    }
  }

  /// The number that a person finds it by: the entry's in a HAR, from 1, or the row's `seq`.
  package var number: Int
  /// The start in milliseconds since 1970 by the recorder's clock; nil if the file has none.
  package var start: Int64?
  /// In milliseconds; nil if the file has none.
  package var duration: Double?
  package var method: String
  /// Absolute, over HTTP.
  package var url: String
  package var headers: [(name: String, value: String)]
  /// Empty if there is none, or if it was not recorded.
  package var body: [UInt8]
  /// nil without one.
  package var response: Response?
  /// The recorder's text about a failed exchange, such as `net::ERR_ABORTED`.
  package var failure: String?
  /// The name of the fault rule that made or changed the response.
  package var fault: String?
  /// The attempt, if the judged client sent it; nil for a request of a person or another program.
  package var attempt: Attempt?
  /// The request's purpose, if its recorder has it.
  package var call: NamedCall.Kind?
  /// The claims of the tokens that masks stand for.
  private(set) var claims: [TokenTag: TokenClaims] = [:]

  package init(
    number: Int, start: Int64?, duration: Double? = nil, method: String, url: String,
    headers: [(name: String, value: String)] = [],
    body: [UInt8] = [], response: Response?, failure: String? = nil, fault: String? = nil
  ) {
    self.number = number
    self.start = start
    self.duration = duration
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.response = response
    self.failure = failure
    self.fault = fault
  }

  /// Adds the claims of the token behind a mask such as `‹token:3f1c09ab›`.
  package mutating func add(_ claims: TokenClaims, of mask: String) { self.claims[TokenTag(mask)] = claims }
}

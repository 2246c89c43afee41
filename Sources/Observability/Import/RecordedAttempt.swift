/// An attempt of a recording, whether or not it was answered.
package struct RecordedAttempt: Equatable, Sendable {
  /// Shared by all attempts of a call; nil if the recording does not say.
  package let callID: String?
  /// The name of the user action; nil if the recording does not say.
  package let flow: String?
  package let method: String
  /// As sent, without the query; never empty.
  package let path: String
  /// nil if there was no answer.
  package let status: Int?
  /// Where the answer came from, such as `network` or `cache`; nil if the recording does not say.
  package let source: String?
  /// The duration of the attempt; nil if it is unknown, or longer than eleven days.
  package let milliseconds: Double?
  /// The response body without content coding; nil if it was not recorded.
  package let body: [UInt8]?
}

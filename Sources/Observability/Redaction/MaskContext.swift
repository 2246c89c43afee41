/// Where a text comes from, as far as masking asks.
package enum MaskContext: Equatable, Sendable {
  /// A login, refresh or logout call: login codes are masked too.
  case authentication
  /// Any other call, where a number that happens to equal a code stays readable.
  case general
}

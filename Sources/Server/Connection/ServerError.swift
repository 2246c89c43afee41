package import Reactor
package import Wire

/// Why a server could not start.
package enum ServerError: Error, Equatable, Sendable {
  /// The host is not a numeric address.
  case invalidAddress(String)
  /// The address could not be listened on, or a loop not be made.
  case listen(ReactorError)
  /// A field for every answer is not safe to write.
  case invalidHeaders(ResponseError)
  /// It runs or has run already.
  case alreadyStarted
}

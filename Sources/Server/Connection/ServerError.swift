package import Reactor
package import Wire

/// Why a server could not start.
package enum ServerError: Error, Equatable, Sendable {
  /// The host is not a numeric address.
  case invalidAddress(String)
  /// The server could not listen on an address, or could not create an event loop.
  case listen(ReactorError)
  /// A default response field contains bytes that are not safe to write.
  case invalidHeaders(ResponseError)
  /// The server was already started.
  case alreadyStarted
}

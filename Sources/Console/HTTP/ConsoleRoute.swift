package import HTTPTypes
package import Server

/// A route of the console, with what a caller must carry written into its type (contract §2.2).
///
/// A handler that serves a device takes one, and only the gate can make that call: a new route cannot forget the check.
package struct ConsoleRoute: Sendable {
  /// What a caller must carry, and what the handler gets for it.
  package enum Handler: Sendable {
    /// Nothing: the route is for everybody who passes the gate.
    case open(@Sendable (ConsoleCall) async throws -> Response)
    /// The console's access, where it asks for one; the browser's cookie is read where it is there.
    case browser(@Sendable (ConsoleCall) async throws -> Response)
    /// Access, the cookie and the key of one of the browser's devices.
    case device(@Sendable (ConsoleCall, Device) async throws -> Response)
  }

  package let method: HTTPRequest.Method
  /// The path with `{name}` for what it captures.
  package let pattern: String
  package let handler: Handler

  /// Makes a route of its parts.
  package init(_ method: HTTPRequest.Method, _ pattern: String, _ handler: Handler) {
    self.method = method
    self.pattern = pattern
    self.handler = handler
  }
}

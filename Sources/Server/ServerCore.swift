import HTTPTypes
import Logging
import Wire

/// What all connections of one server share.
struct ServerCore: Sendable {
  /// The limits.
  let limits: ServerLimits
  /// Writes heads, with the fields of every answer.
  let serializer: ResponseSerializer
  /// Answers a request.
  let respond: Responder
  /// Answers a request at once where it can.
  let quick: QuickResponder?
  /// Makes the answer to a request that was refused before a handler saw it.
  let refusal: @Sendable (HTTPResponse.Status) -> Response
  /// Receives what goes wrong.
  let logger: Logger
  /// Receives one line a request, where it is wanted.
  let accessLog: AccessLog?
  /// Counts.
  let metrics: ServerMetrics
  /// The open connections.
  let registry = ConnectionRegistry()
  /// The value of `Date`.
  let date = DateCache()
}

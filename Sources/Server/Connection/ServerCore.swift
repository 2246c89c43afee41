import HTTPTypes
import Logging
import Wire

/// What all connections of one server share. A class, because copying this many members took a fifth of the user time of a small
/// response.
final class ServerCore: Sendable {
  /// The limits.
  let limits: ServerLimits
  /// Writes heads, including the fields of every response.
  let serializer: ResponseSerializer
  /// Responds to a request.
  let respond: Responder
  /// Returns a prepared response if there is one.
  let inlineResponder: InlineHandler?
  /// Creates the response to a request that was refused before a handler saw it.
  let refusal: @Sendable (RefusedRequest) -> Response
  /// The server's log.
  let logger: Logger
  /// Receives one line for each request, if set.
  let accessLog: AccessLog?
  /// The server's metrics.
  let metrics: ServerMetrics
  /// The open connections.
  let registry = ConnectionRegistry()
  /// The budget of request bodies.
  let bodies: BodyBudget
  /// The limit for each client behind a proxy.
  let clients: ClientRequestLimiter
  /// The value of the `Date` field.
  let date = DateCache()

  init(
    limits: ServerLimits, serializer: ResponseSerializer, respond: @escaping Responder, inlineResponder: InlineHandler?,
    refusal: @escaping @Sendable (RefusedRequest) -> Response, logger: Logger, accessLog: AccessLog?, metrics: ServerMetrics,
    bodies: BodyBudget, clients: ClientRequestLimiter
  ) {
    (self.bodies, self.clients) = (bodies, clients)
    (self.limits, self.serializer, self.respond, self.inlineResponder) = (limits, serializer, respond, inlineResponder)
    (self.refusal, self.logger, self.accessLog, self.metrics) = (refusal, logger, accessLog, metrics)
  }
}

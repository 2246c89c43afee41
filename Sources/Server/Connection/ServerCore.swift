import HTTPTypes
import Logging
import Wire

/// What all connections of one server share; a class, because copies of so much were a fifth of the user time of a small answer.
final class ServerCore: Sendable {
  /// The limits.
  let limits: ServerLimits
  /// Writes heads, with the fields of every answer.
  let serializer: ResponseSerializer
  /// Answers a request.
  let respond: Responder
  /// Answers a request at once where it can.
  let inlineResponder: InlineHandler?
  /// Makes the answer to a request that was refused before a handler saw it.
  let refusal: @Sendable (RefusedRequest) -> Response
  /// Receives what goes wrong.
  let logger: Logger
  /// Receives one line a request, where it is wanted.
  let accessLog: AccessLog?
  /// Counts.
  let metrics: ServerMetrics
  /// The open connections.
  let registry = ConnectionRegistry()
  /// The bytes of all bodies.
  let bodies: BodyBudget
  /// The requests of the clients that a proxy names.
  let clients: ClientRequestLimiter
  /// The value of `Date`.
  let date = DateCache()

  /// What a server is made of; its connections and counts begin empty.
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

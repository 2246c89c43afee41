import Glibc
package import HTTPTypes
import Locking
import Logging
import Text
package import Wire

/// The state that all connections of one server share. A class, because copying this many members took a fifth of the user time of a small
/// response.
final class ServerCore: Sendable {
  let limits: ServerLimits
  /// Writes heads, including the fields of every response.
  let serializer: ResponseSerializer
  /// Responds to a request.
  let respond: Responder
  /// Returns a prepared response if there is one.
  let inlineResponder: InlineHandler?
  /// Creates the response to a request that was rejected before a handler saw it.
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
    self.bodies = bodies
    self.clients = clients
    self.limits = limits
    self.serializer = serializer
    self.respond = respond
    self.inlineResponder = inlineResponder
    self.refusal = refusal
    self.logger = logger
    self.accessLog = accessLog
    self.metrics = metrics
  }
}

/// The value of the `Date` field, formatted once a second.
final class DateCache: Sendable {
  private struct Entry: Sendable {
    var second = Int64.min
    var text: [UInt8] = []
  }

  private let entry = Locked(Entry())

  /// The current value, at most a second old.
  func bytes() -> [UInt8] {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME_COARSE, &now)
    let second = Int64(now.tv_sec)
    return entry.withLock { entry in
      if entry.second != second { entry = Entry(second: second, text: Array(HTTPDate.format(second).utf8)) }
      return entry.text
    }
  }
}

/// A limit on the total size of all request bodies that are being received or processed.
package final class BodyBudget: Sendable {
  /// The limit in bytes.
  private let limit: Int
  private let reserved = AtomicCounter()

  init(limit: Int) { self.limit = limit }

  /// The number of bytes in use.
  var used: Int { reserved.value }

  /// Reserves `count` bytes, or returns false and reserves nothing if that would exceed the limit.
  func reserve(_ count: Int) -> Bool {
    guard reserved.add(count) + count > limit else { return true }
    reserved.add(-count)
    return false
  }

  /// Releases reserved bytes.
  func release(_ count: Int) { reserved.add(-count) }
}

/// A request that was rejected before a handler saw it, as far as it was parsed.
package struct RefusedRequest: Sendable {
  /// The status of the rejection.
  package let status: HTTPResponse.Status
  /// The parsed part of the head; nil if the request line was not parsed, or if the head was complete.
  package let partialHead: PartialHead?

  package init(status: HTTPResponse.Status, partialHead: PartialHead? = nil) {
    self.status = status
    self.partialHead = partialHead
  }
}

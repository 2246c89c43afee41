package import HTTPTypes
package import RPC
import JSON
import Observability
import Text
import Vault

/// One call on its way: what stays the same over its attempts, and what has happened so far.
package struct Call: Sendable {
  /// One UUID a call; goes out as `X-Request-ID` and joins the attempts in the network log.
  package let id: String
  package let flow: Flow
  /// What the network log calls the endpoint.
  package let endpoint: String
  package let method: HTTPRequest.Method
  /// As on the wire, without the query.
  package let path: String
  /// As on the wire, without `?`.
  package let query: String?
  package let body: [UInt8]?
  package var idempotencyKey: String? {
    didSet { fields = nil }
  }
  /// The fields that are the same for every attempt, where they were made already.
  var fields: HTTPFields?
  /// Whether the client may send it again by itself after a passing failure.
  package var isRetryable: Bool
  /// A refusal that is an answer to the caller, who reads its body.
  var acceptedStatus: Int?
  /// The largest answer that is taken, in bytes; nil for the transport's own limit.
  let answerLimit: Int?
  package let loggableBodies: LoggableBodies
  /// Whether it is a login, refresh or logout call, in whose texts login codes are masked.
  package let isAuthentication: Bool
  /// Time without a byte.
  package let idleTimeout: Duration
  /// The end of everything: attempts, back-off and waiting for a refresh.
  package let deadline: ContinuousClock.Instant

  /// Whether it waits for connectivity, within its time, where others fail with `offline` at once.
  package let waitsForConnectivity: Bool

  /// How many attempts have gone out, replays included.
  var attempts = 0
  /// The row of the attempt that was refused with 401 and led to the call's one replay.
  var unauthorizedRow: String?
  /// The row of the next attempt while that waits for connectivity.
  var waitingRow: String?
  /// Fields that ask whether a stored answer still holds; empty where there is none.
  var conditions = HTTPFields()
  /// Whether this call has corrected the clock already.
  var hasCorrectedClock = false
  /// How far from the right second this call is signed: a backend that refused a signature by a right clock may have met it before.
  var nonceOffset: Int64 = 0

  /// Where the rows' answers come from, as the network log says it.
  var source = NetworkRow.Source.network
  /// The row that caused the call, where that is not one of its own.
  var parentRow: String?
  /// Hears of each attempt's row as it begins.
  var onRow: (@Sendable (String) -> Void)?

  /// The login, refresh and logout calls.
  static let authenticationPaths = Set(AuthEndpoints.all.map { $0.path })

  /// Describes a call of an endpoint that begins at `now`; throws `unexpectedPayload` where the body cannot be encoded.
  package init<E: APIEndpoint>(
    _ endpoint: E, body: E.RequestBody, now: ContinuousClock.Instant, flow: Flow? = nil, timeout: EndpointTimeout? = nil
  ) throws(NetworkError) {
    let timeout = timeout ?? E.timeout
    id = SecureRandom.uuid()
    self.flow = flow ?? Flow.current ?? Flow(name: E.name)
    waitsForConnectivity = self.flow.isBackground
    self.endpoint = E.name
    method = E.method
    path = E.path
    query = QueryPairs.format(endpoint.query)
    if E.isSafe {
      self.body = nil
    } else {
      guard let bytes = try? JSONCoding.encode(body) else { throw .unexpectedPayload }
      self.body = bytes
    }
    idempotencyKey = E.idempotencyKey == .perCall ? SecureRandom.uuid() : nil
    isRetryable = E.isRetryable
    answerLimit = E.answerLimit
    loggableBodies = E.loggableBodies
    isAuthentication = Self.authenticationPaths.contains(E.path)
    idleTimeout = timeout.idle
    deadline = now + timeout.whole
  }

  /// Describes a call that a person wrote; where its endpoint is known it is treated as that, else no body of it is kept.
  init(_ request: ComposedRequest, now: ContinuousClock.Instant) {
    let known = EndpointCatalogue.endpoint(request.method, path: request.path)
    let timeout = known?.timeout ?? .standard
    id = SecureRandom.uuid()
    flow = Flow(name: request.parentRow == nil ? "compose" : "replay")
    waitsForConnectivity = false
    endpoint = known?.name ?? "composed"
    method = request.method
    path = request.path
    query = request.query
    body = request.body ?? (request.isSafe ? nil : [])
    idempotencyKey = known?.idempotencyKey == .perCall ? SecureRandom.uuid() : nil
    answerLimit = known?.answerLimit
    isRetryable = request.isSafe || known?.isRetryable == true
    loggableBodies = known?.loggableBodies ?? []
    isAuthentication = false
    idleTimeout = timeout.idle
    deadline = now + timeout.whole
    source = .replay
    parentRow = request.parentRow
  }
}

import BackendFile
package import HTTPTypes
package import RPC
import JSON
import Observability
import Text
import Vault

/// One call in progress: its constant properties, and its state so far.
package struct Call: Sendable {
  /// A UUID, sent as `X-Request-ID`; groups the call's attempts in the network log.
  package let id: String
  package let flow: Flow
  /// The endpoint's name in the network log.
  package let endpoint: String
  package let method: HTTPRequest.Method
  /// As sent, without the query.
  package let path: String
  /// As sent, without `?`.
  package let query: String?
  package let body: [UInt8]?
  /// Header fields that are added to the client's own, or replace them.
  let extraFields: HTTPFields
  package var idempotencyKey: String? {
    didSet { fields = nil }
  }
  /// The values for a backend file's templates in addition to the body's fields, by name.
  var further: [String: String] = [:]
  /// The session's values for the templates: the tokens, and captured values.
  var sessionValues: [String: String] = [:]
  /// The request of a backend file that a person sends again; nil for any other.
  var described: DescribedRequest?
  /// The request of a backend file that is sent now, in the place of the call's own.
  var wire: WireRequest?
  /// The header fields that are the same for every attempt, once built.
  var fields: HTTPFields?
  /// Whether the client may retry it after a transient failure.
  package var isRetryable: Bool
  /// Whether a conflict is returned to the caller as a response instead of thrown.
  var returnsConflict = false
  /// Decodes the response; nil if its type is unknown.
  let reader: ResponseReader?
  /// The largest response body accepted, in bytes; nil for the transport's own limit.
  let answerLimit: Int?
  package let loggableBodies: LoggableBodies
  /// Whether it is a login, refresh or logout call, in which login codes are masked.
  package let isAuthentication: Bool
  /// The longest time without a byte.
  package let idleTimeout: Duration
  /// The deadline of the whole call, including attempts, back-off and waiting for a refresh.
  package let deadline: ContinuousClock.Instant

  /// Whether it waits for connectivity until its deadline instead of failing with `offline` at once.
  package let waitsForConnectivity: Bool

  /// The number of attempts sent, including replays.
  var attempts = 0
  /// The row of the attempt that got a 401 and led to the call's one replay.
  var unauthorizedRow: String?
  /// Whether it has waited for a refresh, after which it is sent even with a token that seems to have expired.
  var hasRefreshed = false
  /// The row of the next attempt while it waits for connectivity.
  var waitingRow: String?
  /// Whether the backend may have carried out an attempt.
  var mayHaveReachedBackend = false
  /// The conditional header fields; empty if no response is stored.
  var conditions = HTTPFields()
  /// Whether this call has corrected the clock already.
  var hasCorrectedClock = false

  /// The source that the rows show.
  var source = NetworkRow.Source.network
  /// The row that caused the call, if it belongs to another call.
  var parentRow: String?
  /// Asked after all waiting, right before an attempt is sent.
  var admission: Admission?
  /// Called with the row id of each attempt as it starts.
  var onRow: (@Sendable (String) -> Void)?

  /// Whether it only reads.
  var isSafe: Bool
  /// Whether changing requests carry the idempotency key, by which a backend recognizes repeated requests.
  var sendsKey = true
  /// Whether a response to one of its requests must not be stored (RFC 9111 §5.2.2.5), regardless of the last response.
  var forbidsStoring = false

  /// The login, refresh and logout calls.
  static let authenticationPaths = Set(AuthEndpoints.all.map { $0.path })

  /// Creates a call of an endpoint that starts at `now`; throws `unexpectedPayload` if the body cannot be encoded.
  package init<E: APIEndpoint>(
    _ endpoint: E, body: E.RequestBody, now: ContinuousClock.Instant, flow: Flow? = nil, timeout: EndpointTimeout? = nil
  ) throws(NetworkError) {
    let timeout = timeout ?? E.timeout
    id = SecureRandom.uuid()
    self.flow = flow ?? Flow.current ?? Flow(name: E.name)
    waitsForConnectivity = self.flow.isBackground
    self.endpoint = E.name
    method = E.method
    isSafe = E.isSafe
    path = E.path
    query = QueryPairs.format(endpoint.query)
    if E.isSafe {
      self.body = nil
    } else {
      guard let bytes = try? JSONCoding.encode(body) else { throw .unexpectedPayload(.unencodableRequest) }
      self.body = bytes
    }
    extraFields = [:]
    idempotencyKey = E.idempotencyKey == .perCall ? SecureRandom.uuid() : nil
    isRetryable = E.isRetryable
    answerLimit = E.answerLimit
    reader = ResponseReader(E.self)
    loggableBodies = E.loggableBodies
    isAuthentication = CallName(rawValue: E.name)?.isAuthentication ?? Self.authenticationPaths.contains(E.path)
    idleTimeout = timeout.idle
    deadline = now + timeout.whole
  }

  /// Creates a call from a composed request. A known path, or a request of a backend file, gets its endpoint's traits; the bodies of
  /// an unknown one are not logged.
  init(_ request: ComposedRequest, now: ContinuousClock.Instant) {
    let known =
      request.described.map { EndpointCatalogue.endpoint(named: $0.call.rawValue) }
      ?? EndpointCatalogue.endpoint(request.method, path: request.path)
    let timeout = known?.timeout ?? .standard
    id = SecureRandom.uuid()
    flow = Flow(name: ComposedRequest.flowNames[request.parentRow == nil ? 0 : 1])
    waitsForConnectivity = false
    endpoint = known?.name ?? "composed"
    method = request.method
    isSafe = request.isSafe
    path = request.path
    query = request.query
    body = request.body ?? (request.isSafe ? nil : [])
    extraFields = request.headers
    idempotencyKey = known?.idempotencyKey == .perCall ? SecureRandom.uuid() : nil
    answerLimit = known?.answerLimit
    // The responses to a backend file's requests are not in the contract's form.
    reader = request.described == nil ? known.map { ResponseReader($0) } : nil
    isRetryable = request.isSafe || known?.isRetryable == true
    loggableBodies = known?.loggableBodies ?? []
    isAuthentication = false
    idleTimeout = timeout.idle
    deadline = now + timeout.whole
    source = request.parentRow == nil ? .composed : .replay
    parentRow = request.parentRow
    described = request.described
  }

  /// Creates a call of the console itself, for a document of at most `limit` bytes.
  init(documentAt path: String, query: String?, limit: Int, now: ContinuousClock.Instant) {
    id = SecureRandom.uuid()
    flow = Flow(name: "fetch_document")
    waitsForConnectivity = false
    endpoint = "document"
    method = .get
    isSafe = true
    self.path = path
    self.query = query
    body = nil
    extraFields = [:]
    idempotencyKey = nil
    isRetryable = false
    answerLimit = limit
    reader = nil
    loggableBodies = .response
    isAuthentication = false
    idleTimeout = EndpointTimeout.standard.idle
    deadline = now + EndpointTimeout.standard.whole
    source = .tool
  }
}

/// A request as it is sent, or would have been sent.
struct WireRequest: Hashable, Sendable {
  /// Scheme and authority of another host than the backend's; nil for the backend's.
  let origin: String?
  let method: HTTPRequest.Method
  let path: String
  let query: String?
  let headers: HTTPFields
  let body: [UInt8]?

  init(_ request: RenderedRequest) {
    origin = request.origin?.text
    method = request.method
    path = request.path
    query = request.query
    headers = request.headers
    let isSafe = [.get, .head, .options].contains(request.method)
    body = request.body ?? (isSafe ? nil : [])
  }

  /// Creates the row's content for a request that cannot be rendered.
  init(unrendered request: (method: HTTPRequest.Method, path: String)) {
    origin = nil
    query = nil
    headers = [:]
    body = nil
    (method, path) = request
  }
}

extension Call {
  /// The method, path and query on the network.
  var sentMethod: HTTPRequest.Method { wire?.method ?? method }
  var sentPath: String { wire?.path ?? path }
  var sentQuery: String? { wire.map(\.query) ?? query }

  /// The values that a backend file's templates may use, by name.
  func templateValues(deviceID: String) -> [String: String] {
    var values = sessionValues
    if let query { for (name, value) in QueryPairs.parse(query) ?? [] { values[name] = value } }
    if let body, let root = try? JSONDocument(parsing: body).root {
      for (key, value) in root.members { if let text = value.scalarText { values[key] = text } }
    }
    values.merge(further) { $1 }
    values[FlowValue.deviceID.rawValue] = deviceID
    values[FlowValue.requestID.rawValue] = id
    if let idempotencyKey { values[FlowValue.idempotencyKey.rawValue] = idempotencyKey }
    return values.filter { !$0.value.isEmpty }
  }
}

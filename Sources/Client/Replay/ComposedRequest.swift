package import HTTPTypes
import Text

/// A request that a user wrote or replays, checked to be one that the client may send.
package struct ComposedRequest: Sendable {
  /// Why a request is rejected.
  package enum Refusal: Error, Hashable, Sendable {
    /// A part that cannot be sent: `method`, `path`, `query`, `headers` or `body`.
    case invalid(field: String)
    /// A login, refresh or logout call, which only the session may make.
    case notReplayable
    /// The method may change something, and the user has not confirmed it.
    case unconfirmed
  }

  /// The largest body, in bytes.
  package static let maximumBodyBytes = 1 << 20

  /// The names of the user actions that such requests begin: a new one, and a row sent again.
  package static let flowNames = ["compose", "replay"]

  /// The methods that can be sent.
  private static let methods: [HTTPRequest.Method] = [.get, .head, .options, .post, .put, .patch, .delete]
  private static let safe: Set<HTTPRequest.Method> = [.get, .head, .options]

  package let method: HTTPRequest.Method
  /// The path as sent.
  package let path: String
  /// The query as sent, without `?`; nil for none.
  package let query: String?
  /// The header fields that are added, or replace the client's own.
  package let headers: HTTPFields
  /// The body; nil for none.
  package let body: [UInt8]?
  /// Whether the session's access token is sent with it.
  package let isAuthorized: Bool
  /// The row that is replayed; nil for a new request.
  package let parentRow: String?
  /// The request of a backend file that the row shows; nil if the file does not describe it.
  package let described: DescribedRequest?

  /// Checks a request; throws `Refusal`.
  package init(
    method: String, path: String, query: String?, headers: [(name: String, value: String)] = [], body: [UInt8]?,
    isAuthorized: Bool, isConfirmed: Bool, parentRow: String? = nil, described: DescribedRequest? = nil,
    sessionPaths: SessionPaths = .contract
  ) throws(Refusal) {
    guard let method = Self.methods.first(where: { $0.rawValue == method }) else { throw .invalid(field: "method") }
    guard OriginFormPath.isAcceptable(path) else { throw .invalid(field: "path") }
    if let query, !OriginFormPath.isAcceptable(query: query) { throw .invalid(field: "query") }
    guard let headers = ComposedFields.checked(headers) else { throw .invalid(field: "headers") }
    let body = body?.isEmpty == true ? nil : body
    if let body, Self.safe.contains(method) || body.count > Self.maximumBodyBytes { throw .invalid(field: "body") }
    if sessionPaths.contains(path) { throw .notReplayable }
    guard isConfirmed || Self.safe.contains(method) else { throw .unconfirmed }
    self.method = method
    self.path = path
    self.query = query?.isEmpty == true ? nil : query
    self.headers = headers
    self.body = body
    self.isAuthorized = isAuthorized
    self.parentRow = parentRow
    self.described = described
  }

  /// Whether the method is safe (RFC 9110 §9.2.1).
  var isSafe: Bool { Self.safe.contains(method) }
}

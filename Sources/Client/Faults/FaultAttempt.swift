import RPC

/// The properties of an attempt that fault rules match.
package struct FaultAttempt: Hashable, Sendable {
  package let method: String
  /// The endpoint's name in the network log.
  package let endpoint: String
  /// As sent, without the query.
  package let path: String
  /// As sent, without `?`.
  package let query: String?
  package let body: [UInt8]?
  /// Whether it carries the session's access token.
  package let isAuthorized: Bool

  private static let refreshEndpoints: Set = [AuthEndpoints.RefreshTokens.name, AuthEndpoints.AppRefreshToken.name]

  /// Whether it is a refresh call.
  var isRefresh: Bool { Self.refreshEndpoints.contains(endpoint) }

  package init(
    method: String, endpoint: String, path: String, query: String? = nil, body: [UInt8]? = nil, isAuthorized: Bool
  ) {
    self.method = method
    self.endpoint = endpoint
    self.path = path
    self.query = query
    self.body = body
    self.isAuthorized = isAuthorized
  }
}

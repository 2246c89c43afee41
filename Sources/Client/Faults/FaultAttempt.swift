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

  private static let refreshPaths: Set = [AuthEndpoints.RefreshTokens.path, AuthEndpoints.AppRefreshToken.path]

  /// Whether it is a refresh call.
  var isRefresh: Bool { Self.refreshPaths.contains(path) }

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

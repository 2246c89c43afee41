import RPC

/// What the fault plan wants to know of an attempt that is about to go out.
package struct FaultAttempt: Hashable, Sendable {
  package let method: String
  /// What the network log calls the endpoint.
  package let endpoint: String
  /// As on the wire, without the query.
  package let path: String
  /// Whether it carries the session's access token.
  package let isAuthorized: Bool

  private static let refreshPaths: Set = [AuthEndpoints.RefreshTokens.path, AuthEndpoints.AppRefreshToken.path]

  /// Whether it asks for new tokens.
  var isRefresh: Bool { Self.refreshPaths.contains(path) }

  /// Describes an attempt by its parts.
  package init(method: String, endpoint: String, path: String, isAuthorized: Bool) {
    self.method = method
    self.endpoint = endpoint
    self.path = path
    self.isAuthorized = isAuthorized
  }
}

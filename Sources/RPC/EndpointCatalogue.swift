package import HTTPTypes

/// Every call of the backend that the client knows, to be found by what stands on the wire.
package enum EndpointCatalogue {
  /// The endpoints of both dialects.
  package static let all: [any APIEndpoint.Type] = [
    AuthEndpoints.RequestMagicLink.self, AuthEndpoints.RequestLoginCode.self, AuthEndpoints.LoginWithMagicToken.self,
    AuthEndpoints.LoginWithCode.self, AuthEndpoints.RefreshTokens.self, AuthEndpoints.Logout.self,
    AccountEndpoints.Me.self, AccountEndpoints.GetOrCreateProfile.self, AccountEndpoints.SetActiveProfile.self,
    AccountEndpoints.RequestDeletion.self, AppEndpoints.AppConfig.self, CueEndpoints.GetCues.self,
    CueEndpoints.ShuffleCues.self, CueEndpoints.UpdateCueStage.self, AppAPIEndpoints.RefreshToken.self,
    AppAPIEndpoints.CallStart.self,
  ]

  /// The endpoint of the method and the exact path; nil for any other.
  package static func endpoint(_ method: HTTPRequest.Method, path: String) -> (any APIEndpoint.Type)? {
    all.first { $0.path == path && $0.method == method }
  }
}

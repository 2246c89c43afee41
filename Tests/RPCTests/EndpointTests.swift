import HTTPTypes
import JSON
import RPC
import Testing

@Suite struct EndpointTests {
  static let all: [any APIEndpoint.Type] = [
    AuthEndpoints.RequestMagicLink.self, AuthEndpoints.RequestLoginCode.self, AuthEndpoints.LoginWithMagicToken.self,
    AuthEndpoints.LoginWithCode.self, AuthEndpoints.RefreshTokens.self, AuthEndpoints.Logout.self, AccountEndpoints.Me.self,
    AppEndpoints.AppConfig.self,
  ]

  @Test func loginAndRefreshCallsNeedNoSessionAndAreNeverRepeated() {
    for endpoint in Self.all where endpoint.path.hasPrefix("/rpc/") && endpoint.method == .post {
      let (needsSession, repeats) = (endpoint.requiresAuth, endpoint.isRetryable)
      #expect(!needsSession && !repeats)
    }
  }

  @Test func onlySafeOrKeyedCallsAreRepeated() {
    for endpoint in Self.all {
      let (repeats, mayRepeat) = (endpoint.isRetryable, endpoint.method == .get || endpoint.idempotencyKey == .perCall)
      #expect(repeats == mayRepeat)
      let timeout = endpoint.timeout
      #expect(timeout == EndpointTimeout(idle: .seconds(30), whole: .seconds(60)))
    }
  }

  @Test func bodiesWithTokensCodesOrIdentifiersAreNeverKept() {
    for endpoint in Self.all {
      let loggable = endpoint.loggableBodies
      #expect(!loggable.contains(.request))
    }
    for endpoint: any APIEndpoint.Type in [
      AuthEndpoints.LoginWithMagicToken.self, AuthEndpoints.LoginWithCode.self, AuthEndpoints.RefreshTokens.self,
    ] {
      let loggable = endpoint.loggableBodies
      #expect(loggable.isEmpty)
    }
  }

  @Test func pathsAreOriginFormAndDifferent() {
    let paths = Self.all.map { $0.path }
    #expect(Set(paths).count == paths.count)
    #expect(AuthEndpoints.RequestMagicLink.name == "request_magic_link")
    for path in paths { #expect(path.hasPrefix("/") && !path.contains("?")) }
  }
}

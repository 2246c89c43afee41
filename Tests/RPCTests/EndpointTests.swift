import HTTPTypes
import JSON
import RPC
import Testing

@Suite struct EndpointTests {
  static let all: [any APIEndpoint.Type] = [
    AuthEndpoints.RequestMagicLink.self, AuthEndpoints.RequestLoginCode.self, AuthEndpoints.LoginWithMagicToken.self,
    AuthEndpoints.LoginWithCode.self, AuthEndpoints.RefreshTokens.self, AuthEndpoints.Logout.self, AccountEndpoints.Me.self,
    AppEndpoints.AppConfig.self, AppAPIEndpoints.RefreshToken.self,
  ]
  /// The signed-in calls that change something.
  static let keyed: [any APIEndpoint.Type] = [
    AccountEndpoints.GetOrCreateProfile.self, AccountEndpoints.SetActiveProfile.self, AccountEndpoints.RequestDeletion.self,
    CueEndpoints.ShuffleCues.self, CueEndpoints.UpdateCueStage.self, AppAPIEndpoints.CallStart.self,
  ]

  @Test func signedInCallsThatChangeSomethingAreKeyed() {
    for endpoint in Self.keyed {
      let (needsSession, repeats, isPost) = (endpoint.requiresAuth, endpoint.isRetryable, endpoint.method == .post)
      #expect(needsSession && repeats && isPost)
    }
    let (safe, kept, needsSession) = (
      CueEndpoints.GetCues.isRetryable, CueEndpoints.GetCues.isCacheable, CueEndpoints.GetCues.requiresAuth
    )
    #expect(safe && kept && needsSession)
  }

  @Test func theCuesQueryIsInOrder() throws {
    let since = try #require(Timestamp(parsing: "2026-11-21T12:00:00.482Z"))
    let query = CueEndpoints.GetCues(profileID: "p", updatedSince: since).query
    #expect(query.map(\.name) == ["profile_id", "updated_since"])
    #expect(query.map(\.value) == ["p", "2026-11-21T12:00:00.482Z"])
    #expect(CueEndpoints.GetCues(profileID: "p").query.count == 1)
  }

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
    let paths = (Self.all + Self.keyed + [CueEndpoints.GetCues.self]).map { $0.path }
    #expect(Set(paths).count == paths.count)
    #expect(AuthEndpoints.RequestMagicLink.name == "request_magic_link")
    for path in paths { #expect(path.hasPrefix("/") && !path.contains("?")) }
  }
}

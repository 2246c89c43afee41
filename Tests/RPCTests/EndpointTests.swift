import HTTPTypes
import JSON
import RPC
import Testing

@Suite struct EndpointTests {
  @Test func callsThatChangeDataOfASignedInUserHaveAnIdempotencyKey() {
    // A logout is never retried.
    let changes = EndpointCatalogue.all.filter { $0.requiresAuth && !$0.isSafe && $0.path != AuthEndpoints.Logout.path }
    #expect(changes.count == 6)
    for endpoint in changes {
      let hasKey = endpoint.idempotencyKey == .perCall
      let isRetryable = endpoint.isRetryable
      let path = endpoint.path
      #expect(hasKey && isRetryable, "\(path)")
    }
  }

  @Test func cuesAreReadWithASessionAndMayBeRetriedAndCached() {
    let isRetryable = CueEndpoints.GetCues.isRetryable
    let isCacheable = CueEndpoints.GetCues.isCacheable
    let needsSession = CueEndpoints.GetCues.requiresAuth
    #expect(isRetryable && isCacheable && needsSession)
  }

  @Test func theQueryOfTheCuesIsInOrder() throws {
    let since = try #require(Timestamp(parsing: "2026-11-21T12:00:00.482Z"))
    let query = CueEndpoints.GetCues(profileID: "p", updatedSince: since).query
    #expect(query.map(\.name) == ["profile_id", "updated_since"])
    #expect(query.map(\.value) == ["p", "2026-11-21T12:00:00.482Z"])
    #expect(CueEndpoints.GetCues(profileID: "p").query.count == 1)
  }

  @Test func loginAndRefreshCallsNeedNoSessionAndAreNeverRetried() {
    for endpoint in AuthEndpoints.all where endpoint.path != AuthEndpoints.Logout.path {
      let needsSession = endpoint.requiresAuth
      let isRetryable = endpoint.isRetryable
      #expect(!needsSession && !isRetryable)
    }
  }

  @Test func onlySafeCallsAndCallsWithAnIdempotencyKeyAreRetried() {
    for endpoint in EndpointCatalogue.all {
      let isRetryable = endpoint.isRetryable
      let mayBeRetried = endpoint.method == .get || endpoint.idempotencyKey == .perCall
      #expect(isRetryable == mayBeRetried)
      let timeout = endpoint.timeout
      #expect(timeout == EndpointTimeout(idle: .seconds(30), whole: .seconds(60)))
    }
  }

  @Test func bodiesWithTokensCodesOrIdentifiersAreNeverLogged() {
    for endpoint in AuthEndpoints.all + AppEndpoints.all + [AccountEndpoints.Me.self] {
      let loggable = endpoint.loggableBodies
      #expect(!loggable.contains(.request))
    }
    for endpoint: any APIEndpoint.Type in [
      AuthEndpoints.LoginWithMagicToken.self, AuthEndpoints.LoginWithCode.self, AuthEndpoints.RefreshTokens.self,
      AuthEndpoints.AppRefreshToken.self, AuthEndpoints.Logout.self,
    ] {
      let loggable = endpoint.loggableBodies
      #expect(loggable == .maskedResponse)
    }
  }

  @Test func everyEndpointHasThePathOfTheBackend() {
    #expect(
      Set(EndpointCatalogue.all.map { $0.path }) == [
        "/rpc/request_magic_link", "/rpc/request_login_code", "/rpc/login_with_magic_token", "/rpc/login_with_code",
        "/rpc/refresh_tokens", "/app/api/refresh-token", "/app/api/logout", "/app/api/call/start", "/rpc/me",
        "/rpc/app_config", "/rpc/get_or_create_account_profile", "/rpc/set_active_profile",
        "/rpc/request_account_deletion", "/rpc/get_cues", "/rpc/shuffle_cues", "/rpc/update_cue_stage",
      ])
  }

  @Test func pathsAreUniqueAndInOriginForm() {
    let paths = EndpointCatalogue.all.map { $0.path }
    #expect(Set(paths).count == paths.count)
    #expect(AuthEndpoints.RequestMagicLink.name == "request_magic_link")
    for path in paths { #expect(path.hasPrefix("/") && !path.contains("?")) }
  }
}

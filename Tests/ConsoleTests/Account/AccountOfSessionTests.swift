import Client
import HTTPTypes
import JSON
import RPC
import Testing

/// A sign-in or launch fetches the account and the configuration, whether or not a page asks (seed-rules N-48 "If that refresh
/// succeeds", A-21 "After a sign-in").
@Suite(.timeLimit(.minutes(2))) struct AccountOfSessionTests {
  private static let paths = [AccountEndpoints.Me.path, AppEndpoints.AppConfig.path]

  /// The account endpoints among the rows of a user action.
  private static func endpoints(_ flow: String, _ harness: ConsoleHarness, _ caller: ConsoleHarness.Caller) async -> Set<String> {
    let rows = await harness.call(.get, "/api/network", as: caller).json?["events"]?.elements ?? []
    return Set(rows.filter { $0["flow"]?.string == flow }.compactMap { $0["endpoint"]?.string })
  }

  @Test func aSignInFetchesThem() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    #expect(await Self.endpoints("login_with_code", harness, caller).isSuperset(of: ["login_with_code", "me", "app_config"]))
  }

  @Test func aLaunchWithAKeptSessionFetchesThem() async throws {
    let harness = try await ConsoleHarness()
    let backend = harness.backend
    let caller = try await harness.signedIn()
    let (asked, told) = AsyncStream<String>.makeStream()
    for path in Self.paths {
      backend.on(path) { request in
        told.yield(path)
        return backend.answer(request)
      }
    }
    #expect(await harness.call(.post, "/api/session/relaunch", as: caller).status == 200)
    var missing = Set(Self.paths)
    // One that never comes ends with the suite's limit.
    for await path in asked where missing.remove(path) != nil && missing.isEmpty { break }
    #expect(missing.isEmpty)
    #expect(backend.requests(AccountEndpoints.Me.path).last?.headers[.authorization] == "Bearer access")
  }

  /// The configuration goes with the session (seed-rules N-54 "deletes cached data"), and whoever signs in next gets a new one.
  @Test func anEndedSessionFetchesTheConfigurationAgain() async throws {
    let harness = try await ConsoleHarness()
    let backend = harness.backend
    let (asked, told) = AsyncStream<Void>.makeStream()
    let caller = try await harness.signedIn()
    _ = await harness.call(.get, "/api/account", as: caller)
    backend.on(AppEndpoints.AppConfig.path) { request in
      told.yield()
      return backend.answer(request)
    }
    backend.on(AccountEndpoints.Me.path) { _ in AccountBackend.error(401, BackendErrorCode.deviceNotRegistered) }
    #expect(await harness.call(.get, "/api/profiles", as: caller).code == "session_ended")
    for await _ in asked { break }
    #expect(backend.requests(AppEndpoints.AppConfig.path).last?.headers[.authorization] == nil)
  }

  @Test(arguments: paths)
  func thatTheyFailDoesNotUndoTheSignIn(path: String) async throws {
    let harness = try await ConsoleHarness()
    harness.backend.on(path) { _ in TransportResponse(status: 500) }
    let caller = try await harness.signedIn()
    #expect(await harness.call(.get, "/api/state", as: caller).json?["session"]?["state"]?.string == "authenticated")
  }
}

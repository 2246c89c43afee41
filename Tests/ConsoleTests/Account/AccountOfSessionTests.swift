import Client
import HTTPTypes
import JSON
import RPC
import Testing

/// Whoever comes to be signed in has the account and the configuration fetched (seed 000 §3.3, seed 002 §2.2), whoever asks or not.
@Suite(.timeLimit(.minutes(2))) struct AccountOfSessionTests {
  private static let paths = [AccountEndpoints.Me.path, AppEndpoints.AppConfig.path]

  /// The endpoints of an action's rows, as far as they are of the account.
  private static func endpoints(_ flow: String, _ bench: ConsoleHarness, _ caller: ConsoleHarness.Caller) async -> Set<String> {
    let rows = await bench.call(.get, "/api/network", as: caller).json?["events"]?.elements ?? []
    return Set(rows.filter { $0["flow"]?.string == flow }.compactMap { $0["endpoint"]?.string })
  }

  @Test func aSignInFetchesThem() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
    #expect(await Self.endpoints("login_with_code", bench, caller).isSuperset(of: ["login_with_code", "me", "app_config"]))
  }

  @Test func aLaunchWithAKeptSessionFetchesThem() async throws {
    let bench = try ConsoleHarness()
    let backend = bench.backend
    let caller = try await bench.signedIn()
    let (asked, told) = AsyncStream<String>.makeStream()
    for path in Self.paths {
      backend.on(path) { request in
        told.yield(path)
        return backend.answer(request)
      }
    }
    #expect(await bench.call(.post, "/api/session/relaunch", as: caller).status == 200)
    var missing = Set(Self.paths)
    // One that never comes ends with the suite's limit.
    for await path in asked where missing.remove(path) != nil && missing.isEmpty { break }
    #expect(missing.isEmpty)
    #expect(backend.requests(AccountEndpoints.Me.path).last?.headers[.authorization] == "Bearer access")
  }

  @Test(arguments: paths)
  func thatTheyFailDoesNotUndoTheSignIn(path: String) async throws {
    let bench = try ConsoleHarness()
    bench.backend.on(path) { _ in TransportResponse(status: 500) }
    let caller = try await bench.signedIn()
    #expect(await bench.call(.get, "/api/state", as: caller).json?["session"]?["state"]?.string == "authenticated")
  }
}

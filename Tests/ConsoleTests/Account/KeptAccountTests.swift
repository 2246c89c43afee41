import Client
import HTTPTypes
import JSON
import RPC
import Locking
import Testing

/// What the account shows and decides while only what was kept of it is at hand.
@Suite(.timeLimit(.minutes(2))) struct KeptAccountTests {
  /// A console whose device has seen the account with a validator, so that it is kept.
  private func bench() async throws -> (ConsoleHarness, ConsoleHarness.Caller) {
    let bench = try ConsoleHarness()
    let backend = bench.backend
    backend.on(AccountEndpoints.Me.path) { request in
      var answer = backend.answer(request)
      answer.headers[.eTag] = "\"1\""
      answer.headers[.cacheControl] = "private, no-cache"
      return answer
    }
    let caller = try await bench.signedIn()
    #expect(await bench.call(.get, "/api/account", as: caller).json?["source"]?.string == "network")
    return (bench, caller)
  }

  private func cut(_ bench: ConsoleHarness, _ paths: [String]) {
    for path in paths {
      bench.backend.on(path) { _ throws(TransportError) in throw .offline(kind: .cannotConnect) }
    }
  }

  @Test func withoutTheBackendItIsShownAndSaysSo() async throws {
    let (bench, caller) = try await bench()
    cut(bench, [AccountEndpoints.Me.path])
    let account = await bench.call(.get, "/api/account", as: caller)
    #expect(account.status == 200 && account.json?["source"]?.string == "cache")
    #expect(account.json?["user"]?["email"]?.string == "dana@example.com")
    #expect(await bench.call(.get, "/api/profiles", as: caller).json?["source"]?.string == "cache")
  }

  @Test func whatWasKeptCannotTellThatNothingIsScheduled() async throws {
    let (bench, caller) = try await bench()
    let backend = bench.backend
    backend.on(AccountEndpoints.RequestDeletion.path) { request throws(TransportError) in
      _ = backend.answer(request)
      throw .connectionLost(mayHaveBeenProcessed: true)
    }
    cut(bench, [AccountEndpoints.Me.path])
    #expect(await bench.call(.post, "/api/account/deletion", #"{"confirmation":"DELETE"}"#, as: caller).code == "offline")
    func deletion() async -> String? {
      await bench.call(.get, "/api/state", as: caller).json?["deletion"]?["outcome"]?.string
    }
    #expect(await deletion() == "unknown")
    #expect(await bench.call(.get, "/api/account", as: caller).json?["source"]?.string == "cache")
    #expect(await deletion() == "unknown", "what was kept is from before the request")
    backend.on(AccountEndpoints.Me.path, nil)
    bench.pass()
    #expect(await bench.call(.get, "/api/account", as: caller).json?["source"]?.string == "network")
    #expect(await deletion() == nil)
  }

  @Test func aProfileThatWasMadeElsewhereIsNotDeniedWithoutTheBackend() async throws {
    let (bench, caller) = try await bench()
    bench.backend.state.withLock { $0.profiles.append(AccountBackend.profile("de")) }
    cut(bench, [AccountEndpoints.Me.path])
    let answer = await bench.call(.post, "/api/profiles/active", #"{"profile_id":"profile-de"}"#, as: caller)
    #expect(answer.status == 503 && answer.code == "offline")
  }
}

import Client
import HTTPTypes
import JSON
import RPC
import Locking
import Testing

/// What the account shows and decides while only the cached account is available.
@Suite(.timeLimit(.minutes(2))) struct KeptAccountTests {
  /// A console whose device has received the account with a validator, so that it is cached.
  private func harness() async throws -> (ConsoleHarness, ConsoleHarness.Caller) {
    let harness = try await ConsoleHarness()
    let backend = harness.backend
    backend.on(AccountEndpoints.Me.path) { request in
      var answer = backend.answer(request)
      answer.headers[.eTag] = "\"1\""
      answer.headers[.cacheControl] = "private, no-cache"
      return answer
    }
    let caller = try await harness.signedIn()
    #expect(await harness.call(.get, "/api/account", as: caller).json?["source"]?.string == "network")
    return (harness, caller)
  }

  private func cut(_ harness: ConsoleHarness, _ paths: [String]) {
    for path in paths {
      harness.backend.on(path) { _ throws(TransportError) in throw .offline(kind: .cannotConnect) }
    }
  }

  @Test func withoutTheBackendTheCachedAccountIsMarked() async throws {
    let (harness, caller) = try await harness()
    let before = await harness.call(.get, "/api/account", as: caller).json?["synced_at"]?.string
    cut(harness, [AccountEndpoints.Me.path])
    let account = await harness.call(.get, "/api/account", as: caller)
    #expect(account.status == 200 && account.json?["source"]?.string == "cache")
    let syncedAt = account.json?["synced_at"]?.string
    // Both are RFC 3339 in UTC, so their text has the order of time.
    #expect(try #require(syncedAt) <= #require(before), "it is as old as the last answer, not as the question")
    #expect(await harness.call(.get, "/api/profiles", as: caller).json?["synced_at"]?.string == syncedAt)
    #expect(account.json?["user"]?["email"]?.string == "dana@example.com")
    #expect(await harness.call(.get, "/api/profiles", as: caller).json?["source"]?.string == "cache")
  }

  @Test func aFreshAccountIsNotMarked() async throws {
    let harness = try await ConsoleHarness()
    let backend = harness.backend
    backend.on(AccountEndpoints.Me.path) { request in
      var answer = backend.answer(request)
      answer.headers[.cacheControl] = "max-age=300"
      return answer
    }
    let caller = try await harness.signedIn()
    _ = await harness.call(.get, "/api/account", as: caller)
    let asked = backend.requests(AccountEndpoints.Me.path).count
    for path in ["/api/account", "/api/profiles"] {
      #expect(await harness.call(.get, path, as: caller).json?["source"]?.string == "network")
    }
    #expect(backend.requests(AccountEndpoints.Me.path).count == asked, "the cache answered")
  }

  @Test func theCacheCannotTellThatNothingIsScheduled() async throws {
    let (harness, caller) = try await harness()
    let backend = harness.backend
    backend.on(AccountEndpoints.RequestDeletion.path) { request throws(TransportError) in
      _ = backend.answer(request)
      throw .connectionLost(mayHaveBeenProcessed: true)
    }
    cut(harness, [AccountEndpoints.Me.path])
    #expect(await harness.call(.post, "/api/account/deletion", #"{"confirmation":"DELETE"}"#, as: caller).code == "offline")
    func deletion() async -> String? {
      await harness.call(.get, "/api/state", as: caller).json?["deletion"]?["outcome"]?.string
    }
    #expect(await deletion() == "unknown")
    #expect(await harness.call(.get, "/api/account", as: caller).json?["source"]?.string == "cache")
    #expect(await deletion() == "unknown", "what was kept is from before the request")
    backend.on(AccountEndpoints.Me.path, nil)
    harness.pass()
    #expect(await harness.call(.get, "/api/account", as: caller).json?["source"]?.string == "network")
    #expect(await deletion() == nil)
  }

  @Test func aProfileCreatedElsewhereIsNotDeniedWithoutTheBackend() async throws {
    let (harness, caller) = try await harness()
    harness.backend.state.withLock { $0.profiles.append(AccountBackend.profile("de")) }
    cut(harness, [AccountEndpoints.Me.path])
    let answer = await harness.call(.post, "/api/profiles/active", #"{"profile_id":"profile-de"}"#, as: caller)
    #expect(answer.status == 503 && answer.code == "offline")
  }
}

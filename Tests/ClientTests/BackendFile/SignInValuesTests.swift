import FoundationEssentials
import Locking
import Testing

@testable import Client

/// What the requests of a sign-in have captured, over a restart.
struct SignInValuesTests {
  /// A store in memory.
  private final class MemoryStore: SignInStore {
    private let stored = Locked<UnfinishedSignIn?>(nil)

    func load() throws(TokenStoreError) -> UnfinishedSignIn? { stored.withLock { $0 } }
    func save(_ signIn: UnfinishedSignIn) throws(TokenStoreError) { stored.withLock { $0 = signIn } }
    func clear() throws(TokenStoreError) { stored.withLock { $0 = nil } }
  }

  private let store = MemoryStore()
  private let now = Date(timeIntervalSince1970: 1_000_000)

  private func begin(_ values: SignInValues) async {
    var captured = CapturedSession()
    captured.values = ["identifier": "ada", "flow": "flow-0123456789"]
    await values.begin(captured, until: now.addingTimeInterval(60), used: ["flow"], hosts: ["login.example"])
  }

  /// What the next process may use.
  private func later(hosts: Set<String> = ["login.example"], after seconds: Double = 1) async -> String? {
    await SignInValues(store: store).values(for: "ada", at: now.addingTimeInterval(seconds), hosts: hosts)["flow"]
  }

  @Test func theNextProcessUsesThem() async {
    await begin(SignInValues(store: store))
    #expect(await later() == "flow-0123456789")
    #expect(await later(hosts: []) == "flow-0123456789")
  }

  @Test func anotherFileDoesNotSendThemToItsHosts() async throws {
    await begin(SignInValues(store: store))
    #expect(await later(hosts: ["login.example", "elsewhere.example"]) == nil)
    #expect(try store.load() == nil)
  }

  @Test func theyEndWithTheCode() async throws {
    await begin(SignInValues(store: store))
    #expect(await later(after: 60) == nil)
    #expect(try store.load() == nil)
  }

  @Test func nothingIsStoredOnceTheDeviceIsClosed() async throws {
    let values = SignInValues(store: store)
    await values.close()
    await begin(values)
    #expect(try store.load() == nil)
  }

  @Test func theSignOutDeletesThem() async throws {
    let values = SignInValues(store: store)
    await begin(values)
    await values.clear()
    #expect(try store.load() == nil)
  }
}

import Client
import Domain
import Foundation
import JSON
import RPC
import Storage
import Support
import Testing
import Vault

/// The guarantees of every token store, and what the session stores beside the tokens.
@Suite(.timeLimit(.minutes(1)))
struct TokenStoreTests {
  /// The two implementations.
  enum Kind: CaseIterable {
    case memory, sealed

    func make() throws -> any TokenStore {
      switch self {
      case .memory: return MemoryTokenStore()
      case .sealed:
        let storage = try SQLiteStorage(path: nil)
        try storage.writeAndWait { try $0.run(script: StorageDialect.sqlite.script(SealedTokenStore.schema)) }
        return SealedTokenStore(storage: storage, key: .random(), backendID: "b", deviceID: "d")
      }
    }
  }

  private func tokens(_ number: Int, language: String? = nil) throws -> StoredTokens {
    let pair = TokenPair(
      accessToken: "a\(number)", refreshToken: "r\(number)", expiresIn: 900, expiresAt: nil,
      refreshExpiresIn: 1000, refreshExpiresAt: nil, sessionID: "s", profile: nil)
    let session = try SessionTokens(pair, sentAt: .now, sentWall: Date(timeIntervalSince1970: 1_700_000_000))
    return StoredTokens(session, preferredLanguageCode: language)
  }

  @Test(arguments: Kind.allCases)
  func keepsReplacesAndForgets(kind: Kind) throws {
    let store = try kind.make()
    #expect(try store.load() == nil)
    try store.clear()
    try store.save(tokens(1, language: "de"))
    #expect(try store.load() == tokens(1, language: "de"))
    try store.save(tokens(2))
    #expect(try store.load() == tokens(2))
    try store.clear()
    #expect(try store.load() == nil)
  }

  @Test(arguments: Kind.allCases)
  func whoReadsWhileOthersWriteSeesOneWholePair(kind: Kind) async throws {
    let store = try kind.make()
    let pairs = try (0..<20).map { try tokens($0, language: "l\($0)") }
    try store.save(pairs[0])
    try await OwnThread.run {
      DispatchQueue.concurrentPerform(iterations: 8) { index in
        for round in 0..<50 {
          if index % 2 == 0 {
            try? store.save(pairs[(index + round) % pairs.count])
          } else {
            let seen = try? store.load()
            if !pairs.contains(where: { $0 == seen }) { Issue.record("half a pair: \(String(describing: seen))") }
          }
        }
      }
    }
    #expect(try store.load().map { pairs.contains($0) } == true)
  }

  @Test func whatWasKeptBeforeTheLanguageWasStillOpens() throws {
    let json = #"{"accessToken":"a","refreshToken":"r","sessionID":"s"}"#
    #expect(try JSONDecoder().decode(StoredTokens.self, from: Data(json.utf8)).preferredLanguageCode == nil)
  }

  // MARK: The language beside the tokens

  @Test func theLanguageSurvivesRefreshAndRestart() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    #expect(await harness.session.preferredLanguageCode == nil)
    try await harness.session.setPreferredLanguageCode("he")
    #expect(try harness.store.load()?.preferredLanguageCode == "he")
    #expect(await harness.session.refresh() == .refreshed)
    #expect(try harness.store.load()?.refreshToken == "refresh-2")
    #expect(try harness.store.load()?.preferredLanguageCode == "he")
    let stack = harness.relaunched()
    await stack.session.bootstrap()
    #expect(await stack.session.preferredLanguageCode == "he")
    try await stack.session.setPreferredLanguageCode(nil)
    #expect(try harness.store.load()?.preferredLanguageCode == nil)
    #expect(try harness.store.load()?.refreshToken == "refresh-3")
  }

  @Test func theLanguageGoesWithTheUser() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    try await harness.session.setPreferredLanguageCode("ar")
    await harness.stack.auth.logout(.user)
    #expect(await harness.session.preferredLanguageCode == nil)
    try await harness.signIn()
    #expect(await harness.session.preferredLanguageCode == nil)
    try await harness.session.setPreferredLanguageCode("ja")
    // Another login without a logout in between is another session too.
    try await harness.signIn()
    #expect(await harness.session.preferredLanguageCode == nil)
    #expect(try harness.store.load()?.preferredLanguageCode == nil)
  }

  @Test func withoutASessionThereIsNowhereToKeepALanguage() async throws {
    let harness = try ClientHarness()
    await #expect(throws: NetworkError.unauthorized) { try await harness.session.setPreferredLanguageCode("de") }
    #expect(try harness.store.load() == nil)
    try await harness.signIn()
    try await harness.session.setPreferredLanguageCode("de")
    try await harness.storage.write { try $0.run(script: "DROP TABLE client_token") }
    await #expect(throws: NetworkError.storageFull) { try await harness.session.setPreferredLanguageCode("fr") }
    #expect(await harness.session.preferredLanguageCode == "de")
  }
}

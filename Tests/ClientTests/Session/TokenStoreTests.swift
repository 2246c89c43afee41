import Client
import Domain
import Foundation
import GRDB
import JSON
import RPC
import Support
import Testing
import Vault

/// What every token store promises, and what the session keeps in it beside the tokens.
@Suite(.timeLimit(.minutes(1)))
struct TokenStoreTests {
  /// The two conformers.
  enum Kind: CaseIterable {
    case memory, sealed

    func make() throws -> any TokenStore {
      switch self {
      case .memory: return MemoryTokenStore()
      case .sealed:
        let database = try DatabaseQueue()
        try database.write { try SealedTokenStore.migrate($0) }
        return SealedTokenStore(database: database, key: .random(), backendID: "b", deviceID: "d")
      }
    }
  }

  private func tokens(_ number: Int, language: String? = nil) throws -> StoredTokens {
    let pair = TokenPair(
      accessToken: "a\(number)", refreshToken: "r\(number)", expiresIn: 900, expiresAt: Timestamp(milliseconds: 0),
      refreshExpiresIn: 1000, refreshExpiresAt: Timestamp(milliseconds: 0), sessionID: "s", profile: nil)
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
    let bench = try ClientHarness()
    try await bench.signIn()
    #expect(await bench.session.preferredLanguageCode == nil)
    try await bench.session.setPreferredLanguageCode("he")
    #expect(try bench.store.load()?.preferredLanguageCode == "he")
    #expect(await bench.session.refresh() == .refreshed)
    #expect(try bench.store.load()?.refreshToken == "refresh-2")
    #expect(try bench.store.load()?.preferredLanguageCode == "he")
    let stack = bench.relaunched()
    await stack.session.bootstrap()
    #expect(await stack.session.preferredLanguageCode == "he")
    try await stack.session.setPreferredLanguageCode(nil)
    #expect(try bench.store.load()?.preferredLanguageCode == nil)
    #expect(try bench.store.load()?.refreshToken == "refresh-3")
  }

  @Test func theLanguageGoesWithTheUser() async throws {
    let bench = try ClientHarness()
    try await bench.signIn()
    try await bench.session.setPreferredLanguageCode("ar")
    await bench.stack.auth.logout(.user)
    #expect(await bench.session.preferredLanguageCode == nil)
    try await bench.signIn()
    #expect(await bench.session.preferredLanguageCode == nil)
    try await bench.session.setPreferredLanguageCode("ja")
    // Another login without a logout between is another session too.
    try await bench.signIn()
    #expect(await bench.session.preferredLanguageCode == nil)
    #expect(try bench.store.load()?.preferredLanguageCode == nil)
  }

  @Test func withoutASessionThereIsNowhereToKeepALanguage() async throws {
    let bench = try ClientHarness()
    await #expect(throws: NetworkError.unauthorized) { try await bench.session.setPreferredLanguageCode("de") }
    #expect(try bench.store.load() == nil)
    try await bench.signIn()
    try await bench.session.setPreferredLanguageCode("de")
    try await bench.database.write { try $0.execute(sql: "DROP TABLE client_token") }
    await #expect(throws: NetworkError.storageFull) { try await bench.session.setPreferredLanguageCode("fr") }
    #expect(await bench.session.preferredLanguageCode == "de")
  }
}

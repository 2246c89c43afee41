import Foundation
import GRDB
import HTTPTypes
import RPC
import Storage
import Support
import Testing

@testable import Backend

@Suite(.timeLimit(.minutes(1))) struct StoredDataTests {
  @Test func aRestartKeepsEverything() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("backend.sqlite")
    let time = DrivenTime()
    var probe = try await BackendProbe(time: time, database: file, limits: .prod)
    let id = probe.backend.dataID
    let tokens = try await probe.signIn("kept@example.com")
    let message = try await probe.ask()
    for _ in 0..<4 { _ = try await probe.redeem(code: message.wrongCode) }
    let successor = try await probe.refresh(tokens.refreshToken).tokens
    try await probe.backend.clock.advance(seconds: 30)

    probe = try await BackendProbe(time: time, database: file, limits: .prod)
    #expect(probe.backend.dataID == id)
    #expect(probe.backend.clock.offset == .seconds(30))
    #expect(try await probe.me(successor.accessToken).status == 200)
    #expect(try await probe.post("/rpc/request_login_code", "{\"identifier\":\"ana@example.com\"}").fields[.retryAfter] == "30")
    // The four attempts still count, and the key that codes are hashed with is the same.
    #expect(try await probe.redeem(code: message.wrongCode).status == 401)
    #expect(try await probe.redeem(code: try #require(message.code)).status == 401)
    #expect(try await probe.redeem(link: message.token).status == 200)
    #expect(try await probe.refresh(tokens.refreshToken).code == "refresh_token_reused")
    #expect(try await BackendProbe(time: time, database: file).refresh(successor.refreshToken).code == "refresh_token_reused")
  }

  @Test func aCodeAndItsKeyOutliveARestart() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("backend.sqlite")
    let code = try #require(try await BackendProbe(database: file).ask(link: false).code)
    #expect(try await BackendProbe(database: file).redeem(code: code).status == 200)
  }

  @Test func aLostKeyInvalidatesOnlyPendingCodes() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("backend.sqlite")
    let before = try await BackendProbe(database: file)
    let tokens = try await before.signIn("kept@example.com")
    let message = try await before.ask()
    try FileManager.default.removeItem(atPath: file + ".key")
    let probe = try await BackendProbe(database: file)
    #expect(try await probe.redeem(code: try #require(message.code)).code == "login_code_invalid")
    #expect(try await probe.redeem(link: message.token).status == 200)
    #expect(try await probe.me(tokens.accessToken).status == 200)
  }

  @Test func aDamagedTableIsReportedByRequestIDOnly() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("backend.sqlite")
    let probe = try await BackendProbe(database: file)
    let message = try await probe.ask()
    try await DatabaseQueue(path: file).write { db in try db.execute(sql: "DROP TABLE profile") }
    let reply = try await probe.redeem(link: message.token)
    #expect(reply.status == 500 && reply.code == "internal")
    #expect(!String(decoding: reply.body, as: UTF8.self).contains("profile"))
    #expect(try await probe.call(.get, "/rpc/app_config").status == 200)
    // The failed call was rolled back: the link is still valid.
    let links = try await DatabaseQueue(path: file).read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM login_challenge")
    }
    #expect(links == 1)
  }

  @Test func transientFaults() {
    for error in [StorageError.conflict, .full, .unusable, .interrupted, .unreachable("gone"), .inDoubt, .statement("7")] {
      #expect(DatabaseFault.isTransient(error))
    }
    #expect(DatabaseFault.isTransient(CancellationError()))
    for error in [StorageError.constraint, .damaged, .mismatch("no text"), .statement("1")] {
      #expect(!DatabaseFault.isTransient(error))
    }
  }

  @Test func aFaultIsToldWithoutItsStatement() async throws {
    let storage = try SQLiteStorage(path: nil)
    let error = await #expect(throws: StorageError.self) {
      try await storage.write { _ = try $0.rows("SELECT 'secret' FROM secret") }
    }
    #expect(DatabaseFault.description(of: try #require(error)) == "the database rejected a statement (1)")
  }

  @Test func unexpiredMessagesSurviveARestart() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("backend.sqlite")
    let time = DrivenTime()
    let earlier = try await BackendProbe(time: time, database: file)
    let first = try await earlier.ask()
    time.advance(by: .seconds(300))
    let second = try await earlier.ask("+491711234567")
    let probe = try await BackendProbe(time: time, database: file)
    #expect(await probe.backend.inbox.messages(to: nil) == [first, second])
    time.advance(by: .seconds(300))
    #expect(await (try await BackendProbe(time: time, database: file)).backend.inbox.messages(to: nil) == [second])
    try await probe.backend.reset()
    #expect(await (try await BackendProbe(time: time, database: file)).backend.inbox.messages(to: nil).isEmpty)
  }

  @Test func aLostAnswerIsRepeatedAfterARestart() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("backend.sqlite")
    let time = DrivenTime()
    let parent = try await BackendProbe(time: time, database: file).signIn().refreshToken
    let successor = try await BackendProbe(time: time, database: file).refresh(parent).tokens
    #expect(try await BackendProbe(time: time, database: file).refresh(parent).tokens == successor)
  }

  @Test func filesContainNoSecretsAndArePrivate() async throws {
    let folder = try TemporaryFolder()
    let probe = try await BackendProbe(database: folder.file("backend.sqlite"))
    let tokens = try await probe.signIn()
    let successor = try await probe.refresh(tokens.refreshToken).tokens
    let message = try await probe.ask("+491711234567")
    var whole = Data()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.contains("backend.sqlite") && names.contains("backend.sqlite.key"))
    for name in names {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(name)")
      whole += try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
    }
    #expect(whole.range(of: Data("+491711234567".utf8)) != nil, "the search finds what is there")
    let secrets = [
      tokens.accessToken, tokens.refreshToken, successor.accessToken, successor.refreshToken, try message.token,
      "\"\(try #require(message.code))\"", "code \(try #require(message.code))",
    ]
    for secret in secrets { #expect(whole.range(of: Data(secret.utf8)) == nil) }
  }

  @Test func aSymbolicLinkInsteadOfTheDatabaseIsRefused() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(atPath: folder.file("backend.sqlite"), withDestinationPath: folder.file("other"))
    await #expect(throws: BackendStartError.self) { try await BackendProbe(database: folder.file("backend.sqlite")) }
  }

  @Test func aFileThatIsNoDatabaseIsRefused() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(String(repeating: "not a database ", count: 100), to: "backend.sqlite")
    await #expect(throws: BackendStartError.self) { try await BackendProbe(database: file) }
  }
}

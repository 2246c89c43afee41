import GRDB
import HTTPTypes
import RPC
import Support
import Testing

@testable import Backend

@Suite(.timeLimit(.minutes(1))) struct LoginCodeTests {
  @Test func fourWrongCodesThenTheRightOne() async throws {
    let probe = try await BackendProbe()
    let message = try await probe.ask(link: false)
    for _ in 0..<4 { #expect(try await probe.redeem(code: message.wrongCode).code == "login_code_invalid") }
    #expect(try await probe.redeem(code: try #require(message.code)).status == 200)
  }

  @Test func afterFiveWrongCodesOnlyTheLinkWorks() async throws {
    let probe = try await BackendProbe()
    let message = try await probe.ask()
    for _ in 0..<5 { #expect(try await probe.redeem(code: message.wrongCode).status == 401) }
    let reply = try await probe.redeem(code: try #require(message.code))
    #expect(reply.status == 401 && reply.code == "login_code_invalid")
    #expect(try await probe.redeem(link: message.token).status == 200)
  }

  @Test func aMessageKnowsWhetherItStillWorks() async throws {
    let probe = try await BackendProbe()
    func state(_ message: InboxMessage) async throws -> MessageState? {
      try await probe.backend.states(of: [message])[message.id]
    }
    let first = try await probe.ask()
    #expect(try await state(first) == .live)
    for _ in 0..<5 { #expect(try await probe.redeem(code: first.wrongCode).status == 401) }
    #expect(try await state(first) == .blocked)
    let second = try await probe.ask(link: false)
    #expect(try await state(first) == .replaced)
    #expect(try await probe.redeem(code: try #require(second.code)).status == 200)
    #expect(try await state(second) == .used)
    let third = try await probe.ask()
    #expect(try await probe.redeem(link: third.token).status == 200)
    #expect(try await state(third) == .used)
    let fourth = try await probe.ask()
    probe.time.advance(by: .seconds(600))
    #expect(try await state(fourth) == .expired)
  }

  @Test func fiftyConcurrentWrongCodesAreFiveAttempts() async throws {
    let folder = try TemporaryFolder()
    let probe = try await BackendProbe(database: folder.file("backend.sqlite"))
    let message = try await probe.ask(link: false)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<50 { group.addTask { try await probe.redeem(code: message.wrongCode).status } }
      for try await status in group { #expect(status == 401) }
    }
    let attempts = try await DatabaseQueue(path: folder.file("backend.sqlite")).read { db in
      try Int.fetchOne(db, sql: "SELECT attempts FROM login_challenge")
    }
    #expect(attempts == 5)
    #expect(try await probe.redeem(code: try #require(message.code)).status == 401)
  }

  @Test func allSpellingsOfAnIdentifierShareTheAttempts() async throws {
    let probe = try await BackendProbe()
    let message = try await probe.ask(link: false)
    for writing in ["ana@example.com", "ANA@example.com", " ana@example.com", "Ana@Example.Com", "ana@example.COM"] {
      #expect(try await probe.redeem(code: message.wrongCode, of: writing).status == 401)
    }
    #expect(try await probe.redeem(code: try #require(message.code)).status == 401)
  }

  @Test func aCodeExpiresExactlyOnTime() async throws {
    let probe = try await BackendProbe()
    let late = try await probe.ask(link: false)
    probe.time.advance(by: .seconds(600))
    #expect(try await probe.redeem(code: try #require(late.code)).status == 401)
    let inTime = try await probe.ask(link: false)
    probe.time.advance(by: .milliseconds(599_999))
    #expect(try await probe.redeem(code: try #require(inTime.code)).status == 200)
  }

  @Test func aCodeIsValidForItsIdentifierOnly() async throws {
    let probe = try await BackendProbe()
    let mine = try await probe.ask(link: false)
    let other = try await probe.ask("+491711234567", link: false)
    if mine.code != other.code {
      #expect(try await probe.redeem(code: try #require(mine.code), of: "+491711234567").status == 401)
    }
    #expect(try await probe.redeem(code: try #require(other.code), of: "0049 171 1234567").status == 200)
  }

  @Test func malformedCodes() async throws {
    let probe = try await BackendProbe()
    _ = try await probe.ask(link: false)
    for code in ["", "12345", "1234567", "١٢٣٤٥٦"] { #expect(try await probe.redeem(code: code).code == "login_code_invalid") }
  }
}

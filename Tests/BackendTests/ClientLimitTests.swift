import GRDB
import HTTPTypes
import JSON
import RPC
import Support
import Testing

@testable import Backend

/// The limit of a client instance, beside that of an identifier.
@Suite(.timeLimit(.minutes(1))) struct ClientLimitTests {
  private func ask(_ probe: BackendProbe, _ number: Int, device: String, fields: [(String, String)] = []) async throws
    -> BackendProbe.Reply
  {
    try await probe.call(
      .post, "/rpc/request_login_code", body: Array("{\"identifier\":\"user\(number)@example.com\"}".utf8), device: device,
      fields: fields)
  }

  @Test func thirtyInFiveMinutesAndExactAtTheEdge() async throws {
    let probe = try BackendProbe(limits: .prod)
    for number in 0..<SendLimit.clientCap { #expect(try await ask(probe, number, device: "one").status == 200) }
    let refused = try await ask(
      probe, 99, device: "one", fields: [("X-Forwarded-For", "203.0.113.9"), ("Forwarded", "for=203.0.113.9")])
    #expect(refused.status == 429 && refused.fields[.retryAfter] == "300")
    #expect(try await ask(probe, 99, device: "two").status == 200, "another client is not held up")
    probe.time.advance(by: .seconds(299))
    #expect(try await ask(probe, 98, device: "one").fields[.retryAfter] == "1")
    probe.time.advance(by: .seconds(1))
    #expect(try await ask(probe, 98, device: "one").status == 200)
  }

  @Test func otherModesHaveNone() async throws {
    let probe = try BackendProbe(limits: .relaxed)
    for number in 0...SendLimit.clientCap { #expect(try await ask(probe, number, device: "one").status == 200) }
  }

  @Test func itOutlivesARestartAndAResetForgetsIt() async throws {
    let folder = try TemporaryFolder()
    let (time, file) = (DrivenTime(), folder.file("backend.sqlite"))
    let first = try BackendProbe(time: time, database: file, limits: .prod)
    for number in 0..<SendLimit.clientCap { _ = try await ask(first, number, device: "one") }
    let probe = try BackendProbe(time: time, database: file, limits: .prod)
    #expect(try await ask(probe, 99, device: "one").status == 429)
    #expect(try await probe.backend.limitsState().entries.count == SendLimit.clientCap)
    try await probe.backend.resetLimits()
    #expect(try await probe.backend.limitsState().entries.isEmpty)
    #expect(try await ask(probe, 99, device: "one").status == 200)
  }

  @Test func theStoreIsBounded() async throws {
    let probe = try BackendProbe(limits: .off)
    try await probe.backend.services.database.write { db in
      let statement = try db.makeStatement(sql: "INSERT INTO login_send (identifier, device_id, sent_at) VALUES (?, 'd', ?)")
      for number in 0..<(SendLimit.capacity + 50) {
        try statement.execute(arguments: ["filler\(number)@example.com", Timestamp(probe.time.wall).milliseconds])
      }
    }
    #expect(try await ask(probe, 0, device: "one").status == 200)
    let rows = try await probe.backend.services.database.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM login_send")
    }
    #expect(rows == SendLimit.capacity)
    #expect(try await probe.backend.limitsState().entries.count == LimitsState.capacity)
  }

  @Test func aFloodForOneIdentifierLeavesItsLatestMessageGood() async throws {
    let probe = try BackendProbe(limits: .prod)
    let message = try await probe.ask()
    for _ in 0..<20 {
      #expect(
        try await probe.post("/rpc/request_magic_link", "{\"identifier\":\"\(BackendProbe.ana)\"}", device: "eve").status == 429)
    }
    #expect(try await probe.redeem(code: try #require(message.code)).status == 200)
  }
}

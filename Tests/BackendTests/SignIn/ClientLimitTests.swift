import GRDB
import HTTPTypes
import JSON
import RPC
import Server
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
    #expect(try #require(rows) <= SendLimit.capacity && rows ?? 0 > SendLimit.capacity - 2 * SendLimit.batch)
    #expect(try await probe.backend.limitsState().entries.count == LimitsState.capacity)
  }

  /// Devices that somebody at one address made up: what is counted for others stays. `test_signatures.py` makes up 200,000.
  @Test func aFloodOfMadeUpDevicesForgetsNobody() async throws {
    let probe = try BackendProbe(limits: .prod)
    for number in 0..<SendLimit.clientCap { #expect(try await ask(probe, number, device: "victim").status == 200) }
    let now = Timestamp(probe.time.wall)
    let taken = try await probe.backend.services.database.write { db in
      var taken = 0
      for number in 0..<10_000 {
        let sender = SendLimit.Sender(deviceID: "made-up-\(number)", client: "192.0.2.1")
        let verdict = try SendLimit.take(db, identifier: "\(number)@flood.example", from: sender, now: now, mode: .prod)
        if case .sent = verdict { taken += 1 }
      }
      return taken
    }
    #expect(taken == SendLimit.clientShare)
    #expect(try await ask(probe, 99, device: "victim").status == 429, "the counters of another client hold")
    #expect(try await ask(probe, 99, device: "bystander").status == 200, "nor is anybody else held up")
    let flood = try await probe.call(
      .post, "/rpc/request_login_code", body: Array("{\"identifier\":\"user99@example.com\"}".utf8), device: "new",
      from: "192.0.2.1")
    #expect(flood.status == 429 && flood.fields[.retryAfter] == "3600")
    let bounds = await probe.backend.bounds()
    #expect(bounds.first { $0.name == "embedded_rate_limit_keys_of_a_client" }?.used == SendLimit.clientShare)
  }

  /// Where many addresses take part, the one with most gives way.
  @Test func whatIsTooMuchInAllIsTakenFromTheGreediest() async throws {
    let probe = try BackendProbe(limits: .prod)
    let now = Timestamp(probe.time.wall)
    for number in 0..<SendLimit.clientCap { #expect(try await ask(probe, number, device: "victim").status == 200) }
    try await probe.backend.services.database.write { db in
      let statement = try db.makeStatement(
        sql: "INSERT INTO login_send (identifier, device_id, client, sent_at) VALUES (?, ?, ?, ?)")
      for number in 0..<SendLimit.capacity {
        try statement.execute(
          arguments: ["\(number)@f.example", "d\(number)", "client \(number / SendLimit.clientShare)", now.milliseconds])
      }
    }
    #expect(try await ask(probe, 50, device: "other").status == 200)
    #expect(try await ask(probe, 99, device: "victim").status == 429)
    #expect(await probe.backend.bounds().first { $0.name == "embedded_rate_limit_keys" }?.used ?? .max <= SendLimit.capacity)
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

import HTTPTypes
import JSON
import RPC
import Server
import Storage
import Support
import Testing

@testable import Backend

/// The rate limit of a device, in addition to that of an identifier.
@Suite(.timeLimit(.minutes(1))) struct ClientLimitTests {
  private func ask(_ probe: BackendProbe, _ number: Int, device: String, fields: [(String, String)] = []) async throws
    -> BackendProbe.Reply
  {
    try await probe.call(
      .post, "/rpc/request_login_code", body: Array("{\"identifier\":\"user\(number)@example.com\"}".utf8), device: device,
      fields: fields)
  }

  @Test func thirtyInExactlyFiveMinutes() async throws {
    let probe = try await BackendProbe(limits: .prod)
    for number in 0..<SendLimit.sendsPerDevice { #expect(try await ask(probe, number, device: "one").status == 200) }
    let refused = try await ask(
      probe, 99, device: "one", fields: [("X-Forwarded-For", "203.0.113.9"), ("Forwarded", "for=203.0.113.9")])
    #expect(refused.status == 429 && refused.fields[.retryAfter] == "300")
    #expect(try await ask(probe, 99, device: "two").status == 200, "another device is not limited")
    probe.time.advance(by: .seconds(299))
    #expect(try await ask(probe, 98, device: "one").fields[.retryAfter] == "1")
    probe.time.advance(by: .seconds(1))
    #expect(try await ask(probe, 98, device: "one").status == 200)
  }

  @Test func otherModesHaveNone() async throws {
    let probe = try await BackendProbe(limits: .relaxed)
    for number in 0...SendLimit.sendsPerDevice { #expect(try await ask(probe, number, device: "one").status == 200) }
  }

  @Test func itSurvivesARestartButNotAReset() async throws {
    let folder = try TemporaryFolder()
    let time = DrivenTime()
    let file = folder.file("backend.sqlite")
    let first = try await BackendProbe(time: time, database: file, limits: .prod)
    for number in 0..<SendLimit.sendsPerDevice { _ = try await ask(first, number, device: "one") }
    let probe = try await BackendProbe(time: time, database: file, limits: .prod)
    #expect(try await ask(probe, 99, device: "one").status == 429)
    #expect(try await probe.backend.limitsState().entries.count == SendLimit.sendsPerDevice)
    try await probe.backend.resetLimits()
    #expect(try await probe.backend.limitsState().entries.isEmpty)
    #expect(try await ask(probe, 99, device: "one").status == 200)
  }

  /// The numbers from 0 up to a parameter, as the table `numbers`.
  private static let numbers =
    "WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < CAST(? AS BIGINT))"

  @Test func theStoreIsBounded() async throws {
    let probe = try await BackendProbe(limits: .off)
    try await probe.backend.services.storage.write { transaction in
      try transaction.execute(
        "\(Self.numbers) INSERT INTO login_send (identifier, device_id, sent_at) SELECT 'filler' || n || '@example.com', 'd', ? FROM numbers",
        SendLimit.capacity + 50, Timestamp(probe.time.wall).milliseconds)
    }
    #expect(try await ask(probe, 0, device: "one").status == 200)
    let rows = try await probe.backend.services.storage.read { try $0.number("SELECT count(*) AS sends FROM login_send") ?? 0 }
    #expect(rows <= SendLimit.capacity && rows > SendLimit.capacity - 2 * SendLimit.deletionBatch)
    #expect(try await probe.backend.limitsState().entries.count == LimitsState.capacity)
  }

  /// A client that makes up device ids does not evict the counters of others; `test_signatures.py` makes up 200,000.
  @Test func aFloodOfInventedDevicesEvictsNobody() async throws {
    let probe = try await BackendProbe(limits: .prod)
    for number in 0..<SendLimit.sendsPerDevice { #expect(try await ask(probe, number, device: "victim").status == 200) }
    let now = Timestamp(probe.time.wall)
    let sent = try await probe.backend.services.storage.write { transaction in
      var sent = 0
      for number in 0..<SendLimit.sendsPerAddress + 500 {
        let sender = SendLimit.Sender(deviceID: "made-up-\(number)", address: "192.0.2.1")
        let outcome = try SendLimit.record(
          transaction, identifier: "\(number)@flood.example", from: sender, now: now, mode: .prod)
        if case .sent = outcome { sent += 1 }
      }
      return sent
    }
    #expect(sent == SendLimit.sendsPerAddress)
    #expect(try await ask(probe, 99, device: "victim").status == 429, "the counters of another device are intact")
    #expect(try await ask(probe, 99, device: "bystander").status == 200, "other devices are not limited")
    let flood = try await probe.call(
      .post, "/rpc/request_login_code", body: Array("{\"identifier\":\"user99@example.com\"}".utf8), device: "new",
      from: "192.0.2.1")
    #expect(flood.status == 429 && flood.fields[.retryAfter] == "3600")
    let bounds = await probe.backend.bounds()
    #expect(bounds.first { $0.name == "embedded_rate_limit_keys_of_a_client" }?.used == SendLimit.sendsPerAddress)
  }

  /// With many addresses, the one with the most sends loses some.
  @Test func theAddressWithTheMostSendsLosesTheOldest() async throws {
    let probe = try await BackendProbe(limits: .prod)
    let now = Timestamp(probe.time.wall)
    for number in 0..<SendLimit.sendsPerDevice { #expect(try await ask(probe, number, device: "victim").status == 200) }
    try await probe.backend.services.storage.write { transaction in
      try transaction.execute(
        """
        \(Self.numbers) INSERT INTO login_send (identifier, device_id, client, sent_at)
        SELECT n || '@f.example', 'd' || n, 'client ' || n / ?, ? FROM numbers
        """, SendLimit.capacity, SendLimit.sendsPerAddress, now.milliseconds)
    }
    #expect(try await ask(probe, 50, device: "other").status == 200)
    #expect(try await ask(probe, 99, device: "victim").status == 429)
    #expect(await probe.backend.bounds().first { $0.name == "embedded_rate_limit_keys" }?.used ?? .max <= SendLimit.capacity)
  }

  @Test func aFloodForOneIdentifierKeepsItsLatestMessageValid() async throws {
    let probe = try await BackendProbe(limits: .prod)
    let message = try await probe.ask()
    for _ in 0..<20 {
      #expect(
        try await probe.post("/rpc/request_magic_link", "{\"identifier\":\"\(BackendProbe.ana)\"}", device: "eve").status == 429)
    }
    #expect(try await probe.redeem(code: try #require(message.code)).status == 200)
  }
}

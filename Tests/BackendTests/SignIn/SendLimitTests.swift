import HTTPTypes
import JSON
import RPC
import Support
import Testing

@testable import Backend

@Suite(.timeLimit(.minutes(1))) struct SendLimitTests {
  private func ask(_ probe: BackendProbe, _ identifier: String = BackendProbe.ana, link: Bool = true) async throws
    -> BackendProbe.Reply
  {
    try await probe.post(link ? "/rpc/request_magic_link" : "/rpc/request_login_code", "{\"identifier\":\"\(identifier)\"}")
  }

  @Test(arguments: [(LimitsMode.prod, 60), (.relaxed, 5)]) func waitingExactlyRetryAfterWorks(mode: LimitsMode, spacing: Int)
    async throws
  {
    let probe = try await BackendProbe(limits: mode)
    let first = try await ask(probe)
    #expect(try first.json["cooldown_seconds"]?.int64 == Int64(spacing))
    #expect(try first.json["expires_in_seconds"]?.int64 == 600)
    probe.time.advance(by: .milliseconds(1))
    // Links and codes share the limit, and so do all spellings of the identifier.
    let refused = try await ask(probe, "ANA@example.com", link: false)
    #expect(refused.status == 429 && refused.code == "too_many_attempts")
    #expect(refused.fields[.retryAfter] == "\(spacing)")
    #expect(try await ask(probe, "other@example.com").status == 200)
    probe.time.advance(by: .seconds(spacing - 1))
    #expect(try await ask(probe).fields[.retryAfter] == "1")
    probe.time.advance(by: .milliseconds(999))
    #expect(try await ask(probe).status == 200)
  }

  @Test func fiveAnHour() async throws {
    let probe = try await BackendProbe(limits: .prod)
    for sent in 1...5 {
      let reply = try await ask(probe)
      #expect(reply.status == 200)
      // The fifth answer already contains the time until the hour is over.
      #expect(try reply.json["cooldown_seconds"]?.int64 == (sent == 5 ? 3600 - 240 : 60))
      probe.time.advance(by: .seconds(60))
    }
    let refused = try await ask(probe)
    #expect(refused.fields[.retryAfter] == "3300")
    probe.time.advance(by: .seconds(3299))
    #expect(try await ask(probe).status == 429)
    probe.time.advance(by: .seconds(1))
    #expect(try await ask(probe).status == 200)
  }

  @Test func aRefusedRequestKeepsThePendingLink() async throws {
    let probe = try await BackendProbe(limits: .prod)
    let message = try await probe.ask()
    #expect(try await ask(probe).status == 429)
    #expect(try await probe.redeem(link: message.token).status == 200)
  }

  @Test func oneOfTwoConcurrentRequestsAtTheLimitPasses() async throws {
    let probe = try await BackendProbe(limits: .relaxed)
    async let one = ask(probe)
    async let two = ask(probe)
    #expect(try await [one.status, two.status].sorted() == [200, 429])
  }

  @Test func anUnknownIdentifierIsLimitedLikeAKnownOne() async throws {
    let probe = try await BackendProbe(limits: .prod, registration: .closed)
    #expect(try await ask(probe, "nobody@example.com").status == 200)
    #expect(try await ask(probe, "nobody@example.com").fields[.retryAfter] == "60")
  }

  @Test func settingTheClockBackLocksNobodyOut() async throws {
    let probe = try await BackendProbe(limits: .prod)
    try await probe.backend.clock.advance(seconds: 86_400)
    #expect(try await ask(probe).status == 200)
    try await probe.backend.clock.reset()
    #expect(try await ask(probe).fields[.retryAfter] == "60")
    probe.time.advance(by: .seconds(60))
    #expect(try await ask(probe).status == 200)
  }

  @Test func theModeCanBeChangedAndReset() async throws {
    let probe = try await BackendProbe(limits: .prod)
    #expect(try await ask(probe).status == 200)
    try await probe.backend.setLimits(.off)
    #expect(try await ask(probe).status == 200)
    #expect(try await probe.call(.get, "/rpc/app_config").json["auth"]?["cooldown_seconds"]?.int64 == 0)
    try await probe.backend.resetLimits()
    #expect(probe.backend.limits == .prod)
    #expect(try await ask(probe).status == 200)
    #expect(try await ask(probe).status == 429)
  }

  @Test func withoutALimitThereIsNoCooldown() async throws {
    let probe = try await BackendProbe(limits: .off)
    for _ in 0..<8 { #expect(try await ask(probe).json["cooldown_seconds"]?.int64 == 0) }
  }
}

import HTTPTypes
import JSON
import RPC
import Support
import Testing

@testable import Backend

@Suite(.timeLimit(.minutes(1))) struct BackendClockTests {
  @Test func advancingExpiresTheAccessTokenAndARefreshHelps() async throws {
    let probe = try await BackendProbe()
    let tokens = try await probe.signIn()
    try await probe.backend.clock.advance(seconds: 899)
    #expect(try await probe.me(tokens.accessToken).status == 200)
    try await probe.backend.clock.advance(seconds: 1)
    let reply = try await probe.me(tokens.accessToken)
    #expect(reply.status == 401 && reply.code == "ErrAccessTokenExpired")
    let fresh = try await probe.refresh(tokens.refreshToken).tokens
    #expect(fresh.expiresAt?.milliseconds == Timestamp(probe.time.wall).milliseconds + 1_800_000)
    #expect(try await probe.me(fresh.accessToken).status == 200)
  }

  @Test func steps() async throws {
    let probe = try await BackendProbe()
    let clock = probe.backend.clock
    for seconds in [0, -1, 34_560_001, Int.max, Int.min] {
      await #expect(throws: BackendStartError.clockOutOfRange) { try await clock.advance(seconds: seconds) }
    }
    #expect(clock.offset == .zero)
    try await clock.advance(seconds: 34_560_000)
    try await clock.advance(seconds: 1)
    #expect(clock.offset == .seconds(34_560_001))
    try await clock.reset()
    #expect(clock.offset == .zero)
    for _ in 0..<91 { try await clock.advance(seconds: 34_560_000) }
    await #expect(throws: BackendStartError.clockOutOfRange) { try await clock.advance(seconds: 34_560_000) }
  }

  @Test func simultaneousStepsAddUp() async throws {
    let clock = try await BackendProbe().backend.clock
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { try await clock.advance(seconds: 10) } }
      try await group.waitForAll()
    }
    #expect(clock.offset == .seconds(200))
  }

  @Test func aResetDeletesEverythingButTheDataID() async throws {
    let probe = try await BackendProbe(limits: .relaxed)
    let tokens = try await probe.signIn()
    let message = try await {
      probe.time.advance(by: .seconds(5))
      return try await probe.ask()
    }()
    let id = probe.backend.dataID
    try await probe.backend.clock.advance(seconds: 5)
    try await probe.backend.reset()
    #expect(probe.backend.clock.offset == .zero && probe.backend.dataID == id)
    #expect(await probe.backend.inbox.messages(to: nil).isEmpty)
    #expect(try await probe.me(tokens.accessToken).code == "invalid_token")
    #expect(try await probe.refresh(tokens.refreshToken).code == "invalid_token")
    #expect(try await probe.redeem(link: message.token).code == "login_link_invalid")
    _ = try await probe.signIn()
  }
}

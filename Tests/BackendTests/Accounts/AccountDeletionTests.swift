import Foundation
import GRDB
import HTTPTypes
import JSON
import RPC
import Support
import Testing

@testable import Backend

@Suite(.timeLimit(.minutes(1))) struct AccountDeletionTests {
  private static let path = AccountEndpoints.RequestDeletion.path

  private func request(_ probe: BackendProbe, _ tokens: TokenPair, device: String = BackendProbe.device) async throws
    -> DeletionReceipt
  {
    let reply = try await probe.post(Self.path, "{}", device: device, token: tokens.accessToken)
    try #require(reply.status == 202, "\(reply.status)")
    return try JSONCoding.decode(DeletionReceipt.self, from: reply.body)
  }

  @Test func aSecondRequestKeepsTheDateAndOtherDevicesAreSignedOut() async throws {
    let probe = try await BackendProbe()
    let tokens = try await probe.signIn()
    let second = try await probe.signIn(device: "two")
    let first = try await request(probe, tokens)
    #expect(first.status == "scheduled")
    #expect(first.scheduledFor?.milliseconds == Timestamp(probe.time.wall).milliseconds + 14 * 86_400_000)
    probe.time.advance(by: .seconds(60))
    #expect(try await request(probe, tokens) == first)
    #expect(try await probe.account(tokens).deletionScheduledFor == first.scheduledFor)
    #expect(try await probe.me(second.accessToken, device: "two").code == "invalid_token")
    #expect(try await probe.refresh(second.refreshToken, device: "two").code == "invalid_token")
  }

  @Test func signInBeforeTheDeletionWorksAndCancelsNothing() async throws {
    let probe = try await BackendProbe()
    let receipt = try await request(probe, try await probe.signIn())
    try await probe.backend.clock.advance(seconds: 14 * 86_400 - 60)
    let tokens = try await probe.signIn()
    #expect(try await probe.account(tokens).deletionScheduledFor == receipt.scheduledFor)
    #expect(try await request(probe, tokens) == receipt)
    let leaving = try await probe.post("/rpc/request_login_code", "{\"identifier\":\"\(BackendProbe.ana)\"}")
    let never = try await probe.post("/rpc/request_login_code", "{\"identifier\":\"nobody@example.com\"}")
    #expect(leaving.status == never.status && leaving.body == never.body, "the answer does not reveal the scheduled deletion")
    try await probe.backend.clock.advance(seconds: 60)
    #expect(try await probe.me(tokens.accessToken).code == "invalid_token")
  }

  /// The time passes by itself, and once more while the backend is not running.
  @Test(arguments: [true, false]) func theDeletionIsExactlyOnTime(byRestart: Bool) async throws {
    let folder = try TemporaryFolder()
    let time = DrivenTime()
    let file = folder.file("backend.sqlite")
    var probe = try await BackendProbe(time: time, database: file)
    let before = try await probe.account(try await probe.signIn())
    _ = try await request(probe, try await probe.signIn())
    time.advance(by: .seconds(14 * 86_400) - .milliseconds(1))
    if byRestart { probe = try await BackendProbe(time: time, database: file) }
    #expect(try await probe.account(try await probe.signIn()).accountID == before.accountID)
    time.advance(by: .milliseconds(1))
    if byRestart { probe = try await BackendProbe(time: time, database: file) }
    let after = try await probe.account(try await probe.signIn())
    #expect(after.accountID != before.accountID && after.userID != before.userID && after.deletionScheduledFor == nil)
  }

  @Test func theDeletionLeavesNothingOfTheAccount() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("backend.sqlite")
    let probe = try await BackendProbe(database: path, limits: .prod)
    let tokens = try await probe.signIn()
    let kept = try await probe.signIn("kept@example.com", device: "kept")
    let me = try await probe.account(tokens)
    _ = try await probe.post(
      "/app/api/call/start", "{\"callee\":\"x\"}", token: tokens.accessToken, key: "0b6f7a52-6a4e-4c19-9e0c-4c41f2c4a001")
    _ = try await request(probe, tokens)
    try await probe.backend.clock.advance(seconds: 14 * 86_400 - 30)
    let message = try await probe.ask()
    try await probe.backend.clock.advance(seconds: 30)

    let left = try await DatabaseQueue(path: path).read { db in
      try [
        "account", "profile", "cue", "session", "token_pair", "idempotency_record", "device", "login_challenge", "login_send",
        "inbox_message",
      ].map { try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)") ?? -1 }
    }
    #expect(left == [1, 1, Deck.english.count, 1, 1, 0, 1, 0, 0, 0], "only the other account is left")
    #expect(await probe.backend.inbox.messages(to: [BackendProbe.ana]).isEmpty)
    #expect(try await probe.redeem(link: message.token).code == "login_link_invalid")
    #expect(try await probe.refresh(tokens.refreshToken).code == "invalid_token")
    #expect(try await probe.me(tokens.accessToken).code == "invalid_token")
    #expect(try await probe.refresh(kept.refreshToken, device: "kept").status == 401)
    // The send counter of the identifier is gone too.
    let fresh = try await probe.account(try await probe.signIn())
    let before = try #require(me.createdAt)
    let after = try #require(fresh.createdAt)
    #expect(fresh.accountID != me.accountID && after > before)
  }

  @Test func aDeletedIdentifierLooksUnknown() async throws {
    let probe = try await BackendProbe(registration: .open)
    _ = try await request(probe, try await probe.signIn())
    try await probe.backend.clock.advance(seconds: 14 * 86_400)
    for path in ["/rpc/request_magic_link", "/rpc/request_login_code"] {
      let gone = try await probe.post(path, "{\"identifier\":\"\(BackendProbe.ana)\"}")
      let never = try await probe.post(path, "{\"identifier\":\"nobody@example.com\"}")
      #expect(gone.status == never.status && gone.body == never.body)
      #expect(gone.fields.map(\.name) == never.fields.map(\.name))
    }
  }

  /// Deletion and login at the same time: whichever comes second sees the effect of the first.
  @Test func aLoginAtTheTimeOfTheDeletionCreatesANewAccountOrFails() async throws {
    let probe = try await BackendProbe()
    let old = try await probe.account(try await probe.signIn())
    _ = try await request(probe, try await probe.signIn())
    probe.time.advance(by: .seconds(14 * 86_400 - 1))
    let message = try await probe.ask()
    probe.time.advance(by: .seconds(1))
    let token = try message.token
    async let purge: Void = probe.backend.clock.advance(seconds: 1)
    async let redemption = probe.redeem(link: token)
    _ = try await purge
    let reply = try await redemption
    if reply.status == 200 {
      #expect(try await probe.account(reply.tokens).accountID != old.accountID)
    } else {
      #expect(reply.code == "login_link_invalid")
    }
  }

  @Test func seedUsersHaveTheirData() async throws {
    let probe = try await BackendProbe()
    for user in SeedUser.allCases {
      let device = "device-\(user)"
      let me = try await probe.account(try await probe.signIn(user.rawValue, device: device), device: device)
      #expect(me.displayName == user.displayName)
      #expect(me.profiles?.map(\.languageCode) == ["en"] + user.languages)
      #expect(me.roles == (user == .developer ? ["user", "developer"] : ["user"]))
      #expect((me.deletionScheduledFor != nil) == (user == .deleting))
      let active = me.profiles?.first { $0.profileID == me.activeProfileID }
      #expect(active?.languageCode == (user == .rightToLeft ? "ar" : "en"))
    }
    #expect((SeedUser.longName.displayName ?? "").count > 200)
    #expect(SeedUser.manyProfiles.languages.count == 7)
  }
}

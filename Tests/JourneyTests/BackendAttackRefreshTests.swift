import Foundation
import JSON
import Support
import Testing

extension BackendAttackTests {
  @Test func b13ARefreshRotatesBothTokensOfOneSession() async throws {
    let target = try await Self.target()
    let first = try await target.signIn("rotation@example.com")
    let before = try await target.develop("POST", "/dev/clock", "{\"advance_seconds\":60}")["now"]?.string ?? ""
    let reply = try await target.refresh(first.refresh)
    let second = try #require(BackendTokens(reply))
    #expect(second.sessionID == first.sessionID && second.profileID == first.profileID)
    #expect(second.access != first.access && second.refresh != first.refresh)
    #expect(reply.json?["expires_in"]?.int64 == 900 && reply.json?["refresh_expires_in"]?.int64 == 14 * 86_400)
    #expect((reply.json?["expires_at"]?.string ?? "") > before)
    for access in [first.access, second.access] { #expect(try await target.me(access).status == 200) }
    try await target.advance(841)
    #expect(try await target.me(first.access).code == "ErrAccessTokenExpired")
    #expect(try await target.me(second.access).status == 200)
  }

  @Test func b14ALostAnswerIsGivenAgainInTheGraceAndEndsTheFamilyAfterIt() async throws {
    let target = try await Self.target()
    let first = try await target.signIn("lost@example.com")
    let second = try await target.rotate(first.refresh)
    for _ in 0..<3 { #expect(try await target.rotate(first.refresh) == second) }
    #expect(try await target.count("SELECT count(*) FROM token_pair WHERE session_id = ?", first.sessionID) == 2)
    try await target.advance(11)
    #expect(try await target.refresh(first.refresh).code == "refresh_token_reused")
    #expect(try await target.refresh(second.refresh).code == "refresh_token_reused")
    #expect(try await target.me(second.access).code == "invalid_token")
  }

  /// An attack that revived families in other systems: every token of an ended family, repeatedly around the grace period.
  @Test func b15AnEndedFamilyStaysEndedAtEveryInstant() async throws {
    let target = try await Self.target()
    let grandparent = try await target.signIn("family@example.com")
    let parent = try await target.rotate(grandparent.refresh)
    let newest = try await target.rotate(parent.refresh)
    #expect(try await target.refresh(grandparent.refresh).code == "refresh_token_reused")
    func attack() async throws {
      for tokens in [newest, parent, grandparent] {
        let reply = try await target.refresh(tokens.refresh)
        #expect(reply.status == 401 && reply.code == "refresh_token_reused")
        #expect(try await target.me(tokens.access).code == "invalid_token")
      }
    }
    // From the end until well after 287 ms continuously, then at 9 s and at 11 s.
    let began = ContinuousClock.now
    repeat { try await attack() } while ContinuousClock.now - began < .milliseconds(320)
    try await target.advance(9)
    try await attack()
    try await target.advance(2)
    try await attack()
    try await target.advance(86_400)
    try await attack()
    let living = try await target.count(
      "SELECT count(*) FROM session WHERE session_id = ? AND ended_at IS NULL", newest.sessionID)
    #expect(living == 0)
  }

  @Test func b16TheParentOfAUsedSuccessorEndsTheFamilyInsideTheGrace() async throws {
    let target = try await Self.target()
    let parent = try await target.signIn("used@example.com")
    let successor = try await target.rotate(parent.refresh)
    let newest = try await target.rotate(successor.refresh)
    #expect(try await target.refresh(parent.refresh).code == "refresh_token_reused")
    #expect(try await target.refresh(newest.refresh).code == "refresh_token_reused")
    #expect(try await target.me(newest.access).code == "invalid_token")
  }

  @Test func b17NothingOutlivesALogoutOrAReuseThatRacesWithRotations() async throws {
    let target = try await Self.target()
    for round in 0..<6 {
      let first = try await target.signIn("racing@example.com")
      let second = try await target.rotate(first.refresh)
      let newest = try await target.rotate(second.refresh)
      let rotation = BackendTarget.request("POST", "/rpc/refresh_tokens", "{\"refresh_token\":\"\(newest.refresh)\"}")
      let end =
        round % 2 == 0
        ? BackendTarget.request("POST", "/app/api/logout", "{}", token: newest.access)
        : BackendTarget.request("POST", "/rpc/refresh_tokens", "{\"refresh_token\":\"\(first.refresh)\"}")
      var requests = Array(repeating: rotation, count: 8)
      requests.insert(end, at: round + 1)
      var handedOut = [newest]
      for reply in try await target.atOnce(requests) {
        #expect([200, 204, 401].contains(reply.status))
        if let tokens = BackendTokens(reply) { handedOut.append(tokens) }
      }
      for tokens in handedOut {
        #expect(try await target.me(tokens.access).code == "invalid_token")
        #expect(try await target.refresh(tokens.refresh).status == 401)
      }
    }
  }

  @Test func b18AHundredPresentationsAtOnceHaveOneSuccessor() async throws {
    let target = try await Self.target()
    let parent = try await target.signIn("hundred@example.com")
    let request = BackendTarget.request("POST", "/rpc/refresh_tokens", "{\"refresh_token\":\"\(parent.refresh)\"}")
    let call = BackendTarget.request("GET", "/rpc/me", token: parent.access)
    let replies = try await target.atOnce(Array(repeating: request, count: 100) + [call])
    #expect(replies.allSatisfy { $0.status == 200 }, "the old access token works until its own expiry")
    let successors = Set(replies.dropLast().compactMap { BackendTokens($0)?.refresh })
    #expect(successors.count == 1)
    #expect(try await target.count("SELECT count(*) FROM token_pair WHERE session_id = ?", parent.sessionID) == 2)
    #expect(try await target.refresh(successors.first ?? "").status == 200)
  }

  @Test func b19ReuseOnOneDeviceLeavesTheOtherAlone() async throws {
    let target = try await Self.target()
    let one = try await target.signIn("two-devices@example.com", device: "one")
    let two = try await target.signIn("two-devices@example.com", device: "two")
    _ = try await target.rotate(one.refresh, device: "one")
    try await target.advance(11)
    #expect(try await target.refresh(one.refresh, device: "one").code == "refresh_token_reused")
    #expect(try await target.me(two.access, device: "two").status == 200)
    #expect(try await target.refresh(two.refresh, device: "two").status == 200)
    // A token of one device presented by the other changes nothing.
    let fresh = try await target.signIn("two-devices@example.com", device: "one")
    #expect(try await target.refresh(fresh.refresh, device: "two").code == "ErrDeviceNotRegistered")
    #expect(try await target.refresh(fresh.refresh, device: "one").status == 200)
  }

  @Test func b20AnAccessTokenDiesWithItsSession() async throws {
    let target = try await Self.target()
    let out = try await target.signIn("dies@example.com")
    #expect(try await target.post("/app/api/logout", "{}", out).status == 204)
    let reused = try await target.signIn("dies@example.com")
    let parent = try await target.rotate(reused.refresh)
    _ = try await target.rotate(parent.refresh)
    #expect(try await target.refresh(reused.refresh).code == "refresh_token_reused")
    let elsewhere = try await target.signIn("dies@example.com", device: "two")
    let deleting = try await target.signIn("dies@example.com")
    #expect(try await target.post("/rpc/request_account_deletion", "{}", deleting).status == 202)
    for tokens in [out, reused, parent] { #expect(try await target.me(tokens.access).code == "invalid_token") }
    #expect(try await target.me(elsewhere.access, device: "two").code == "invalid_token")
    try await target.advance(14 * 86_400)
    #expect(try await target.me(deleting.access).code == "invalid_token")
  }
}

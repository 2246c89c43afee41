import Foundation
import HTTPTypes
import RPC
import Server
import Support
import Testing
import Text
import Vault

@testable import Backend

@Suite(.timeLimit(.minutes(1))) struct RequestSignatureTests {
  private let body = "{\"identifier\":\"ana@example.com\"}"

  private func signed(
    _ probe: BackendProbe, apiID: String = "app", secret: String = "s3cret", path: String = "/rpc/request_magic_link",
    skew: Int = 0,
    signedBody: String? = nil, change: (inout [(String, String)]) -> Void = { _ in }
  ) async throws -> BackendProbe.Reply {
    let nonce = "\(Int(probe.time.wall.timeIntervalSince1970) + skew)"
    let text = "\(apiID)POST\(path)\(signedBody ?? body)\(nonce)"
    var fields = [
      ("X-Api-Id", apiID), ("X-Nonce", nonce),
      ("X-Signature", Hex.encode(HMAC.sha256(Array(text.utf8), key: Array(secret.utf8)))),
    ]
    change(&fields)
    return try await probe.call(.post, "/rpc/request_magic_link", body: Array(body.utf8), fields: fields)
  }

  @Test func aSignedCallIsAcceptedWithin300SecondsOfSystemTime() async throws {
    let probe = try await BackendProbe(apiID: "app", apiSecret: "s3cret")
    // The backend's clock does not matter.
    try await probe.backend.clock.advance(seconds: 86_400)
    for skew in [0, 300, -300] { #expect(try await signed(probe, skew: skew).status == 200) }
    for skew in [301, -301] { #expect(try await signed(probe, skew: skew).code == "invalid_signature") }
  }

  @Test func anythingElseIsRefused() async throws {
    let probe = try await BackendProbe(apiID: "app", apiSecret: "s3cret")
    var replies = [
      try await signed(probe, apiID: "other"), try await signed(probe, secret: "other"), try await signed(probe, path: "/rpc/me"),
      try await signed(probe, signedBody: "{}"),
    ]
    for index in 0..<3 { replies.append(try await signed(probe) { $0.remove(at: index) }) }
    replies.append(try await signed(probe) { $0[2].1 = $0[2].1.uppercased() })
    for nonce in ["", "-1", "+1795262400", "1795262400.0", "99999999999999999999", "9223372036854775807", "٣"] {
      replies.append(try await signed(probe) { $0[1].1 = nonce })
    }
    replies.append(try await probe.call(.get, "/rpc/app_config"))
    for reply in replies {
      #expect(reply.status == 401 && reply.code == "invalid_signature")
    }
    #expect(await probe.backend.inbox.messages(to: nil).isEmpty)
  }

  /// A client signs with the time, so that equal calls of one second are equal.
  @Test func equalCallsOfOneSecondAreAllAccepted() async throws {
    let probe = try await BackendProbe(apiID: "app", apiSecret: "s3cret")
    for _ in 0..<3 { #expect(try await signed(probe).status == 200) }
  }

  @Test func anIncompleteCredentialIsAConfigurationError() async {
    await #expect(throws: BackendStartError.self) { try await BackendProbe(apiID: "app") }
    await #expect(throws: BackendStartError.self) { try await BackendProbe(apiSecret: "s3cret") }
  }
}

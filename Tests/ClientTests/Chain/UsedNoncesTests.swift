import HTTPTypes
import Locking
import RPC
import Support
import Testing
import Text
import Vault

@testable import Client

/// A device never sends a signature twice, since a backend accepts each one once.
@Suite(.timeLimit(.minutes(1))) struct UsedNoncesTests {
  private let time = DrivenTime()
  private let now: Int64 = 1_795_262_400

  private func signer() throws -> RequestSigner {
    try #require(RequestSigner(apiID: "app", apiSecret: "s", clock: ServerClock(time: time.time)))
  }

  private func signed(_ signer: RequestSigner, _ path: String = "/rpc/me", token: String? = "a", skew: Int64 = 0) throws
    -> (nonce: Int64, signature: String)
  {
    var headers = HTTPFields()
    if let token { headers[.authorization] = "Bearer \(token)" }
    signer.sign(&headers, method: .get, path: path, body: nil, skew: skew)
    return (try #require(headers[.nonce].flatMap { Int64($0) }), try #require(headers[.signature]))
  }

  @Test func equalCallsOfOneSecondGoUnderItsNeighbours() throws {
    let signer = try signer()
    let nonces = try (0..<5).map { _ in try signed(signer).nonce - now }
    #expect(nonces == [0, 1, -1, 2, -2])
    #expect(try signed(signer, "/rpc/get_cues").nonce == now, "another call has its own signatures")
    #expect(try signed(signer, token: "b").nonce == now, "and so has another token")
    time.advance(by: .seconds(1))
    // This second and its neighbours are used by now.
    #expect(try signed(signer).nonce - now == 3)
  }

  @Test func eachSignatureIsThatOfItsNonce() throws {
    let signer = try signer()
    for _ in 0..<10 {
      let (nonce, signature) = try signed(signer)
      let text = SignedText.bytes(apiID: "app", method: "GET", path: "/rpc/me", body: [], nonce: "\(nonce)")
      #expect(signature == Hex.encode(HMAC.sha256(text, key: Array("s".utf8))))
    }
  }

  @Test func hundredsOfEqualCallsStayWithinReachAndAllDiffer() throws {
    let signer = try signer()
    var nonces: Set<Int64> = []
    for _ in 0...(2 * UsedNonces.reach) {
      let nonce = try signed(signer).nonce
      #expect((nonce - now).magnitude <= 240)
      #expect(nonces.insert(nonce).inserted)
    }
    // Beyond that, a call is sent unchanged, for backends that do not track signatures.
    #expect(try signed(signer).nonce == now)
    time.advance(by: .seconds(10))
    for _ in 0..<10 { #expect(nonces.insert(try signed(signer).nonce).inserted) }
  }

  @Test func itIsBoundedAndForgetsWhatRanOut() throws {
    let used = UsedNonces()
    for number in 0..<50_000 {
      let wanted = now + Int64(number / 100)
      _ = used.take(near: wanted, now: wanted, token: nil) { nonce in
        SHA256Digest.hash(Array("\(number) \(nonce)".utf8))
      }
      #expect(used.count <= UsedNonces.capacity)
    }
    _ = used.take(near: now + 10_000, now: now + 10_000, token: nil) { _ in [1] }
    #expect(used.count == 1)
  }

  @Test func aCallThatIsSentAgainAfterARefusedSignatureHasANewOne() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    let seen = Locked<Set<String>>([])
    harness.backend.on(AccountEndpoints.Me.path) { request throws(TransportError) in
      let name = "\(request.headers[.signature] ?? "") \(request.headers[.authorization] ?? "")"
      let isNew = seen.withLock { $0.insert(name).inserted }
      // Like a backend that has seen the signature before.
      guard isNew, seen.withLock(\.count) > 1 else {
        return ScriptedBackend.error(401, BackendErrorCode.invalidSignature, headers: [.date: "Sat, 21 Nov 2026 12:00:00 GMT"])
      }
      return harness.backend.answer(request)
    }
    #expect((try? await harness.me().get()) != nil)
    #expect(seen.withLock(\.count) == 2)
  }

  @Test func aClientThatWasStartedAnewTakesAnotherSecondThanTheOneBefore() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    let nonces = Locked<[Int64]>([])
    harness.backend.on(AccountEndpoints.Me.path) { request throws(TransportError) in
      let nonce = request.headers[.nonce].flatMap { Int64($0) } ?? 0
      let isFirst = nonces.withLock { nonces in
        nonces.append(nonce)
        return nonces.count == 1
      }
      // The previous client has used the neighbouring seconds.
      let used = nonces.withLock { (nonce - $0[0]).magnitude < 5 }
      guard isFirst || used else { return harness.backend.answer(request) }
      let date = HTTPDate.format(nonce)
      return ScriptedBackend.error(401, BackendErrorCode.invalidSignature, headers: [.date: date])
    }
    #expect((try? await harness.me().get()) != nil)
    #expect(nonces.withLock(\.count) == 2)
  }
}

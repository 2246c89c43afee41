import Testing

@testable import Backend

/// How long signatures are stored, and how many.
struct SignatureReplayCacheTests {
  private let now: Int64 = 1_795_262_400

  private func key(_ number: Int, authorization: String? = "Bearer a", isRead: Bool = true, device: String? = "one")
    -> SignatureKey
  {
    SignatureKey(signature: "\(number)", authorization: authorization, isRead: isRead, deviceID: device)
  }

  @Test func aSignatureIsStoredWhileItsNonceIsValid() {
    let cache = SignatureReplayCache()
    // The nonce is valid for ten minutes in all.
    #expect(cache.insert(key(1), nonce: now, now: now - 300) == .inserted)
    for later in stride(from: now - 300, through: now + 300, by: 7) {
      #expect(cache.insert(key(1), nonce: now, now: later) == .replayed, "\(later - now)")
      _ = cache.insert(key(Int(later)), nonce: later, now: later)
    }
    #expect(cache.insert(key(1), nonce: now, now: now + 300) == .replayed)
  }

  @Test func expiredSignaturesAreRemoved() {
    let cache = SignatureReplayCache()
    for second in 0..<7200 {
      #expect(cache.insert(key(second), nonce: now + Int64(second), now: now + Int64(second)) == .inserted)
    }
    #expect(cache.count <= 300 + 2 * 60)
  }

  @Test func keysDifferByTokenAndForReadsByDevice() {
    #expect(key(1) != key(1, authorization: "Bearer b"))
    #expect(key(1) == key(1, device: "two"), "a token has one device")
    #expect(key(1, authorization: nil) != key(1, authorization: nil, device: "two"))
    #expect(key(1, authorization: nil, isRead: false) == key(1, authorization: nil, isRead: false, device: "two"))
  }

  @Test func aFullCacheAcceptsNothingUntilSomethingExpires() {
    let cache = SignatureReplayCache(capacity: 10)
    for number in 0..<10 { #expect(cache.insert(key(number), nonce: now, now: now) == .inserted) }
    #expect(cache.insert(key(10), nonce: now, now: now) == .full)
    #expect(cache.insert(key(3), nonce: now, now: now) == .replayed, "nothing was evicted")
    #expect(cache.insert(key(10), nonce: now + 400, now: now + 400) == .inserted)
  }
}

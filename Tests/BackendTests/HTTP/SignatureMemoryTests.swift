import Testing

@testable import Backend

/// How long signatures are remembered, and how many.
struct SignatureMemoryTests {
  private let now: Int64 = 1_795_262_400

  private func key(_ number: Int, authorization: String? = "Bearer a", isRead: Bool = true, device: String? = "one")
    -> SignatureMemory.Key
  {
    SignatureMemory.Key(signature: "\(number)", authorization: authorization, isRead: isRead, deviceID: device)
  }

  @Test func aSignatureIsRememberedForAsLongAsItsNonceIsGood() {
    let memory = SignatureMemory()
    // From the first second to the last, which are ten minutes apart.
    #expect(memory.take(key(1), nonce: now, now: now - 300) == .fresh)
    for later in stride(from: now - 300, through: now + 300, by: 7) {
      #expect(memory.take(key(1), nonce: now, now: later) == .repeated, "\(later - now)")
      _ = memory.take(key(Int(later)), nonce: later, now: later)
    }
    #expect(memory.take(key(1), nonce: now, now: now + 300) == .repeated)
  }

  @Test func whatHasRunOutIsForgotten() {
    let memory = SignatureMemory()
    for second in 0..<7200 { #expect(memory.take(key(second), nonce: now + Int64(second), now: now + Int64(second)) == .fresh) }
    #expect(memory.count <= 300 + 2 * 60)
  }

  @Test func callsAreToldApartByTokenAndReadsWithoutOneByDevice() {
    #expect(key(1) != key(1, authorization: "Bearer b"))
    #expect(key(1) == key(1, device: "two"), "a token has one device")
    #expect(key(1, authorization: nil) != key(1, authorization: nil, device: "two"))
    #expect(key(1, authorization: nil, isRead: false) == key(1, authorization: nil, isRead: false, device: "two"))
  }

  @Test func aFullMemoryTakesNoMoreUntilSomethingRunsOut() {
    let memory = SignatureMemory(capacity: 10)
    for number in 0..<10 { #expect(memory.take(key(number), nonce: now, now: now) == .fresh) }
    #expect(memory.take(key(10), nonce: now, now: now) == .full)
    #expect(memory.take(key(3), nonce: now, now: now) == .repeated, "nothing is forgotten for it")
    #expect(memory.take(key(10), nonce: now + 400, now: now + 400) == .fresh)
  }
}

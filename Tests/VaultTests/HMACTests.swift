import Testing
import Text

@testable import Vault

/// Test vectors of RFC 4231.
struct HMACTests {
  @Test(arguments: [
    (
      [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
    ),
    (
      [UInt8](1...25), [UInt8](repeating: 0xcd, count: 50),
      "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
    ),
    (
      [UInt8](repeating: 0xaa, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
    ([], [], "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
  ])
  func knownAnswers(key: [UInt8], message: [UInt8], code: String) {
    #expect(Hex.encode(Vault.HMAC.sha256(message, key: key)) == code)
  }

  @Test func anEmptyKeyDoesNotKeepTheKeyBefore() {
    let first = Vault.HMAC.sha256([1], key: [])
    _ = Vault.HMAC.sha256([1], key: [9, 9])
    #expect(Vault.HMAC.sha256([1], key: []) == first)
  }

  @Test func equalityComparesContentAndLength() {
    #expect(constantTimeEquals([], []))
    #expect(constantTimeEquals([1, 2], [1, 2]))
    #expect(!constantTimeEquals([1, 2], [1, 3]))
    #expect(!constantTimeEquals([1, 2], [1, 2, 0]))
    #expect(!constantTimeEquals([0], []))
  }
}

import Testing
import Text

@testable import Vault

struct SealingKeyTests {
  /// Test cases 14 and 16 of the GCM specification (McGrew, Viega), with a 256-bit key.
  @Test func knownAnswers() throws {
    let zero = try #require(SealingKey(bytes: [UInt8](repeating: 0, count: 32)))
    let sealed = zero.sealed([UInt8](repeating: 0, count: 16), nonce: [UInt8](repeating: 0, count: 12), associatedData: [])
    #expect(Hex.encode(sealed) == "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919")

    let key = try #require(
      Hex.decode("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308").flatMap(SealingKey.init))
    let plaintext = try #require(
      Hex.decode(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
      ))
    let associatedData = try #require(Hex.decode("feedfacedeadbeeffeedfacedeadbeefabaddad2"))
    let nonce = try #require(Hex.decode("cafebabefacedbaddecaf888"))
    #expect(
      Hex.encode(key.sealed(plaintext, nonce: nonce, associatedData: associatedData))
        == "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
        + "76fc6ece0f4e1768cddf8853bb2d551b")
  }

  @Test func everySizeComesBack() throws {
    let key = SealingKey.random()
    for count in [0, 1, 15, 16, 17, 4096] {
      let plaintext = SecureRandom.bytes(count)
      let sealed = key.seal(plaintext, associatedData: [7])
      #expect(sealed.count == count + 28)
      #expect(try key.open(sealed, associatedData: [7]) == plaintext)
    }
  }

  @Test func aChangeOfAnyBitOfAnyByteIsNoticed() {
    let key = SealingKey.random()
    let sealed = key.seal(Array("a refresh token".utf8), associatedData: [1])
    for index in sealed.indices {
      for bit in 0..<8 {
        var changed = sealed
        changed[index] ^= 1 << bit
        #expect(throws: VaultError.cannotOpen) { try key.open(changed, associatedData: [1]) }
      }
    }
  }

  @Test func anyOtherLengthKeyOrPlaceIsNoticed() {
    let key = SealingKey.random()
    let sealed = key.seal(Array("a refresh token".utf8), associatedData: [1])
    for count in 0..<sealed.count {
      #expect(throws: VaultError.cannotOpen) { try key.open(Array(sealed.prefix(count)), associatedData: [1]) }
    }
    #expect(throws: VaultError.cannotOpen) { try key.open(sealed + [0], associatedData: [1]) }
    #expect(throws: VaultError.cannotOpen) { try key.open(sealed, associatedData: [2]) }
    #expect(throws: VaultError.cannotOpen) { try key.open(sealed, associatedData: []) }
    #expect(throws: VaultError.cannotOpen) { try SealingKey.random().open(sealed, associatedData: [1]) }
  }

  @Test func noNonceIsUsedTwice() {
    let key = SealingKey.random()
    #expect(Set((0..<1000).map { _ in Array(key.seal([], associatedData: []).prefix(12)) }).count == 1000)
  }

  @Test func aKeyHas32BytesAndDoesNotPrint() throws {
    for count in [0, 16, 31, 33, 64] { #expect(SealingKey(bytes: [UInt8](repeating: 1, count: count)) == nil) }
    let key = try #require(SealingKey(bytes: [UInt8](repeating: 171, count: 32)))
    var dumped = ""
    dump(key, to: &dumped)
    for text in ["\(key)", String(reflecting: key), dumped, "\([key])"] { #expect(!text.contains("171")) }
  }
}

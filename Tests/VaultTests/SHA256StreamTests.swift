import Testing

@testable import Vault

@Suite struct SHA256StreamTests {
  @Test func piecesHashAsTheWhole() {
    let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    for size in [1, 63, 64, 65, 4096, 10_000] {
      let stream = SHA256Stream()
      var rest = bytes[...]
      while !rest.isEmpty {
        stream.update(Array(rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
      #expect(stream.finish() == SHA256Digest.hash(bytes))
    }
    #expect(SHA256Stream().finish() == SHA256Digest.hash([]))
  }
}

import Testing

@testable import Client

/// Content codings as servers write them (RFC 9110 §8.4).
struct ContentCodingTests {
  private static let text = Array(#"{"user_id":"u"}"#.utf8)
  /// `text` with gzip, zlib and deflate without a header, made by another implementation.
  private static let gzip: [UInt8] = [
    31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 171, 86, 42, 45, 78, 45, 138, 207, 76, 81, 178, 82, 42, 85, 170, 5, 0, 248, 239, 5, 105, 15,
    0,
    0, 0,
  ]
  private static let zlib: [UInt8] = [
    120, 156, 171, 86, 42, 45, 78, 45, 138, 207, 76, 81, 178, 82, 42, 85, 170, 5, 0, 43, 49, 5, 27,
  ]
  private static let deflate = Array(zlib[2..<19])

  @Test(
    arguments: [
      ([], text), ([""], text), (["identity"], text), (["none"], text), (["utf-8"], text), (["UTF8"], text), (["binary"], text),
      (["8bit"], text), (["gzip"], gzip), (["x-gzip"], gzip), (["deflate"], zlib), (["deflate"], deflate),
      (["identity, gzip"], gzip), (["gzip", "utf-8"], gzip),
    ] as [([String], [UInt8])])
  func whatIsKnownIsDecoded(fields: [String], body: [UInt8]) {
    #expect(ContentCoding.decode(body, fields: fields, upTo: 1000) == .bytes(Self.text))
  }

  @Test(
    arguments: [
      (["br"], "unknown content coding `br`"), (["rot13"], "unknown content coding `rot13`"),
      (["gzip"], "broken content coding `gzip`"), (["deflate"], "broken content coding `deflate`"),
      (["a\u{1b}[31m"], "unknown content coding"), ([String(repeating: "x", count: 40)], "unknown content coding"),
      (["gzip, gzip, gzip, gzip, gzip"], "too many content codings"),
    ] as [([String], String)])
  func aFaultIsSaidInWords(fields: [String], words: String) {
    #expect(ContentCoding.decode(Self.text, fields: fields, upTo: 1000) == .fault(words))
  }

  @Test func whatIsDecodedHasALimit() {
    #expect(ContentCoding.decode(Self.gzip, fields: ["gzip"], upTo: 14) == .tooLarge)
    #expect(ContentCoding.decode([], fields: ["gzip"], upTo: 14) == .bytes([]))
  }
}

import HTTPTypes
import Testing

@testable import Redaction
import Support

/// Bodies other than a JSON document: the format is detected from the bytes, and what cannot be parsed is not stored.
struct BodyRedactionTests {
  private let registry = SecretRegistry(tagKey: [1])

  private func message(_ body: [UInt8]) -> RedactedMessage {
    var request = RawRequest.example(headers: [("Content-Type", "image/png")])
    request.body = body
    return Redactor(registry: registry).redact(request).message
  }

  private func text(_ body: String) -> String? { message(Array(body.utf8)).body }

  private func tag(_ value: String, _ kind: SecretKind) -> String { registry.tag(for: value, kind: kind) }

  @Test func formsAreReadByTheNamesOfTheirItems() {
    #expect(text("grant=x&access_token=a%20b&page=2") == "grant=x&access_token=\(tag("a b", .token))&page=2")
    #expect(text("note=hello+there&email=ann%40example.test") == "note=hello%20there&email=\(tag("ann@example.test", .email))")
    #expect(text("q=ann%2Btag%40example.test") == "q=\(tag("ann+tag@example.test", .email))")
    registry.register("quiet harbor", kind: .key)
    #expect(text("q=a+quiet+harbor+b") == "q=a%20\(tag("quiet harbor", .key))%20b")
    #expect(text("just words") == nil)
  }

  @Test func linesOfDocumentsAreReadOneByOne() {
    #expect(text("{\"a\":1}\n{\"token\":\"abc\"}\r\n\n[2]\n") == "{\"a\":1}\n{\"token\":\"\(tag("abc", .token))\"}\r\n\n[2]\n")
    #expect(text("{\"a\":1}\n{\"token\":\"abc") == nil)
    #expect(text("{\"a\":1}\nplain") == nil)
    #expect(text("1\n2") == nil)
  }

  @Test func eventStreamsAreReadByTheirData() {
    #expect(
      text(": hello\nevent: session\nid: 7\ndata: {\"email\":\"a@b.test\"}\n\ndata:{\"n\":1.0}\n\n")
        == ": hello\nevent: session\nid: 7\ndata: {\"email\":\"\(tag("a@b.test", .email))\"}\n\ndata:{\"n\":1.0}\n\n")
    #expect(text("event: x\ndata: plain words\n\n") == nil)
    #expect(text("event: x\n\n") == nil)
    #expect(text("event: ann@example.test\ndata: {}\n\n") == "event: \(tag("ann@example.test", .email))\ndata: {}\n\n")
  }

  @Test func multipartFormsAreReadByPartsAndFilesLeftOut() {
    let body = """
      --b1\r\nContent-Disposition: form-data; name="refresh_token"\r\n\r\nabc\r\n--b1\r\n\
      Content-Disposition: form-data; name="note"\r\n\r\nwrite to ann@example.test\r\n--b1\r\n\
      Content-Disposition: form-data; name="json"\r\n\r\n{"token":"def"}\r\n--b1\r\n\
      Content-Disposition: form-data; name="file"; filename="ann@example.test.txt"\r\n\r\nsecret bytes\r\n--b1--\r\n
      """
    let expected = """
      --b1\r\nContent-Disposition: form-data; name="refresh_token"\r\n\r\n\(tag("abc", .token))\r\n--b1\r\n\
      Content-Disposition: form-data; name="note"\r\n\r\nwrite to \(tag("ann@example.test", .email))\r\n--b1\r\n\
      Content-Disposition: form-data; name="json"\r\n\r\n{"token":"\(tag("def", .token))"}\r\n--b1\r\n\
      Content-Disposition: form-data; name="file"; filename="\(tag("ann@example.test.txt", .email))"\r\n\r\n(12 bytes)\r\n--b1--\r\n
      """
    #expect(text(body) == expected)
    for length in 1..<(body.utf8.count - 2) {
      #expect(message(Array(body.utf8.prefix(length))).body == nil)
    }
  }

  /// `{"token":"abc","n":1}` as gzip and as zlib write it.
  private static let gzip: [UInt8] = [
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xab, 0x56, 0x2a, 0xc9, 0xcf, 0x4e, 0xcd, 0x53, 0xb2, 0x52,
    0x4a, 0x4c, 0x4a, 0x56, 0xd2, 0x51, 0x02, 0xb2, 0x0c, 0x6b, 0x01, 0x7e, 0x98, 0xb9, 0x9d, 0x15, 0x00, 0x00, 0x00,
  ]
  private static let zlib: [UInt8] = [
    0x78, 0x9c, 0xab, 0x56, 0x2a, 0xc9, 0xcf, 0x4e, 0xcd, 0x53, 0xb2, 0x52, 0x4a, 0x4c, 0x4a, 0x56, 0xd2, 0x51, 0x02, 0xb2,
    0x0c, 0x6b, 0x01, 0x4a, 0x46, 0x06, 0x4b,
  ]

  @Test(arguments: [gzip, zlib]) func compressedBodiesAreReadDecompressed(body: [UInt8]) {
    #expect(message(body).body == #"{"token":"\#(tag("abc", .token))","n":1}"#)
    #expect(message(Array(body.dropLast())).bodyNote == .unreadable)
    #expect(message(body + [0]).bodyNote == .unreadable)
    var broken = body
    broken[broken.count - 6] ^= 0x55
    #expect(message(broken).body == nil)
  }

  /// Expands to a thousand times its size.
  @Test func aBombIsNotInflated() {
    #expect(message(Self.bomb).bodyNote == .tooLarge)
  }

  /// Slightly more than 12 MiB of the digit 0, compressed; nobody decompresses it to the end.
  private static let bomb: [UInt8] =
    [0x78, 0xda, 0xed, 0xc1, 0x31, 0x01, 0x00, 0x00, 0x00, 0xc2, 0xa0, 0x4a, 0xeb, 0x9f, 0xce, 0x14, 0x7e, 0x40, 0x01]
    + [UInt8](repeating: 0x00, count: 12_400)

  @Test(arguments: [
    "{\"a\":\"\u{0}", "\u{FEFF}{}", "<p>ann@example.test</p>", "--", "--b\r\n", "%", "\u{1f}\u{8b}", "--b\r\n--b\r\n",
  ])
  func whatIsNothingOfThatIsNotKept(body: String) {
    #expect(message(Array(body.utf8)).body == nil)
    #expect(message(Array(body.utf8)).bodyNote == .unreadable)
  }

  @Test func brokenCharactersAreNotKept() {
    #expect(message(Array("{\"a\":\"".utf8) + [0xff] + Array("\"}".utf8)).body == nil)
    #expect(message(Array("id: ".utf8) + [0xff] + Array("\ndata: {}\n\n".utf8)).body == nil)
  }
}

import HTTPTypes
import Testing
import Wire

@Suite struct ResponseSerializerTests {
  private let date = Array("Sun, 06 Nov 1994 08:49:37 GMT".utf8)

  private func text(
    _ status: HTTPResponse.Status, _ fields: HTTPFields = [:], _ framing: ResponseFraming = .length(0), keepAlive: Bool = true,
    version: ProtocolVersion = .http11, defaults: HTTPFields = [:]
  ) throws -> String {
    var output: [UInt8] = []
    try ResponseSerializer(defaults: defaults).append(
      ResponseHead(status: status, fields: fields), framing: framing, keepAlive: keepAlive, version: version, date: date,
      to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  @Test func wholeHead() throws {
    #expect(
      try text(.ok, [.contentType: "text/plain"], .length(1234), defaults: [.xContentTypeOptions: "nosniff"])
        == "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type: text/plain\r\n"
        + "X-Content-Type-Options: nosniff\r\nContent-Length: 1234\r\n\r\n")
  }

  @Test func answersWinOverDefaults() throws {
    let head = try text(.ok, [.cacheControl: "no-store"], defaults: [.cacheControl: "no-cache"])
    #expect(head.contains("Cache-Control: no-store\r\n"))
    #expect(!head.contains("no-cache"))
  }

  @Test(arguments: [204, 304])
  func noFramingWithoutBody(_ code: Int) throws {
    #expect(try !text(.init(code: code), [:], .length(5)).contains("Content-Length"))
    #expect(try !text(.init(code: code), [:], .chunked).contains("Transfer-Encoding"))
  }

  @Test func framingFieldsAreTheSerializers() throws {
    let fields: HTTPFields = [.contentLength: "9", .transferEncoding: "chunked", .connection: "keep-alive", .date: "x"]
    let head = try text(.ok, fields, .length(5), keepAlive: false)
    #expect(head.contains("Content-Length: 5\r\n") && !head.contains(": 9") && !head.contains("chunked"))
    #expect(head.contains("Connection: close\r\n") && !head.contains("keep-alive") && !head.contains("Date: x"))
  }

  @Test func keepAliveIsSaidTo10Only() throws {
    #expect(try text(.ok, version: .http10).contains("Connection: keep-alive\r\n"))
    #expect(try !text(.ok).contains("Connection"))
  }

  @Test(arguments: ["a\r\nSet-Cookie: x", "a\nb", "a\rb", "a\u{0}b"])
  func injectionNeverReachesTheWire(_ value: String) throws {
    var field = HTTPField(name: .location, value: "/")
    field.value = value
    let name = try #require(HTTPField.Name("X-Lenient"))
    for unsafe in [field, HTTPField(name: name, lenientValue: Array(value.utf8))] {
      var fields = HTTPFields()
      fields.append(unsafe)
      let written = try? text(.ok, fields)
      // HTTPTypes blanks such bytes; if it ever let them pass, the serializer would throw.
      #expect(written.map { $0.components(separatedBy: "\r\n").count } ?? 6 == 6)
      #expect(written?.contains("\nSet-Cookie") != true)
    }
  }

  @Test func controlBytesAreRefusedAndLeaveNothing() throws {
    var fields = HTTPFields()
    fields.append(HTTPField(name: .location, lenientValue: [0x61, 0x1B]))
    var output: [UInt8] = [1, 2]
    #expect(throws: ResponseError.unsafeField("Location")) {
      try ResponseSerializer().append(
        ResponseHead(status: .ok, fields: fields), framing: .chunked, keepAlive: true, date: date, to: &output)
    }
    #expect(output == [1, 2])
    #expect(throws: ResponseError.invalidStatus(100)) { try text(.continue) }
  }

  @Test func everyStatusHasItsReason() throws {
    let expected: [(HTTPResponse.Status, String)] = [
      (.notModified, "304 Not Modified"), (.badRequest, "400 Bad Request"), (.methodNotAllowed, "405 Method Not Allowed"),
      (.requestTimeout, "408 Request Timeout"), (.contentTooLarge, "413 Content Too Large"), (.uriTooLong, "414 URI Too Long"),
      (.expectationFailed, "417 Expectation Failed"), (.misdirectedRequest, "421 Misdirected Request"),
      (.requestHeaderFieldsTooLarge, "431 Request Header Fields Too Large"), (.notImplemented, "501 Not Implemented"),
      (.httpVersionNotSupported, "505 HTTP Version Not Supported"),
    ]
    for (status, line) in expected { #expect(try text(status).hasPrefix("HTTP/1.1 \(line)\r\n")) }
  }

  @Test func chunks() {
    var output: [UInt8] = []
    ChunkFraming.append([], to: &output)
    ChunkFraming.append(Array(repeating: 0x61, count: 26), to: &output)
    #expect(String(decoding: output, as: UTF8.self) == "1a\r\n\(String(repeating: "a", count: 26))\r\n")
  }
}

extension String {
  fileprivate func components(separatedBy separator: String) -> [Substring] {
    split(separator: separator, omittingEmptySubsequences: false)
  }
}

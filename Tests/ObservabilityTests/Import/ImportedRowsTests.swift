import JSON
import Testing

@testable import Observability
@testable import Redaction

/// What a file of another program contains is redacted before it becomes a row.
@Suite(.timeLimit(.minutes(1))) struct ImportedRowsTests {
  private func rows(_ text: String) throws -> [NetworkRowDetail] {
    var rows = ImportedRows(registry: SecretRegistry(tagKey: [3])) { method, path in
      EndpointTraits(name: path, isAuthentication: false, logsRequestBody: true, logsResponseBody: true)
    }
    let found = try rows.add(Array(text.utf8))
    try rows.finish()
    return found
  }

  private func error(_ text: String) -> String? {
    do {
      _ = try rows(text)
      return nil
    } catch { return (error as? ImportError)?.text }
  }

  private static let entry = #"""
    {"startedDateTime":"2026-01-02T03:04:05.678+01:00","time":12.5,
     "request":{"method":"post","url":"https://dana:pw@api.example.org:8443/users/dana@example.com?token=abcdefghijklmnop#x",
       "headers":[{"name":"Authorization","value":"Bearer 0123456789abcdef0123456789"},{"name":"Accept","value":"*/*"}],
       "postData":{"mimeType":"application/json","text":"{\"password\":\"hunter22\",\"n\":1}"}},
     "response":{"status":404,"headers":[{"name":"Set-Cookie","value":"sid=0123456789abcdef"}],"bodySize":7,
       "content":{"size":9,"mimeType":"application/json","text":"eyJhIjoxfQ==","encoding":"base64"}},
     "timings":{"blocked":1,"dns":-1,"connect":5,"ssl":3,"send":0.5,"wait":4,"receive":2}}
    """#

  private func har(_ entries: String...) -> String {
    #"{"log":{"version":"1.2","creator":{"name":"Tool","version":"9"},"entries":["# + entries.joined(separator: ",\n") + "]}}"
  }

  @Test func anEntryBecomesARow() throws {
    let row = try #require(try rows(har(Self.entry)).first)
    #expect(row.row.seq == 1 && row.row.method == "POST" && row.row.status == 404 && row.row.state == .failure)
    #expect(row.row.startedAt.text == "2026-01-02T02:04:05.678Z" && row.row.durationMilliseconds == 12.5)
    #expect(row.row.responseBytes == 7 && row.response?.body == #"{"a":1}"#)
    #expect(row.timings == NetworkTimings(queue: 1, connect: 2, tls: 3, send: 0.5, wait: 4, receive: 2, total: 12.5))
    #expect(row.url.hasPrefix("https://api.example.org:8443/users/") && row.request.headers[1] == ("Accept", "*/*"))
  }

  @Test(arguments: [
    ("HTTP/1.1", "127.0.0.1"), ("http/2.0", "[2001:db8::1]"), ("h2", "2001:db8::7"), ("h3", "192.0.2.7"), ("HTTP/3", "::1"),
  ]) func theConnectionIsKept(version: String, address: String) throws {
    let entry = Self.entry.replacing(#""status":404"#, with: #""status":404,"httpVersion":"\#(version)""#)
      .replacing(#""timings":"#, with: #""serverIPAddress":"\#(address)","timings":"#)
    let row = try #require(try rows(har(entry)).first)
    #expect(row.connection == NetworkConnection(httpVersion: version, serverAddress: address) && row.connection != nil)
    let stored = StoredAttempt(row)
    #expect(try StoredAttempt.attempt(row: stored.row, rest: #require(stored.rest)) == row)
    let written = try JSONDocument(parsing: HARDocument.entry(row)).root
    #expect(written["serverIPAddress"]?.string == address)
    #expect(written["request"]?["httpVersion"]?.string == version && written["response"]?["httpVersion"]?.string == version)
  }

  @Test(arguments: [
    "", "unknown", "HTTP/1.1 hunter22", "hunter22hunter22", "deadbeefcafe0123456789abcdef0123", "1.2.3.4567", "http/9",
    "dana@example.com", "1.2.3.4 x",
  ])
  func aVersionOrAddressThatIsNoneIsDropped(text: String) throws {
    #expect(NetworkConnection(httpVersion: text, serverAddress: text) == nil)
    let entry = Self.entry.replacing(#""status":404"#, with: #""status":404,"httpVersion":"\#(text)""#)
      .replacing(#""timings":"#, with: #""serverIPAddress":"\#(text)","timings":"#)
    #expect(try rows(har(entry)).first?.connection == nil)
    let stored = StoredAttempt(try #require(try rows(har(Self.entry)).first))
    let rest = String(decoding: try #require(stored.rest), as: UTF8.self)
      .replacing(#"{"redactions""#, with: #"{"connection":{"http_version":"\#(text)","server_address":"\#(text)"},"redactions""#)
    #expect(try StoredAttempt.attempt(row: stored.row, rest: Array(rest.utf8)).connection == nil)
  }

  @Test func requestsOfAConsoleItselfAreLeftOut() throws {
    let own = Self.entry.replacing(#""timings":"#, with: #""_source":"tool","timings":"#)
    #expect(try rows(har(own, Self.entry)).count == 1)
  }

  @Test func nothingOfItIsReadable() throws {
    let text = String(decoding: try #require(try rows(har(Self.entry)).first).json, as: UTF8.self)
    for secret in ["dana", "pw@", "abcdefghijklmnop", "0123456789abcdef", "hunter22", "sid="] {
      #expect(!text.contains(secret), "\(secret)")
    }
    #expect(text.contains("‹email:") && text.contains(#"\"n\":1"#))
  }

  @Test func callsThatAreNoneOfTheNetworkAreLeftOut() throws {
    let data = Self.entry.replacing("https://dana:pw@api.example.org:8443", with: "data:text/plain,")
    #expect(try rows(har(data, Self.entry)).count == 1)
    let none = Self.entry.replacing("\"status\":404", with: "\"status\":0,\"_error\":\"net::ERR_FAILED\"")
    let row = try #require(try rows(har(none)).first)
    #expect(row.row.status == nil && row.response == nil && row.row.error == "net::ERR_FAILED" && row.row.state == .failure)
  }

  @Test func aBrokenFileIsRefusedWithItsLine() {
    #expect(
      error(har(Self.entry, Self.entry.replacing("startedDateTime", with: "started")))
        == "Line 8: this entry has no valid startedDateTime.")
    #expect(error(har(Self.entry.replacing("\"post\"", with: "1"))) == "Line 1: this entry has no valid request.method.")
    #expect(error(har(Self.entry.replacing("12.5,", with: "12.5,,"))) == "Line 1: this is not JSON.")
    #expect(error(har()) == "The file has no entries.")
    #expect(error("{\"log\":\n{\"entries\":[") == "Line 2: the file ends too early.")
  }

  @Test func theFirstFaultIsToldWhereverTheFileIsSplit() {
    // An entry without a start on the second line, and no JSON on the third.
    let text = "[\n{\"request\":{}},\n}"
    let whole = error(text)
    #expect(whole?.hasPrefix("Line 2: this entry") == true)
    var rows = ImportedRows(registry: SecretRegistry(tagKey: [3])) { _, path in
      EndpointTraits(name: path, isAuthentication: false, logsRequestBody: true, logsResponseBody: true)
    }
    do {
      for byte in text.utf8 { _ = try rows.add([byte]) }
      Issue.record("no error")
    } catch { #expect(error.text == whole) }
  }

  @Test func halfSurrogatePairsAndBytesThatAreNoUTF8AreReplaced() throws {
    for (text, shown) in [
      (#"a\ud83db"#, "a\u{fffd}b"), (#"\uDE00\ud83d"#, "\u{fffd}\u{fffd}"), (#"\ud83d\ude00\ud83d"#, "\u{1f600}\u{fffd}"),
      (#"\\ud83d\ud83d"#, #"\ud83d"# + "\u{fffd}"), (#"\ud83d\u0041"#, "\u{fffd}A"), (#"\""#, "\""),
    ] {
      #expect(ToleratedJSON.document(Array("[\"\(text)\"]".utf8))?.root.elements.first?.string == shown, "\(text)")
    }
    #expect(ToleratedJSON.document([0x5b, 0x22, 0xff, 0x22, 0x5d])?.root.elements.first?.string == "\u{fffd}")
    for text in [#"["\ud83d]"#, #"["\ud8"]"#, "", #"["\ud83d"#] {
      #expect(ToleratedJSON.document(Array(text.utf8)) == nil, "\(text)")
    }
  }

  @Test func exportedRowsComeBackTheSameUnlessSomebodyPutASecretIn() throws {
    let first = try #require(try rows(har(Self.entry)).first)
    let exported = "[\n" + String(decoding: first.json, as: UTF8.self) + "\n]"
    #expect(try rows(exported).map(\.json) == [first.json])
    let changed = exported.replacing("*/*", with: "dana@example.com")
    #expect(String(decoding: try #require(try rows(changed).first).json, as: UTF8.self).contains("dana") == false)
    // A header that is masked by its name: a value in place of the mask is masked again.
    let mask = try #require(first.request.headers.first).value
    let unmasked = try rows(exported.replacing(mask, with: "Bearer 0123456789abcdef0123456789"))
    #expect(unmasked.first?.request.headers.first?.value.contains("‹token:") == true)
    #expect(
      error(exported.replacing("\"seq\":1,", with: "\"seq\":0,"))
        == "Line 2: this row is damaged, or its number is not greater than the one before.")
    #expect(
      error("[\(String(decoding: first.json, as: UTF8.self)),\n\(String(decoding: first.json, as: UTF8.self))]")?.hasPrefix(
        "Line 2") == true)
  }
}

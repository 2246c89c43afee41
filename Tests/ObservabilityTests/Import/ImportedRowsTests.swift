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
    return try found + rows.finish()
  }

  private func skipped(_ text: String) throws -> [Int] {
    var rows = ImportedRows(registry: SecretRegistry(tagKey: [3])) { _, path in
      EndpointTraits(name: path, isAuthentication: false, logsRequestBody: true, logsResponseBody: true)
    }
    _ = try rows.add(Array(text.utf8))
    try rows.finish()
    return rows.skipped
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
    #expect(row.row.host == "api.example.org:8443")
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

  /// A file of an earlier version names the rule by its ID alone.
  @Test func theFaultOfAnEntryIsReadBack() throws {
    let old = try #require(try rows(har(Self.entry.replacing(#""timings":"#, with: #""_fault":"f-1","timings":"#))).first)
    #expect(old.row.faultID == "f-1" && old.row.fault == nil)
    let written = #""_fault":{"id":"f-1","name":"dana@example.com is down","action":"status"},"_source":"fault","timings":"#
    let row = try #require(try rows(har(Self.entry.replacing(#""timings":"#, with: written))).first)
    #expect(row.row.faultID == "f-1" && row.row.source == .fault && row.row.fault?.action == "status")
    #expect(row.row.fault?.name.hasPrefix("‹email:") == true && row.row.fault?.name.hasSuffix(" is down") == true)
    let stored = StoredAttempt(row)
    #expect(try StoredAttempt.attempt(row: stored.row, rest: #require(stored.rest)) == row)
    #expect(try rows("[\(String(decoding: row.json, as: UTF8.self))]").map(\.json) == [row.json])
    let edited = String(decoding: row.json, as: UTF8.self).replacing(" is down", with: " hides eve@example.com")
    #expect(try rows("[\(edited)]").first?.row.fault?.name.contains("eve@") == false)
  }

  @Test func nothingOfItIsReadable() throws {
    let text = String(decoding: try #require(try rows(har(Self.entry)).first).json, as: UTF8.self)
    for secret in ["dana", "pw@", "abcdefghijklmnop", "0123456789abcdef", "hunter22"] {
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
    #expect(error(har()) == "The file has no entries.")
    #expect(error("{\"log\":\n{\"entries\":[") == "Line 2: the file ends too early.")
    for entry in [Self.entry.replacing("https:", with: "data:"), Self.entry.replacing("\"url\"", with: "\"uri\"")] {
      #expect(error(har(entry)) == "No entry of the file has a readable request.")
    }
    for (bytes, name) in [([0x1F, 0x8B, 8], "gzip"), ([0xFF, 0xFE, 0x7B, 0], "UTF-16"), ([0x7B, 0, 0x22, 0], "UTF-16")] {
      var elements = JSONElements()
      #expect(throws: ImportError(.encoding(name))) { try elements.add(bytes.map(UInt8.init)) { _ in } }
      #expect(throws: RecordingError.encoding(name)) { try RecordedSession(reading: bytes.map(UInt8.init)) }
    }
  }

  @Test func entriesWithoutAReadableRequestAreSkippedAndNumbered() throws {
    let broken = [
      Self.entry.replacing("12.5,", with: "12.5,,"), Self.entry.replacing("\"post\"", with: "1"),
      Self.entry.replacing("https://dana:pw@api.example.org:8443", with: ""), #"{"request":null}"#, "{}",
    ]
    for entry in broken {
      let file = har(Self.entry, entry, Self.entry)
      #expect(try rows(file).map(\.row.seq) == [1, 3], "\(entry)")
      #expect(try skipped(file) == [2], "\(entry)")
    }
    let other = Self.entry.replacing("https://dana:pw@api.example.org:8443", with: "data:text/plain,")
    #expect(try skipped(har(Self.entry, other)).isEmpty && rows(har(other, Self.entry)).map(\.row.seq) == [2])
  }

  @Test(arguments: [
    ("\"2026-01-13T15:41:11.497000\"", "2026-01-13T15:41:11.497Z"), ("\"2026-01-13 15:41:11.497Z\"", "2026-01-13T15:41:11.497Z"),
    ("\"2026-01-13 15:41:11 +0200\"", "2026-01-13T13:41:11.000Z"), ("\"2026-01-13T15:41:11,5Z\"", "2026-01-13T15:41:11.500Z"),
    ("\"2026-01-13T15:41:11.1234567891Z\"", "2026-01-13T15:41:11.123Z"),
    ("\"2026-01-13 15:41:11 UTC\"", "2026-01-13T15:41:11.000Z"),
    ("\"Tue, 13 Jan 2026 15:41:11 GMT\"", "2026-01-13T15:41:11.000Z"), ("1768318871497", "2026-01-13T15:41:11.497Z"),
    ("\"1768318871.5\"", "2026-01-13T15:41:11.500Z"),
  ])
  func datesOfOtherSpellingsAreRead(written: String, expected: String) throws {
    let entry = Self.entry.replacing("\"2026-01-02T03:04:05.678+01:00\"", with: written)
    #expect(try rows(har(entry)).first?.row.startedAt.text == expected)
  }

  @Test func anEntryWithoutADateTakesItsNeighbors() throws {
    let undated = Self.entry.replacing("startedDateTime", with: "started")
    let later = Self.entry.replacing("05.678", with: "09.000")
    let starts = try rows(har(undated, undated, Self.entry, undated, later, undated)).map {
      String($0.row.startedAt.text.suffix(7))
    }
    #expect(starts == ["05.678Z", "05.678Z", "05.678Z", "05.678Z", "09.000Z", "09.000Z"])
    #expect(try rows(har(undated)).map(\.row.startedAt) == [Timestamp(milliseconds: 0)])
    #expect(try rows(har(undated, later)).map(\.row.seq) == [1, 2])
  }

  @Test func whatFailedIsARow() throws {
    for (response, error) in [
      ("null", "no_answer"), ("{}", "no_answer"), (#"{"status":0,"_error":"net::ERR_FAILED"}"#, "net::ERR_FAILED"),
      (#"{"status":-1,"_failureText":"net::ERR_CONNECTION_RESET"}"#, "net::ERR_CONNECTION_RESET"),
    ] {
      let entry =
        #"{"startedDateTime":"2026-01-02T03:04:05Z","request":{"method":"GET","url":"https://h/a"},"response":\#(response)}"#
      let row = try #require(try rows(har(entry)).first)
      #expect(row.row.status == nil && row.row.state == .failure && row.row.error == error, "\(response)")
    }
  }

  @Test func bodiesAreReadAsProgramsWriteThem() throws {
    func body(_ content: String, status: String = "200") throws -> (String?, BodyNote?) {
      let response =
        #"{"status":\#(status),"headers":[{"name":"Content-Type","value":"application/json"}],"content":\#(content)}"#
      let entry =
        #"{"startedDateTime":"2026-01-02T03:04:05Z","request":{"method":"GET","url":"https://h/a"},"response":\#(response)}"#
      let row = try #require(try rows(har(entry)).first)
      #expect(row.row.status == 200)
      return (row.response?.body, row.response?.bodyNote)
    }
    for (content, status) in [
      (#"{"text":"eyJvayI6dHJ1ZX0","encoding":"base64"}"#, "200"),
      (#"{"text":"eyJvayI6\ndHJ1ZX0=\n","encoding":"base64"}"#, "\"200\""),
      (#"{"text":"\ufeff{\"ok\":true}"}"#, "200"), (#"{"size":NaN,"text":"{\"ok\":true}"}"#, "200"),
      (#"{"text":"{\"ok\":true}","text":"x"}"#, "200"),
    ] { #expect(try body(content, status: status) == (#"{"ok":true}"#, nil), "\(content)") }
    for content in [#"{"size":20}"#, #"{"size":20,"_file":"gone.json"}"#, #"{"text":"%","encoding":"base64"}"#] {
      let (text, note) = try body(content)
      #expect((text ?? "").isEmpty && note == .notRecorded, "\(content)")
    }
    for content in [#"{"size":0}"#, #"{"size":0,"text":""}"#, "{}"] { #expect(try body(content).1 == nil, "\(content)") }
  }

  @Test func aFormInPartsIsReadFromItsFields() throws {
    let fields = #"[{"name":"title","value":"hello"},{"name":"file","fileName":"photo.jpg","contentType":"image/jpeg"}]"#
    let data = #"{"mimeType":"multipart/form-data; boundary=B","params":\#(fields)}"#
    let request =
      #"{"method":"POST","url":"https://h/a","headers":[{"name":"Content-Type","value":"multipart/form-data; boundary=B"}],"postData":\#(data)}"#
    let row = try #require(try rows(har(#"{"startedDateTime":"2026-01-02T03:04:05Z","request":\#(request)}"#)).first)
    #expect(
      row.request.body?.contains("name=\"title\"\r\n\r\nhello\r\n--B") == true && row.request.body?.hasSuffix("--B--\r\n") == true
    )
  }

  @Test func theFirstFaultIsToldWhereverTheFileIsSplit() {
    // No JSON on the third line.
    let text = "[\n{\"request\":{}},\n}"
    let whole = error(text)
    #expect(whole?.hasPrefix("Line 3: ") == true)
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

  @Test func masksInAddressesStayTheSameOverASecondImport() throws {
    let first = try #require(try rows(har(Self.entry)).first)
    let file = HARDocument.file(name: "a", rows: [first], version: "1")
    let exported = (0..<file.pieceCount).flatMap { file.piece($0) }
    let second = try #require(try rows(String(decoding: exported, as: UTF8.self)).first)
    #expect(first.row.path.contains("‹email:") && first.row.query?.contains("‹token:") == true)
    #expect(second.row.path == first.row.path && second.row.query == first.row.query && second.url == first.url)
    // What only looks like a mask is masked.
    let forged = Self.entry.replacing("dana@example.com?", with: "%E2%80%B9token:opensesame9%E2%80%BA?")
    #expect(try rows(har(forged)).first?.row.path.contains("opensesame9") == false)
  }

  @Test(arguments: [("3f1c09ab", true), ("3F1C09AB", false), ("3f1c09a", false), ("3f1c09abc", false), ("opensesame9", false)])
  func onlyMasksAsTheProductWritesThemStay(digits: String, stays: Bool) throws {
    let entry = Self.entry.replacing("Bearer 0123456789abcdef0123456789", with: "Bearer ‹token:\(digits)›")
    let value = try #require(try rows(har(entry)).first?.request.headers.first).value
    #expect(value.contains(":\(digits)›") == stays, "\(value)")
  }

  @Test func damagedTokenIsLeftOutOfItsRow() throws {
    var row = try #require(try rows(har(Self.entry)).first)
    row.request.tokens = [try #require(MaskedToken.example)]
    let stored = StoredAttempt(row)
    let rest = String(decoding: try #require(stored.rest), as: UTF8.self)
    #expect(rest.contains(#""tokens":[{"#))
    for damaged in ["5", #"{"mask":7,"claims":[]}"#, #"{"claims":{}}"#, "null"] {
      let changed = rest.replacing(#""tokens":[{"#, with: #""tokens":[\#(damaged),{"#)
      #expect(try StoredAttempt.attempt(row: stored.row, rest: Array(changed.utf8)) == row, "\(damaged)")
    }
  }
}

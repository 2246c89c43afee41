import Foundation
import HTTPTypes
import JSON
import Testing

@testable import Observability

@Suite(.timeLimit(.minutes(1))) struct HARReaderTests {
  /// An entry with an answer of 200 and the body `ok`, with the given members.
  private static func entry(
    _ url: String = "https://api.example.com/v1/a?b=1", method: String = "GET", request: String = "", status: String = "200",
    headers: String = "", content: String = #""size":2,"text":"ok""#, own: String = ""
  ) -> String {
    """
    {"request":{"method":"\(method)","url":"\(url)","headers":[]\(request)},\
    "response":{"status":\(status),"headers":[\(headers)],"content":{\(content)}}\(own)}
    """
  }

  private static func har(_ entries: String...) -> [UInt8] {
    Array("{\"log\":{\"version\":\"1.2\",\"entries\":[\(entries.joined(separator: ","))]}}".utf8)
  }

  private func read(_ entries: String...) throws(RecordingError) -> [RecordedExchange] {
    try HARReader.exchanges(in: Array("{\"log\":{\"entries\":[\(entries.joined(separator: ","))]}}".utf8))
  }

  private func text(_ exchange: RecordedExchange?) -> String? { exchange.map { String(decoding: $0.body, as: UTF8.self) } }

  // MARK: What others write

  @Test func anEntryIsACallWithItsAnswer() throws {
    let exchange = try #require(
      try read(
        Self.entry(
          method: "POST", request: #","postData":{"mimeType":"application/json","text":"{\"a\":1}"}"#, status: "409",
          headers: #"{"name":"X-A","value":"1"},{"name":"X-A","value":"2"},{"value":"nameless"}"#)
      ).first)
    #expect(exchange.method == "POST" && exchange.path == "/v1/a" && exchange.query == "b=1" && exchange.status == 409)
    #expect(exchange.requestBody == Array(#"{"a":1}"#.utf8) && !exchange.isAuthorized && text(exchange) == "ok")
    #expect(exchange.headers.map { "\($0.name)=\($0.value)" } == ["X-A=1", "X-A=2"])
    let request = #","headers":[{"name":"authorization","value":"x"}]"#
    let authorized = #"{"request":{"method":"GET","url":"http://h"\#(request)},"response":{"status":200}}"#
    #expect(try read(authorized).first?.isAuthorized == true)
  }

  @Test(arguments: [
    ("https://h/a/b?c=d&e#f", "/a/b", "c=d&e"), ("HTTP://h:80", "/", nil), ("https://h?x=1", "/", "x=1"),
    ("https://h/a?", "/a", ""), ("https://u:p@[::1]:8443/%2Fa", "/%2Fa", nil), ("https://h/a#?b", "/a", nil),
  ]) func anAddressIsAPathAndAQuery(url: String, path: String, query: String?) throws {
    let exchange = try #require(try read(Self.entry(url)).first)
    #expect(exchange.path == path && exchange.query == query)
  }

  @Test(arguments: ["data:text/plain,x", "blob:https://h/1", "wss://h/a", "/relative", "", "https://h/ü", "https://h/a b"])
  func whatIsNoAddressOfABackendIsLeftOut(url: String) throws {
    #expect(try read(Self.entry(url), Self.entry()).count == 1)
    #expect(throws: RecordingError.noAnswers) { try read(Self.entry(url)) }
  }

  @Test func bodiesAreTextOrBase64OrCompressed() throws {
    let gzip = "H4sIAAAAAAACA8vPBgBH3dx5AgAAAA=="
    let coding = #"{"name":"Content-Encoding","value":"gzip"}"#
    let cases: [(headers: String, content: String, expected: String)] = [
      ("", #""text":"é\n""#, "é\n"), ("", #""text":"b2s=","encoding":"base64""#, "ok"), ("", #""text":"b2s=""#, "b2s="),
      (coding, #""text":"ok""#, "ok"), (coding, #""text":"b2s=","encoding":"base64""#, "ok"),
      (coding, #""text":"\#(gzip)","encoding":"base64""#, "ok"), ("", #""size":0"#, ""), ("", "", ""), ("", #""size":-1"#, ""),
    ]
    for (headers, content, expected) in cases {
      #expect(text(try read(Self.entry(headers: headers, content: content)).first) == expected, "\(content)")
    }
  }

  @Test func anAnswerWhoseBodyIsMissingIsLeftOutUnlessItIsAnError() throws {
    let missing = #""size":20,"mimeType":"application/json""#
    #expect(try read(Self.entry(content: missing), Self.entry()).count == 1)
    #expect(try read(Self.entry(content: #""text":"%","encoding":"base64""#), Self.entry()).count == 1)
    #expect(try read(Self.entry(status: "\"200\"")).count == 1)
    #expect(text(try read(Self.entry(status: "500", content: missing)).first) == "")
    #expect(text(try read(Self.entry(status: "204", content: missing)).first) == "")
  }

  @Test(arguments: ["0", "-1", "101", "304", "600", "99999999999999999999", "\"0\"", "200.5", "null"])
  func whatIsNoAnswerToRepeatIsLeftOut(status: String) throws {
    #expect(throws: RecordingError.noAnswers) { try read(Self.entry(status: status)) }
  }

  @Test(arguments: ["401", "401.0", "4.01e2", "\"401\"", "\"401.0\"", "\"401 Unauthorized\"", "\" 401 \"", "\"HTTP/1.1 401 No\""])
  func statusIsReadInAnyForm(status: String) throws {
    #expect(try read(Self.entry(status: status)).map(\.status) == [401])
    #expect(try HARReader.attempts(in: Self.har(Self.entry(status: status))).map(\.status) == [401])
  }

  @Test(arguments: [
    "2026-07-09T19:18:05.897Z", "Thu, 09 Jul 2026 19:18:05.897 GMT", "2026-07-10T00:18:05.897+05", "20260709T191805.897Z",
    "20260709T191805.897+0000", "2026-07-09T14:18:05.897\u{2212}05:00", "2026-07-09t19:18:05.897z", "2026-07-09 19:18:05,897 UTC",
    "2026-07-09T19:18:05.897 +00:00", "1783624685897",
  ])
  func dateIsReadInAnyForm(text: String) {
    #expect(HARDate.parse(text)?.milliseconds == 1_783_624_685_897)
  }

  @Test(arguments: ["", "now", "0001-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z", "0", "20261399T000000Z", "T"])
  func dateThatCannotBeOneIsNone(text: String) { #expect(HARDate.parse(text) == nil) }

  @Test(arguments: [
    #"[{"name":"X-A","value":"1"},{"name":"X-B","value":"2"}]"#, #"{"X-A":"1","X-B":"2"}"#, #"[["X-A","1"],["X-B","2"]]"#,
    #"{"X-A":["1"],"X-B":2}"#, #"[{"X-A":"1"},{"X-B":"2"}]"#, #"["X-A: 1","X-B:2"]"#,
  ])
  func headersAreReadInAnyForm(headers: String) throws {
    let entry = #"{"request":{"method":"GET","url":"http://h"},"response":{"status":200,"headers":\#(headers)}}"#
    let exchange = try #require(try read(entry).first)
    #expect(exchange.headers.map { "\($0.name)=\($0.value)" } == ["X-A=1", "X-B=2"])
  }

  @Test(arguments: [("[1,null,\"x\",{}]", true), ("[null]", true), ("[{}]", false), (#"[{"request":{}}]"#, false)])
  func entriesWithoutARequestAreNoRecording(entries: String, isOther: Bool) {
    let file = Array(#"{"log":{"entries":\#(entries)}}"#.utf8)
    #expect(throws: RecordingError.noRequests) { try HARReader.attempts(in: file) }
    #expect(throws: ImportError(isOther ? .notHAR : .noRequests, line: isOther ? 1 : nil)) {
      try ExplainedRecording.explanation(of: file)
    }
  }

  @Test func callsAreInTheOrderOfTheirStart() throws {
    func at(_ date: String, _ name: String) -> String {
      Self.entry("https://h/\(name)", own: #","startedDateTime":"\#(date)""#)
    }
    let early = "2026-11-21T10:00:00.000+01:00"
    let late = "2026-11-21T09:30:00Z"
    #expect(try read(at(late, "b"), at(early, "a"), at(late, "c")).map(\.path) == ["/a", "/b", "/c"])
    #expect(
      try read(at(late, "b"), at("yesterday", "a"), at(early, "c")).map(\.path) == ["/c", "/b", "/a"], "behind its neighbor")
  }

  @Test func aByteOrderMarkIsSkipped() throws {
    #expect(try HARReader.exchanges(in: [0xef, 0xbb, 0xbf] + Self.har(Self.entry())).count == 1)
  }

  // MARK: What this program writes

  @Test func anExportIsReadWithoutWhatNoBackendAnswered() throws {
    let example = ExportExample()
    let before = example.rows.count
    example.add(.get, path: "/rpc/own", answer: "fault", source: .fault)
    example.add(.get, path: "/rpc/own", answer: "cache", source: .cache)
    example.add(.get, path: "/rpc/own", query: "a=%20b", answer: #"{"c":"é"}"#)
    #expect(example.rows.count == before + 3)
    let file = HARDocument.file(name: "session.har", rows: example.rows, version: "1")
    let own = try HARReader.exchanges(in: ExportExample.bytes(file)).filter { $0.path == "/rpc/own" }
    #expect(own.count == 1 && own.first?.query == "a=%20b" && text(own.first) == #"{"c":"é"}"#)
  }

  // MARK: What is none

  @Test func whatIsNoHARIsNamed() {
    func error(_ text: String) -> RecordingError? {
      do throws(RecordingError) {
        _ = try RecordedSession(reading: Array(text.utf8))
        return nil
      } catch { return error }
    }
    #expect(error("") == .unknownFormat && error("<html>") == .unknownFormat && error("{\"log\":{}") == .unknownFormat)
    #expect(error("{}") == .notHAR && error("[]") == .notHAR && error("{\"log\":{\"entries\":{}}}") == .notHAR)
    #expect(error("{\"log\":{\"entries\":[]}}") == .noEntries)
    #expect(error("{\"log\":{\"entries\":[1,null,{}]}}") == .noAnswers)
    #expect(error("PK\u{3}\u{4}") == .archive(ArchiveError(.endsEarly)))
    #expect(error(String(repeating: "[", count: 1 << 20)) == .unknownFormat)
  }

  @Test func hugeCountsAreRefusedBeforeTheyTakeMemory() {
    #expect(throws: RecordingError.tooLarge) {
      try HARReader.exchanges(in: Array(("[" + String(repeating: "0,", count: HARReader.valueLimit + 1)).utf8))
    }
    let entries = String(repeating: "1,", count: HARReader.countLimit) + "1"
    #expect(throws: RecordingError.tooLarge) { try HARReader.exchanges(in: Array("{\"log\":{\"entries\":[\(entries)]}}".utf8)) }
    let escaped = String(repeating: #",\""#, count: 1000)
    #expect(throws: Never.self) { try read(Self.entry(content: #""text":"\#(escaped)""#)) }
  }

  @Test func aFileThatIsNotQuiteJSONIsReadByItsEntries() throws {
    let doubled = Self.entry().replacing("\"status\":200", with: "\"status\":200,\"status\":500")
    let large = Self.entry(content: #""text":"\#(String(repeating: "x", count: 1 << 20))""#)
    #expect(try read(doubled, large, Self.entry(own: ",\"time\":NaN")).map(\.status) == [200, 200, 200])
  }

  // MARK: Archives

  @Test func theHAROfABundleIsFound() async throws {
    func read(_ names: [String]) async throws -> Result<Int, RecordingError> {
      let stream = try ZipStream(
        files: names.map { name in ExportFile(name: name) { Self.har(Self.entry()) } }, createdAt: Timestamp(milliseconds: 0))
      var bytes: [UInt8] = []
      while let chunk = try await stream.next() { bytes += chunk }
      do throws(RecordingError) { return .success(try RecordedSession(reading: bytes).exchanges.count) } catch {
        return .failure(error)
      }
    }
    #expect(try await read(["report.md", "session.har", "other.har"]) == .success(1))
    #expect(try await read(["one.har"]) == .success(1))
    #expect(try await read(["a.har", "b.har"]) == .failure(.noHAR))
    #expect(try await read(["rows.json"]) == .failure(.noHAR))
    #expect(try await read([]) == .failure(.noHAR))
  }

  @Test func bodiesBesideAHARAreFound() async throws {
    let files = [
      ExportFile(name: "har.har") { Self.har(Self.entry(content: #""size":2,"_file":"a1.json""#)) },
      ExportFile(name: "a1.json") { Array(#"{"ok":true}"#.utf8) },
    ]
    let stream = try ZipStream(files: files, createdAt: Timestamp(milliseconds: 0))
    var bytes: [UInt8] = []
    while let chunk = try await stream.next() { bytes += chunk }
    #expect(text(try RecordedSession(reading: bytes).exchanges.first) == #"{"ok":true}"#)
    let attachment = try RecordingArchive(bytes).attachment
    #expect(
      attachment("a1.json") == Array(#"{"ok":true}"#.utf8) && attachment("b.json") == nil && attachment("../a1.json") == nil)
  }
}

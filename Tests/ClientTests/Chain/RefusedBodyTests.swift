import Client
import HTTPTypes
import Observability
import RPC
import Redaction
import Support
import Testing

/// Bodies that are nearly JSON: the row says what is wrong with them, and keeps what was received.
@Suite(.timeLimit(.minutes(1))) struct RefusedBodyTests {
  private func row(_ response: TransportResponse) async throws -> (result: String, detail: String?, body: String?) {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.script(AccountEndpoints.Me.path, [.success(response)])
    let result = await harness.me()
    let row = try #require(harness.log.rows().events.last { $0.endpoint == "me" })
    let word =
      switch result {
      case .success: "ok"
      case .failure(let error): error.word
      }
    return (word, row.errorDetail, harness.log.detail(id: row.id)?.response?.body)
  }

  @Test(arguments: [
    (#"{"user_id":"u","name":"a","name":"b"}"#, "the body has the member `name` twice"),
    (#"{"user_id":"u","a b":1,"a b":2}"#, "the body has the member of one name twice"),
    (#"{"user_id":"u\ud800"}"#, "the body has half a surrogate pair in a string"),
    ("{\"user_id\":\"u\u{1}\"}", "the body has an unescaped control character in a string"),
    (#"{"user_id":"u","a":NaN}"#, "the body has NaN, which is no number of JSON"),
    (#"{"user_id":"u","a":-Infinity}"#, "the body has -Infinity, which is no number of JSON"),
    ("<html></html>", "the body is not JSON"), ("hello", "the body is not JSON"), (#"{"user_id":"#, "the body is not JSON"),
  ])
  func theRowSaysWhatIsWrong(body: String, words: String) async throws {
    let found = try await row(TransportResponse(status: 200, body: Array(body.utf8)))
    #expect(found.result == "unexpected_payload" && found.detail == words)
  }

  @Test(arguments: [
    (#"{"user_id":"u","name":"first","name":"second"}"#, ["first", "second"]),
    (#"{"user_id":"u\ud800","name":"kept"}"#, ["kept"]), (#"{"user_id":"u","a":NaN,"b":-Infinity}"#, ["NaN", "-Infinity"]),
    ("{\"user_id\":\"one\u{1}two\"}", [#"one\u0001two"#]),
  ])
  func whatWasReceivedIsKeptWithoutItsSecrets(body: String, texts: [String]) async throws {
    let secret = "Zk3vQ9wLr7TnB2xY8mPd"
    let whole = String(body.dropLast()) + #","password":"\#(secret)","password":"\#(secret)x"}"#
    let kept = try #require(try await row(TransportResponse(status: 200, body: Array(whole.utf8))).body)
    for text in texts { #expect(kept.contains(text), "\(kept)") }
    #expect(!kept.contains(secret))
  }

  @Test func aByteOrderMarkIsNoFault() async throws {
    let body = Array("\u{FEFF}".utf8) + Array(#"{"user_id":"u","account_id":"a"}"#.utf8)
    let found = try await row(TransportResponse(status: 200, body: body))
    #expect(found.result == "ok" && found.body?.contains("account_id") == true)
  }

  @Test func anAnswerWithAnUnknownCodingKeepsItsStatusAndHeaders() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    var response = TransportResponse(status: 200, headers: [.contentEncoding: "rot13"], body: [1, 2, 3])
    response.codingFault = "unknown content coding `rot13`"
    harness.backend.script(AccountEndpoints.Me.path, [.success(response)])
    _ = await harness.me()
    let row = try #require(harness.log.rows().events.last { $0.endpoint == "me" })
    #expect(row.status == 200 && row.error == "unexpected_payload" && row.errorDetail == "unknown content coding `rot13`")
    let headers = try #require(harness.log.detail(id: row.id)?.response?.headers)
    #expect(headers.contains { $0.name.lowercased() == "content-encoding" && $0.value == "rot13" })
  }
}

import Client
import Console
import HTTPTypes
import JSON
import RPC
import Testing

/// Rules of kind `answer` over the console's API, with a scripted backend.
@Suite(.timeLimit(.minutes(2))) struct AnswerRoutesTests {
  private func faults(_ harness: ConsoleHarness, _ caller: ConsoleHarness.Caller) async -> [JSONNode] {
    await harness.call(.get, "/api/faults", as: caller).json?["faults"]?.elements ?? []
  }

  private func arm(_ harness: ConsoleHarness, _ body: String, as caller: ConsoleHarness.Caller) async throws -> JSONNode {
    let answer = await harness.call(.post, "/api/faults", body, as: caller)
    #expect(answer.status == 201, "\(String(decoding: answer.body, as: UTF8.self))")
    return try #require(answer.json)
  }

  /// The newest row of an endpoint, whole.
  private func newest(
    _ harness: ConsoleHarness, _ caller: ConsoleHarness.Caller, _ endpoint: String = "me"
  ) async throws -> JSONNode {
    let rows = await harness.call(.get, "/api/network?endpoint=\(endpoint)", as: caller).json?["events"]?.elements ?? []
    let id = try #require(rows.last?["id"]?.string)
    return try #require(await harness.call(.get, "/api/network/\(id)", as: caller).json)
  }

  @Test func anAnswerIsArmedGivenShownAndListedAsWritten() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let sent = harness.backend.requests(AccountEndpoints.Me.path).count
    let rule = try await arm(
      harness,
      #"{"name":"Mine","match":{"method":"GET","path":"/rpc/me"},"action":{"kind":"answer","status":500,"headers":[["Allow","GET"],["Allow","PUT"]],"body":"{\"error\":{\"code\":\"internal\"}}","latency_ms":1}}"#,
      as: caller)
    #expect(rule["match"]?["path"]?.string == "/rpc/me" && rule["match"]?["query"] == nil)
    let action = try #require(rule["action"])
    #expect(action["kind"]?.string == "answer" && action["status"]?.int64 == 500 && action["latency_ms"]?.int64 == 1)
    #expect(action["headers"]?.elements.map { $0.elements.map(\.string) } == [["Allow", "GET"], ["Allow", "PUT"]])
    #expect(action["body"]?.string == #"{"error":{"code":"internal"}}"#)
    #expect(await harness.call(.get, "/api/account", as: caller).code == "backend_error")
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == sent)
    let row = try await newest(harness, caller)
    #expect(row["source"]?.string == "fault" && row["fault_id"]?.string == rule["id"]?.string && row["status"]?.int64 == 500)
    #expect(row["response"]?["body"]?.string == #"{"error":{"code":"internal"}}"#)
    let listed = try #require(await faults(harness, caller).first)
    #expect(listed["action"]?.sourceText == action.sourceText && (listed["hits"]?.int64 ?? 0) > 0)
  }

  /// What is wrong with `action` beside `"kind":"answer"`, or with the whole rule, and at which member it is told.
  static let refused: [(String, String)] = [
    ("", "action.status"), (#","status":199"#, "action.status"), (#","status":600"#, "action.status"),
    (#","status":100"#, "action.status"), (#","status":-1"#, "action.status"),
    (#","status":200,"code":"x""#, "action.code"), (#","status":200,"retry_after_seconds":1"#, "action.retry_after_seconds"),
    (#","status":200,"skew_seconds":1"#, "action.skew_seconds"), (#","status":200,"latency_ms":0"#, "action.latency_ms"),
    (#","status":200,"latency_ms":600001"#, "action.latency_ms"),
    (#","status":200,"headers":[["a"]]"#, "action.headers"), (#","status":200,"headers":[["a","b","c"]]"#, "action.headers"),
    (#","status":200,"headers":[[]]"#, "action.headers"), (#","status":200,"headers":[["","b"]]"#, "action.headers"),
    (#","status":200,"headers":[["a b","c"]]"#, "action.headers"), (#","status":200,"headers":[["a:","c"]]"#, "action.headers"),
    (#","status":200,"headers":[[":status","200"]]"#, "action.headers"),
    (#","status":200,"headers":[["ä","c"]]"#, "action.headers"),
    (#","status":200,"headers":[["A","b\r\nSet-Cookie: c=d"]]"#, "action.headers"),
    (#","status":200,"headers":[["A","b\nc"]]"#, "action.headers"),
    (#","status":200,"headers":[["A","b\u0000"]]"#, "action.headers"),
    (#","status":200,"headers":[["A"," b"]]"#, "action.headers"), (#","status":200,"headers":[["A","b "]]"#, "action.headers"),
    (#","status":200,"headers":[["Transfer-Encoding","chunked"]]"#, "action.headers"),
    (#","status":200,"headers":[["content-length","5"]]"#, "action.headers"),
    (#","status":200,"headers":[["Connection","close"]]"#, "action.headers"),
    (#","status":200,"headers":[["Content-Encoding","gzip"]]"#, "action.headers"),
    (#","status":200,"headers":[\#(Array(repeating: #"["A","b"]"#, count: 65).joined(separator: ","))]"#, "action.headers"),
    (#","status":200,"headers":[["A","\#(String(repeating: "b", count: 8193))"]]"#, "action.headers"),
    (#","status":200,"body":"\#(String(repeating: "b", count: 524_289))""#, "action.body"),
    (#","status":200},"match":{"path":"rpc/me""#, "match.path"), (#","status":200},"match":{"path":"""#, "match.path"),
    (#","status":200},"match":{"path":"/a?b""#, "match.path"), (#","status":200},"match":{"path":"/a/../b""#, "match.path"),
    (#","status":200},"match":{"path":"/a b""#, "match.path"), (#","status":200},"match":{"query":"?a=1""#, "match.query"),
    (#","status":200},"match":{"query":"a=1#b""#, "match.query"), (#","status":200},"match":{"query":"a=\n""#, "match.query"),
    (#","status":200},"match":{"body":"\#(String(repeating: "b", count: 65_537))""#, "match.body"),
  ]

  @Test(arguments: refused)
  func anInvalidAnswerIsRefusedAtItsMember(_ members: String, field: String) async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.caller()
    let answer = await harness.call(.post, "/api/faults", #"{"action":{"kind":"answer"\#(members)}}"#, as: caller)
    #expect(answer.status == 400 && answer.code == "invalid_request", "\(members.prefix(80))")
    #expect(answer.json?["field"]?.string == field, "\(members.prefix(80))")
    #expect((answer.json?["title"]?.string ?? "").count > 10)
    #expect(await faults(harness, caller).isEmpty)
  }

  @Test(arguments: ["headers", "body"])
  func otherKindsTakeNoAnswer(member: String) async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.caller()
    let value = member == "body" ? #""x""# : "[]"
    let answer = await harness.call(
      .post, "/api/faults", #"{"action":{"kind":"status","\#(member)":\#(value)}}"#, as: caller)
    #expect(answer.status == 400 && answer.json?["field"]?.string == "action.\(member)")
  }

  @Test func theLargestAnswersFitAndTheTextsOfADeviceAreBounded() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.caller()
    let body = #"{"action":{"kind":"answer","status":200,"body":"\#(String(repeating: "b", count: 524_288))"}}"#
    for _ in 0..<4 { _ = try await arm(harness, body, as: caller) }
    let full = await harness.call(.post, "/api/faults", body, as: caller)
    #expect(full.status == 400 && full.json?["field"]?.string == "action.body")
    let list = await faults(harness, caller)
    #expect(list.count == 4)
    let id = try #require(list[0]["id"]?.string)
    // It makes room for itself, and for others once it is smaller.
    let change = #"{"action":{"kind":"answer","status":201,"body":"\#(String(repeating: "c", count: 524_288))"}}"#
    #expect(await harness.call(.patch, "/api/faults/\(id)", change, as: caller).status == 200)
    #expect(
      await harness.call(.patch, "/api/faults/\(id)", #"{"action":{"kind":"answer","status":201}}"#, as: caller).status == 200)
    _ = try await arm(harness, body, as: caller)
    let grown = await harness.call(.patch, "/api/faults/\(id)", change, as: caller)
    #expect(grown.status == 400 && grown.json?["field"]?.string == "action.body")
    #expect(await faults(harness, caller)[0]["action"]?["body"] == nil, "what was refused changed nothing")
  }

  @Test func masksAreFilledInForTheClientAndForNobodyElse() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    _ = await harness.call(.get, "/api/account", as: caller)
    let shown = try #require(try await newest(harness, caller)["response"]?["body"]?.string)
    #expect(shown.contains("‹email:") && !shown.contains("dana@example.com"))
    let edited = shown.replacing(#""display_name":"Dana""#, with: #""display_name":"‹Dana›""#)
    let quoted = String(decoding: JSONStringText.quoted(edited), as: UTF8.self)
    let rule = try await arm(
      harness, #"{"match":{"path":"/rpc/me"},"action":{"kind":"answer","status":200,"body":\#(quoted)}}"#, as: caller)
    let account = await harness.call(.get, "/api/account", as: caller)
    #expect(account.json?["user"]?["email"]?.string == "dana@example.com", "the client got the true address")
    #expect(rule["action"]?["body"]?.string == edited, "the page gets back what it sent")
    let listed = await harness.call(.get, "/api/faults", as: caller)
    #expect(!String(decoding: listed.body, as: UTF8.self).contains("dana@example.com"))
    let row = try await newest(harness, caller)
    #expect(row["source"]?.string == "fault" && row["response"]?["body"]?.string == edited, "and the row is masked again")
  }

  @Test(
    arguments: [
      (#""action":{"kind":"answer","status":200,"body":"{\"t\":\"‹token:00000000›\"}"}"#, "action.body"),
      (#""action":{"kind":"answer","status":200,"headers":[["A","‹header:00000000›"]]}"#, "action.headers"),
      (#""match":{"query":"a=‹token:00000000›"},"action":{"kind":"offline"}"#, "match.query"),
      (#""match":{"body":"‹code:00000000›"},"action":{"kind":"offline"}"#, "match.body"),
    ])
  func aMaskWhoseSecretIsNotKnownIsAConflict(members: String, field: String) async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.caller()
    let answer = await harness.call(.post, "/api/faults", "{\(members)}", as: caller)
    #expect(answer.status == 409 && answer.code == "not_replayable" && answer.json?["field"]?.string == field)
    #expect(await faults(harness, caller).isEmpty)
  }

  @Test func aTextThatIsWrittenAsBeforeKeepsItsSecret() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    _ = await harness.call(.get, "/api/account", as: caller)
    let shown = try #require(try await newest(harness, caller)["response"]?["body"]?.string)
    let quoted = String(decoding: JSONStringText.quoted(shown), as: UTF8.self)
    let rule = try await arm(
      harness, #"{"match":{"path":"/rpc/me"},"action":{"kind":"answer","status":200,"body":\#(quoted)}}"#, as: caller)
    let id = try #require(rule["id"]?.string)
    // Sixteen newer addresses displace the one of the account.
    for index in 0..<17 {
      let body = String(
        decoding: JSONStringText.quoted(shown.replacing(/‹email:[0-9a-f]{8}›/, with: "p\(index)@example.com")), as: UTF8.self)
      let other = try await arm(
        harness, #"{"match":{"path":"/rpc/me"},"action":{"kind":"answer","status":200,"body":\#(body)}}"#, as: caller)
      let otherID = try #require(other["id"]?.string)
      #expect(await harness.call(.patch, "/api/faults/\(otherID)", #"{"position":0}"#, as: caller).status == 200)
      _ = await harness.call(.get, "/api/account", as: caller)
      _ = await harness.call(.delete, "/api/faults/\(otherID)", as: caller)
    }
    let fresh = await harness.call(
      .post, "/api/faults", #"{"action":{"kind":"answer","status":200,"body":\#(quoted)}}"#, as: caller)
    #expect(fresh.status == 409, "nobody knows the address any more")
    let changed = await harness.call(
      .patch, "/api/faults/\(id)", #"{"action":{"kind":"answer","status":203,"body":\#(quoted)}}"#, as: caller)
    #expect(changed.status == 200)
    #expect(await harness.call(.get, "/api/account", as: caller).json?["user"]?["email"]?.string == "dana@example.com")
  }

  @Test func aPreviewComparesWithQueryAndBodyOfTheLog() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    _ = await harness.call(.get, "/api/account", as: caller)
    let rows = await harness.call(.get, "/api/network?endpoint=me", as: caller).json?["events"]?.elements ?? []
    let asked = rows.count { $0["source"]?.string != "cache" }
    func preview(_ match: String) async -> Int64? {
      await harness.call(.post, "/api/faults/preview", #"{"match":\#(match)}"#, as: caller).json?["matched"]?.int64
    }
    #expect(await preview(#"{"path":"/rpc/me"}"#) == Int64(asked))
    #expect(await preview(#"{"path":"/rpc/me","query":"","body":""}"#) == Int64(asked))
    #expect(await preview(#"{"path":"/rpc/me","query":"a=1"}"#) == 0)
    #expect(await preview(#"{"path":"/rpc/me","body":"{}"}"#) == 0)
    #expect(await preview(#"{"path":"me"}"#) == nil)
  }

  @Test func anExportHasTheRuleWithoutWhatAUserTypedIntoIt() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    _ = try await arm(
      harness,
      #"{"match":{"path":"/rpc/x","query":"token=typed-token-1111","body":"{\"password\":\"typed-password-1\"}"},"action":{"kind":"answer","status":200,"headers":[["Set-Cookie","sid=typed-cookie-111"]],"body":"{\"access_token\":\"typed-token-2222\",\"n\":1}"}}"#,
      as: caller)
    let exported = await harness.call(.get, "/api/network/export?format=zip", as: caller)
    #expect(exported.status == 200)
    let device = try #require(await harness.registry.awakeDevices().first)
    let text = String(decoding: try device.maskedFaults(), as: UTF8.self)
    #expect(!text.contains("typed"))
    #expect(text.contains(#"\"n\":1"#) && text.contains("/rpc/x"), "\(text)")
  }
}

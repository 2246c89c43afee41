import Console
import HTTPTypes
import JSON
import Support
import Testing

/// Recordings outlive the log that they were copied from, and read like it.
@Suite(.timeLimit(.minutes(1))) struct RecordingRoutesTests {
  private let harness: ConsoleHarness
  private let caller: ConsoleHarness.Caller

  init() async throws {
    harness = try await ConsoleHarness()
    caller = try await harness.signedIn()
  }

  private func ask(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) async -> ConsoleHarness.Answer {
    await harness.call(method, path, body, as: caller)
  }

  /// The rows of an answer without what changes later.
  private func ids(_ answer: ConsoleHarness.Answer) -> [String] {
    answer.json?["events"]?.elements.compactMap { $0["id"]?.string } ?? []
  }

  @Test func aRecordingKeepsWhatTheLogLoses() async throws {
    let rows = ids(await ask(.get, "/api/network"))
    let saved = await ask(.post, "/api/recordings", #"{"title":" Sign-in ","note":"As it was"}"#)
    #expect(saved.status == 201 && saved.json?["title"]?.string == "Sign-in" && saved.json?["rows"]?.int64 == Int64(rows.count))
    let id = try #require(saved.json?["id"]?.string)
    let detail = await ask(.get, "/api/network/\(rows[0])")
    #expect(await ask(.delete, "/api/network").status == 200)
    #expect(ids(await ask(.get, "/api/recordings/\(id)/network")) == rows)
    #expect(ids(await ask(.get, "/api/recordings/\(id)/network?after=1&limit=1")) == [rows[1]])
    #expect(await ask(.get, "/api/recordings/\(id)/network/\(rows[0])").body == detail.body)
    for format in ["curl", "swift", "markdown"] {
      #expect(await ask(.get, "/api/recordings/\(id)/network/\(rows[0])/\(format)").status == 200)
    }
    #expect(await ask(.get, "/api/recordings/\(id)/timeline").json?["entries"]?.count ?? 0 > 0)
    #expect(
      await ask(.get, "/api/recordings/\(id)/network/export").headers[try #require(HTTPField.Name("X-Export-Rows"))]
        == "\(rows.count)")
  }

  @Test func onlySelectedRowsAreSaved() async throws {
    let rows = ids(await ask(.get, "/api/network"))
    let saved = await ask(.post, "/api/recordings", #"{"title":"One","ids":["\#(rows[1])","unknown"]}"#)
    let id = try #require(saved.json?["id"]?.string)
    #expect(ids(await ask(.get, "/api/recordings/\(id)/network")) == [rows[1]])
  }

  @Test func recordingsAreListedRenamedAndDeleted() async throws {
    for title in ["one", "two for dana@example.com"] { _ = await ask(.post, "/api/recordings", #"{"title":"\#(title)"}"#) }
    let list = await ask(.get, "/api/recordings").json?["recordings"]?.elements ?? []
    #expect(list.count == 2 && list[1]["title"]?.string == "one")
    #expect(list[0]["title"]?.string?.contains("dana") == false, "a known identifier is masked")
    let id = try #require(list[1]["id"]?.string)
    #expect(await ask(.patch, "/api/recordings/\(id)", #"{"note":"n"}"#).json?["title"]?.string == "one")
    #expect(await ask(.patch, "/api/recordings/\(id)", #"{"title":"  "}"#).code == "invalid_request")
    #expect(await ask(.post, "/api/recordings", #"{"title":"\#(String(repeating: "a", count: 201))"}"#).code == "invalid_request")
    #expect(await ask(.delete, "/api/recordings/\(id)").status == 204)
    for (method, path) in [
      (HTTPRequest.Method.delete, ""), (.get, "/network"), (.get, "/timeline"), (.get, "/network/export"), (.get, "/network/x"),
    ] {
      #expect(await ask(method, "/api/recordings/\(id)\(path)").status == 404, "\(path)")
    }
  }

  @Test func aFileThatCannotBeReadLeavesNothing() async throws {
    for body in ["[]", "nope", #"{"log":{"entries":[{}]}}"#, #"[{"seq":1}]"#] {
      let answer = await ask(.post, "/api/recordings/import", body)
      #expect(answer.status == 400 && answer.code == "invalid_recording" && answer.json?["detail"]?.string != nil, "\(body)")
    }
    #expect(await ask(.get, "/api/recordings").json?["recordings"]?.count == 0)
    let stored = try await harness.savedLog.recordingCount()
    #expect(stored == 0)
  }

  @Test func otherBrowsersReadARecordingButNobodyWithoutADevice() async throws {
    let id = try #require(await ask(.post, "/api/recordings", #"{"title":"shared"}"#).json?["id"]?.string)
    let other = try await harness.caller()
    #expect(await harness.call(.get, "/api/recordings/\(id)/network", as: other).status == 200)
    #expect(await harness.call(.get, "/api/recordings/\(id)/network", as: .init()).status == 401)
  }

  /// Two recordings, and a recording and the log, compared; each difference names rows that can be read.
  @Test func recordingsAreComparedWithEachOtherAndWithTheLog() async throws {
    let rows = ids(await ask(.get, "/api/network"))
    let list = rows.dropLast().map { #""\#($0)""# }.joined(separator: ",")
    let part = try #require(await ask(.post, "/api/recordings", #"{"title":"part","ids":[\#(list)]}"#).json?["id"]?.string)
    let all = try #require(await ask(.post, "/api/recordings", #"{"title":"all"}"#).json?["id"]?.string)
    let same = await ask(.get, "/api/recordings/\(all)/compare?with=live")
    #expect(same.status == 200 && same.json?["is_equal"]?.bool == true && same.json?["format"]?.string == "understudy-compare")
    #expect(same.json?["first"]?["file"]?.string == "all" && same.json?["differences"]?.count == 0)
    for with in [all, "live"] {
      let answer = await ask(.get, "/api/recordings/\(part)/compare?with=\(with)")
      let found = try #require(answer.json?["differences"]?.elements.first { $0["kind"]?.string == "added" })
      #expect(answer.json?["is_equal"]?.bool == false)
      #expect(found["call"]?["second_row"]?.string == rows.last && found["call"]?["first_row"] == nil, "\(with)")
    }
    // The log of another device is another one.
    let other = try await harness.caller()
    let empty = await harness.call(.get, "/api/recordings/\(all)/compare?with=live", as: other)
    let calls = same.json?["second"]?["calls"]?.int64 ?? 0
    let others = empty.json?["second"]?["calls"]?.int64 ?? .max
    #expect(others < calls && (empty.json?["differences"]?.count ?? 0) > 0)
  }

  @Test func aComparisonNeedsTwoRecordings() async throws {
    let id = try #require(await ask(.post, "/api/recordings", #"{"title":"one"}"#).json?["id"]?.string)
    for query in ["", "?with=", "?other=live"] {
      let answer = await ask(.get, "/api/recordings/\(id)/compare\(query)")
      #expect(answer.status == 400 && answer.code == "invalid_request", "\(query)")
    }
    for path in ["\(id)/compare?with=unknown", "unknown/compare?with=\(id)", "unknown/compare?with=live"] {
      #expect(await ask(.get, "/api/recordings/\(path)").status == 404, "\(path)")
    }
  }

  @Test(.enabled(if: MeasuredTime.isMeasured)) func tooManyRowsAreRefused() async throws {
    let line = #"{"startedDateTime":"2026-01-01T10:00:00.000Z","request":{"method":"GET","url":"https://a.example/x"}}"#
    let har = #"{"log":{"entries":[\#(Array(repeating: line, count: 20_001).joined(separator: ","))]}}"#
    let imported = await ask(.post, "/api/recordings/import", har)
    let large = try #require(imported.json?["id"]?.string)
    let id = try #require(await ask(.post, "/api/recordings", #"{"title":"small"}"#).json?["id"]?.string)
    for path in ["\(large)/compare?with=\(id)", "\(id)/compare?with=\(large)", "\(large)/compare?with=live"] {
      let answer = await ask(.get, "/api/recordings/\(path)")
      #expect(answer.status == 413 && answer.code == "payload_too_large", "\(path)")
    }
  }
}

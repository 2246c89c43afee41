import Console
import HTTPTypes
import JSON
import Testing

/// Recordings outlive the log that they were copied from, and read like it.
@Suite(.timeLimit(.minutes(1))) struct RecordingRoutesTests {
  private let harness: ConsoleHarness
  private let caller: ConsoleHarness.Caller

  init() async throws {
    harness = try ConsoleHarness()
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
    let stored = try await harness.evidence.recordingCount()
    #expect(stored == 0)
  }

  @Test func otherBrowsersReadARecordingButNobodyWithoutADevice() async throws {
    let id = try #require(await ask(.post, "/api/recordings", #"{"title":"shared"}"#).json?["id"]?.string)
    let other = try await harness.caller()
    #expect(await harness.call(.get, "/api/recordings/\(id)/network", as: other).status == 200)
    #expect(await harness.call(.get, "/api/recordings/\(id)/network", as: .init()).status == 401)
  }
}

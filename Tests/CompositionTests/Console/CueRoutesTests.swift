import GRDB
import JSON
import Support
import Testing

/// The cue routes of a running console with its real backend.
@Suite(.timeLimit(.minutes(2))) struct CueRoutesTests {
  /// Runs the body with a signed-in browser and the backend's database.
  static func withBrowser(_ body: @escaping @Sendable (ConsoleBrowser, BackendCues) throws -> Void) async throws {
    let folder = try TemporaryFolder()
    let data = folder.file("data")
    try await RunningConsoleTests.withConsole(["--data", data]) { _, port in
      let browser = ConsoleBrowser(port: port)
      try browser.makeDevice()
      try browser.signIn("dana@example.com")
      try body(browser, try BackendCues(data: data))
    }
  }

  /// The ids of the shown cues in order.
  static func ids(_ answer: ConsoleBrowser.Answer) -> [String] {
    answer.json?["cues"]?.elements.compactMap { $0["cue_id"]?.string } ?? []
  }

  static func move(_ browser: ConsoleBrowser, _ id: String, to stage: String) throws -> ConsoleBrowser.Answer {
    try browser.call("POST", "/api/cues/\(id)/stage", #"{"stage":"\#(stage)"}"#)
  }

  @Test func theListShowsTheProfilesCuesInOrder() async throws {
    try await Self.withBrowser { browser, _ in
      let answer = try browser.call("GET", "/api/cues")
      #expect(answer.status == 200 && answer.json?["source"]?.string == "network")
      #expect(answer.json?["synced_at"]?.string?.hasSuffix("Z") == true)
      #expect(answer.json?["profile"]?["language_code"]?.string == "en", "the active profile, without a call of its own")
      let cues = answer.json?["cues"]?.elements ?? []
      #expect(cues.count > 5)
      for (index, cue) in cues.enumerated() {
        #expect(cue["position"]?.int64 == Int64(index) && cue["stage"]?.string == "new" && cue["pending"]?.bool == false)
        #expect(cue["prompt"]?.string?.isEmpty == false && cue["conflict"] == nil)
      }
    }
  }

  @Test func aMoveReachesTheBackendAndTheOtherDevice() async throws {
    try await Self.withBrowser { browser, backend in
      let id = try #require(Self.ids(try browser.call("GET", "/api/cues")).first)
      let moved = try Self.move(browser, id, to: "review")
      #expect(moved.status == 200 && moved.json?["stage"]?.string == "review" && moved.json?["pending"]?.bool == false)
      #expect(try Self.move(browser, id, to: "review").status == 200, "repeating changes nothing")
      #expect(try backend.applied() == ["\(id) review"])
      let other = ConsoleBrowser(port: browser.port)
      try other.makeDevice()
      try other.signIn("dana@example.com")
      let seen = try other.call("GET", "/api/cues").json?["cues"]?.elements.first { $0["cue_id"]?.string == id }
      #expect(seen?["stage"]?.string == "review")
    }
  }

  @Test func anotherDevicesMoveIsMetByTheLaterOneOnce() async throws {
    try await Self.withBrowser { browser, backend in
      let other = ConsoleBrowser(port: browser.port)
      try other.makeDevice()
      try other.signIn("dana@example.com")
      let id = try #require(Self.ids(try browser.call("GET", "/api/cues")).first)
      #expect(Self.ids(try other.call("GET", "/api/cues")).first == id)
      #expect(try Self.move(browser, id, to: "review").status == 200)
      #expect(try Self.move(other, id, to: "mastered").status == 200, "rebased on what the first device did")
      #expect(try backend.applied() == ["\(id) review", "\(id) mastered"])
      // The stored list is shown at once; an event reports changes.
      let stream = try browser.start("GET", "/api/events")
      _ = try stream.receive(until: "text/event-stream")
      #expect(try browser.call("GET", "/api/cues").json?["cues"]?.elements.first?["stage"]?.string == "review")
      _ = try stream.receive(until: #""kind":"synced""#)
      #expect(try browser.call("GET", "/api/cues").json?["cues"]?.elements.first?["stage"]?.string == "mastered")
    }
  }

  @Test func shufflingKeepsTheCuesAndChangesTheirOrder() async throws {
    try await Self.withBrowser { browser, _ in
      let before = Self.ids(try browser.call("GET", "/api/cues"))
      let answer = try browser.call("POST", "/api/cues/shuffle", "{}")
      let after = Self.ids(answer)
      #expect(answer.status == 200 && after != before && after.sorted() == before.sorted())
      #expect(Self.ids(try browser.call("GET", "/api/cues")) == after)
    }
  }

  @Test func whatIsWrongIsToldByItsCode() async throws {
    try await Self.withBrowser { browser, _ in
      let id = try #require(Self.ids(try browser.call("GET", "/api/cues")).first)
      let unknown = try Self.move(browser, id, to: "done")
      #expect(unknown.status == 400 && unknown.code == "invalid_request" && unknown.json?["field"]?.string == "stage")
      #expect(try browser.call("POST", "/api/cues/\(id)/stage", "{}").status == 400)
      for wrong in ["0", "%00", "..", id.uppercased()] {
        #expect(try Self.move(browser, wrong, to: "review").status == 404, "\(wrong)")
      }
      #expect(try browser.call("POST", "/api/logout").json?["session"]?["state"]?.string == "signed_out")
      for (method, path) in [("GET", "/api/cues"), ("POST", "/api/cues/shuffle"), ("POST", "/api/cues/\(id)/stage")] {
        let answer = try browser.call(method, path, method == "GET" ? nil : #"{"stage":"new"}"#)
        #expect(answer.status == 401 && answer.code == "signed_out", "\(path)")
      }
    }
  }

  @Test func aMoveThatCannotBeSentIsKeptAndHoldsTheLogout() async throws {
    try await Self.withBrowser { browser, backend in
      let ids = Self.ids(try browser.call("GET", "/api/cues"))
      try backend.block()
      let kept = try Self.move(browser, ids[0], to: "learning")
      #expect(kept.status == 202 && kept.json?["pending"]?.bool == true && kept.json?["stage"]?.string == "learning")
      #expect(try browser.call("POST", "/api/cues/shuffle", "{}").status >= 500, "shuffling is not queued")
      #expect(try browser.call("GET", "/api/state").json?["unsent_cue_edits"]?.int64 == 1)
      let held = try browser.call("POST", "/api/logout", "{}")
      #expect(held.status == 409 && held.code == "unsynced_edits")
      #expect(try browser.call("GET", "/api/state").json?["session"]?["state"]?.string == "authenticated")
      #expect(try browser.call("POST", "/api/logout", #"{"discard":true}"#).status == 200)
      try backend.unblock()
      try browser.signIn("dana@example.com")
      let stages = try browser.call("GET", "/api/cues").json?["cues"]?.elements.map { $0["stage"]?.string }
      #expect(Set(stages ?? []) == ["new"])
      #expect(try backend.applied().isEmpty, "a discarded edit is never sent")
    }
  }

  @Test func editsOfASessionThatEndedGoOutForTheirUserAlone() async throws {
    try await Self.withBrowser { browser, backend in
      let ids = Self.ids(try browser.call("GET", "/api/cues"))
      try backend.block()
      #expect(try Self.move(browser, ids[0], to: "learning").status == 202)
      try backend.endSessions()
      // The backend ends the session, and the edit stays.
      #expect(try browser.call("POST", "/api/session/refresh", "{}").status == 409)
      try backend.unblock()
      try browser.signIn("eli@example.com")
      let theirs = try browser.call("GET", "/api/cues")
      #expect(Set(Self.ids(theirs)).isDisjoint(with: ids))
      #expect(try browser.call("GET", "/api/state").json?["unsent_cue_edits"]?.int64 == 0)
      #expect(try browser.call("POST", "/api/logout").status == 200)
      #expect(try backend.applied().isEmpty)
      let stream = try browser.start("GET", "/api/events")
      _ = try stream.receive(until: "text/event-stream")
      try browser.signIn("dana@example.com")
      _ = try stream.receive(until: #""unsent":0"#)
      #expect(try backend.applied() == ["\(ids[0]) learning"])
    }
  }

  @Test func theEventTellsWhatACueShowsNow() async throws {
    try await Self.withBrowser { browser, _ in
      let id = try #require(Self.ids(try browser.call("GET", "/api/cues")).first)
      let stream = try browser.start("GET", "/api/events")
      _ = try stream.receive(until: "text/event-stream")
      #expect(try Self.move(browser, id, to: "review").status == 200)
      let text = try stream.receive(until: #""unsent":0"#)
      #expect(text.contains("event: cue") && text.contains(#""kind":"updated""#) && text.contains(id))
      #expect(!text.contains("dana@example.com"))
    }
  }

  @Test func aFactoryResetLeavesNoCueAndNoEdit() async throws {
    let folder = try TemporaryFolder()
    let data = folder.file("data")
    try await RunningConsoleTests.withConsole(["--data", data]) { _, port in
      let browser = ConsoleBrowser(port: port)
      try browser.makeDevice()
      try browser.signIn("dana@example.com")
      let ids = Self.ids(try browser.call("GET", "/api/cues"))
      try BackendCues(data: data).block()
      #expect(try Self.move(browser, ids[0], to: "learning").status == 202)
      #expect(try browser.call("DELETE", "/api/device").status == 204)
      let console = try DatabaseQueue(path: "\(data)/console.sqlite")
      for table in ["cue", "cue_list", "cue_owner", "cue_edit"] {
        #expect(try console.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") } == 0, "\(table)")
      }
    }
  }
}

/// The embedded backend's database, accessed from outside: counts every change of a stage and can make changes fail.
struct BackendCues {
  private let database: DatabaseQueue

  /// Opens it below the console's data folder and starts counting.
  init(data: String) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    database = try DatabaseQueue(path: "\(data)/backend/backend.sqlite", configuration: configuration)
    try database.write { db in
      try db.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS applied (number INTEGER PRIMARY KEY AUTOINCREMENT, cue_id TEXT, stage TEXT);
          CREATE TRIGGER IF NOT EXISTS count_applied AFTER UPDATE OF stage ON cue
          BEGIN INSERT INTO applied (cue_id, stage) VALUES (new.cue_id, new.stage); END;
          """)
    }
  }

  /// Every change of a stage so far, as `id stage`, in order.
  func applied() throws -> [String] {
    try database.read { try String.fetchAll($0, sql: "SELECT cue_id || ' ' || stage FROM applied ORDER BY number") }
  }

  /// Makes every change of a cue fail inside the backend.
  func block() throws {
    try database.write {
      try $0.execute(sql: "CREATE TRIGGER blocked BEFORE UPDATE ON cue BEGIN SELECT RAISE(ABORT, 'blocked'); END")
    }
  }

  /// Lets changes succeed again.
  func unblock() throws { try database.write { try $0.execute(sql: "DROP TRIGGER blocked") } }

  /// Ends every session, as an expiry would.
  func endSessions() throws {
    try database.write { try $0.execute(sql: "UPDATE session SET ended_at = 1, end_reason = 'user' WHERE ended_at IS NULL") }
  }
}

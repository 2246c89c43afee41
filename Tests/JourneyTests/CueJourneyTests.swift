import Foundation
import GRDB
import JSON
import Support
import Testing

/// Moves of cues survive a kill of the process and arrive once, in order, with the real program.
@Suite(.timeLimit(.minutes(3))) struct CueJourneyTests {
  /// A backend's database that counts every change of a stage, whether the program is running or not.
  struct Effects {
    let database: DatabaseQueue

    init(path: String) throws {
      var configuration = Configuration()
      configuration.busyMode = .timeout(10)
      database = try DatabaseQueue(path: path, configuration: configuration)
      try database.write { db in
        try db.execute(
          sql: """
            CREATE TABLE applied (number INTEGER PRIMARY KEY AUTOINCREMENT, cue_id TEXT, stage TEXT);
            CREATE TRIGGER count_applied AFTER UPDATE OF stage ON cue
            BEGIN INSERT INTO applied (cue_id, stage) VALUES (new.cue_id, new.stage); END;
            """)
      }
    }

    func all() throws -> [String] {
      try database.read { try String.fetchAll($0, sql: "SELECT cue_id || ' ' || stage FROM applied ORDER BY number") }
    }

    func block() throws {
      try database.write {
        try $0.execute(sql: "CREATE TRIGGER blocked BEFORE UPDATE ON cue BEGIN SELECT RAISE(ABORT, 'blocked'); END")
      }
    }

    func unblock() throws { try database.write { try $0.execute(sql: "DROP TRIGGER blocked") } }
  }

  static func ids(_ browser: ConsoleBrowser) throws -> [String] {
    try browser.call("GET", "/api/cues").json?["cues"]?.elements.compactMap { $0["cue_id"]?.string } ?? []
  }

  /// Returns once no edit is waiting, as the state or a later event says.
  static func waitUntilSent(_ browser: ConsoleBrowser) throws {
    let stream = try browser.start("GET", "/api/events")
    _ = try stream.receive(until: "text/event-stream")
    if try browser.call("GET", "/api/state").json?["unsent_cue_edits"]?.int64 == 0 { return }
    _ = try stream.receive(until: #""unsent":0"#)
  }

  @Test func pendingMovesSurviveAKillAndArriveOnceAndInOrder() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      var console = try ConsoleProcess(data: folder.path)
      let browser = ConsoleBrowser(port: console.port)
      try browser.makeDevice()
      try browser.signIn("dana@example.com")
      let ids = try Self.ids(browser)
      let effects = try Effects(path: "\(folder.path)/backend/backend.sqlite")
      try effects.block()
      let wishes = [
        (ids[0], "learning"), (ids[1], "review"), (ids[0], "review"), (ids[2], "mastered"), (ids[0], "mastered"), (ids[1], "new"),
      ]
      for (id, stage) in wishes {
        let answer = try browser.call("POST", "/api/cues/\(id)/stage", #"{"stage":"\#(stage)"}"#)
        #expect(answer.status == 202 && answer.json?["pending"]?.bool == true)
      }
      #expect(console.end(by: SIGKILL) == SIGKILL)
      // Still unreachable: the moves are shown from the store.
      console = try ConsoleProcess(data: folder.path, port: browser.port)
      let shown = try browser.call("GET", "/api/cues").json?["cues"]?.elements ?? []
      #expect(shown.prefix(3).map { $0["stage"]?.string } == ["mastered", "new", "mastered"])
      #expect(shown.prefix(4).map { $0["pending"]?.bool } == [true, true, true, false])
      #expect(try browser.call("GET", "/api/state").json?["unsent_cue_edits"]?.int64 == 6)
      #expect(try effects.all().isEmpty)
      #expect(console.end(by: SIGKILL) == SIGKILL)
      try effects.unblock()
      console = try ConsoleProcess(data: folder.path, port: browser.port)
      try Self.waitUntilSent(browser)
      #expect(try effects.all() == wishes.map { "\($0) \($1)" })
      #expect(console.end(by: SIGTERM) == 0)
    }
  }

  @Test func aKillWhileMovesAreOnTheirWayLosesNoneAndRepeatsNone() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      var console = try ConsoleProcess(data: folder.path)
      let browser = ConsoleBrowser(port: console.port)
      try browser.makeDevice()
      try browser.signIn("dana@example.com")
      let ids = try Self.ids(browser)
      let effects = try Effects(path: "\(folder.path)/backend/backend.sqlite")
      var acknowledged: [String] = []
      for round in 0..<6 {
        let stage = ["learning", "review"][round % 2]
        let sure = try browser.call("POST", "/api/cues/\(ids[0])/stage", #"{"stage":"\#(stage)"}"#)
        #expect(sure.status == 200 || sure.status == 202)
        acknowledged.append("\(ids[0]) \(stage)")
        // Some of these are killed before they are saved, some after, and some once the backend has them.
        let calls = try (1...5).map { number in
          try browser.start("POST", "/api/cues/\(ids[number])/stage", #"{"stage":"\#(stage)"}"#)
        }
        for (number, call) in calls.prefix(round).enumerated() {
          #expect((200...202).contains(try call.answer().status))
          acknowledged.append("\(ids[number + 1]) \(stage)")
        }
        #expect(console.end(by: SIGKILL) == SIGKILL)
        console = try ConsoleProcess(data: folder.path, port: browser.port)
        try Self.waitUntilSent(browser)
      }
      let applied = try effects.all()
      for (wish, count) in Dictionary(grouping: acknowledged, by: \.self).mapValues(\.count) {
        #expect(applied.count { $0 == wish } >= count, "\(wish) is lost")
      }
      // The stages alternate, so that a move that is applied twice would appear twice in a row.
      for id in ids {
        let own = applied.filter { $0.hasPrefix(id) }
        #expect(zip(own, own.dropFirst()).allSatisfy { $0 != $1 }, "\(own)")
      }
      #expect(console.end(by: SIGTERM) == 0)
    }
  }

  @Test func whileTheBackendIsAwayEverythingIsKeptAndItArrivesWhenItComesBack() async throws {
    let target = try await BackendTarget.start()
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let arguments = ["--backend", target.origin, "--ca", target.folder.file("data/certificate.pem")]
      var console = try ConsoleProcess(data: folder.path, arguments: arguments)
      let browser = ConsoleBrowser(port: console.port)
      try browser.makeDevice()
      #expect(try browser.call("POST", "/api/login/code", #"{"identifier":"dana@example.com"}"#).status == 202)
      let inbox = try BackendConnection(port: target.port, trusting: target.certificatePEM)
      try inbox.send(
        BackendTarget.request(
          "GET", "/dev/inbox?to=dana@example.com&wait=10", device: nil, token: BackendTarget.developersToken))
      let code = try inbox.answer().json?["messages"]?.elements.last?["code"]?.string ?? ""
      #expect(
        try browser.call("POST", "/api/login/code/verify", #"{"identifier":"dana@example.com","code":"\#(code)"}"#).status == 200)
      let ids = try Self.ids(browser)
      #expect(ids.count > 3)
      let effects = try Effects(path: target.folder.file("data/backend.sqlite"))

      #expect(target.process.end(by: SIGKILL) == SIGKILL)
      var wishes = [(ids[0], "review"), (ids[1], "mastered"), (ids[0], "learning")]
      for (id, stage) in wishes {
        #expect(try browser.call("POST", "/api/cues/\(id)/stage", #"{"stage":"\#(stage)"}"#).status == 202)
      }
      let shuffled = try browser.call("POST", "/api/cues/shuffle", "{}")
      #expect(shuffled.status == 503 && shuffled.code == "offline")
      let stream = try browser.start("GET", "/api/events")
      _ = try stream.receive(until: "text/event-stream")
      #expect(try Self.ids(browser) == ids)
      #expect(try stream.receive(until: #""kind":"sync_failed""#).contains("offline"))
      #expect(try browser.call("GET", "/api/cues").json?["source"]?.string == "cache")
      #expect(try browser.call("POST", "/api/logout", "{}").code == "unsynced_edits")

      #expect(console.end(by: SIGKILL) == SIGKILL)
      console = try ConsoleProcess(data: folder.path, port: browser.port, arguments: arguments)
      let kept = try browser.call("GET", "/api/cues")
      #expect(kept.json?["source"]?.string == "cache")
      #expect(kept.json?["cues"]?.elements.prefix(2).map { $0["stage"]?.string } == ["learning", "mastered"])
      wishes.append((ids[2], "review"))
      #expect(try browser.call("POST", "/api/cues/\(ids[2])/stage", #"{"stage":"review"}"#).status == 202)

      let backend = try BackendProcess(
        data: target.folder.file("data"), arguments: ["--port", String(target.port), "--limits", "off"])
      try Self.waitUntilSent(browser)
      #expect(try effects.all() == wishes.map { "\($0) \($1)" })
      #expect(console.end(by: SIGTERM) == 0)
      #expect(backend.end(by: SIGTERM) == 0)
    }
  }
}

import Composition
import Foundation
import JSON
import Storage
import Support
import Testing

/// A console whose proxy names persons, over real sockets.
@Suite(.timeLimit(.minutes(2))) struct PersonConsoleTests {
  /// The proxy connects from this machine: a request for which it names nobody must not count as that of the machine's user.
  @Test func whoIsNotNamedIsAStrangerOnThisMachineToo() async throws {
    let folder = try TemporaryFolder()
    let secret = "q7Zr0cXyT2mVhK9uLw4sBd8fGj1nPe6A"
    let path = try folder.write(secret, to: "secret")
    try await RunningConsoleTests.withConsole(["--person-header", "X-Email", "--person-secret-file", path]) { _, port in
      func status(_ fields: [(String, String)]) throws -> Int {
        let headers = fields + [("Content-Type", "application/json"), ("Origin", "http://localhost:\(port)")]
        return try LoopbackCall(
          port: port, method: "POST", target: "/api/devices", headers: headers, body: Array("{}".utf8), host: "localhost:\(port)"
        ).answer().status
      }
      let name = ("X-Email", "ann@example.com")
      let statuses = try [[], [name], [name, ("X-Understudy-Proxy-Secret", secret)]].map(status)
      #expect(statuses == [401, 401, 201])
    }
  }

  /// What was in a workspace that is gone, for whatever reason, goes at the next start; what belongs to everybody stays.
  @Test func recordingsOfNobodyGoAtTheStart() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("q7Zr0cXyT2mVhK9uLw4sBd8fGj1nPe6A", to: "secret")
    let flags = ["--person-header", "X-Email", "--person-secret-file", path]
    try await RunningConsoleTests.withConsole(["--data", folder.file("data")] + flags) { _, port in
      for name in ["ann@example.com", "ben@example.com"] {
        func call(_ target: String, _ body: String, _ key: String) throws -> LoopbackCall.Answer {
          let headers = [
            ("Content-Type", "application/json"), ("Origin", "http://localhost:\(port)"), ("X-Email", name),
            ("X-Understudy-Proxy-Secret", "q7Zr0cXyT2mVhK9uLw4sBd8fGj1nPe6A"), ("X-Device-Key", key),
          ]
          return try LoopbackCall(
            port: port, method: "POST", target: target, headers: headers, body: Array(body.utf8), host: "localhost:\(port)"
          ).answer()
        }
        let device = try call("/api/devices", "{}", "")
        let key = try #require(try JSONDocument(parsing: device.body).root["device_key"]?.string)
        #expect(try call("/api/recordings", #"{"title":"one"}"#, key).status == 201)
      }
    }
    // Each start has a copy: within one process, the lock of a folder may be held a little longer.
    for (copy, flags, count) in [("before", [], 2), ("after", flags, 1)] as [(String, [String], Int64)] {
      let data = folder.file(copy)
      try FileManager.default.copyItem(atPath: folder.file("data"), toPath: data)
      let storage = try SQLiteStorage(path: "\(data)/console.sqlite")
      try await storage.write { transaction in
        try transaction.execute(
          "DELETE FROM browser WHERE browser_id = (SELECT person_id FROM person WHERE name = ?)", "ann@example.com")
      }
      await storage.close()
      // A console that knows no persons cannot tell, and removes nothing.
      try await RunningConsoleTests.withConsole(["--data", data] + flags) { _, _ in }
      let evidence = try SQLiteStorage(path: "\(data)/evidence.sqlite")
      #expect(try await evidence.read { try $0.number("SELECT count(*) FROM recording") } == count, "\(copy)")
      await evidence.close()
    }
  }
}

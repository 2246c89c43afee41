import Composition
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
}

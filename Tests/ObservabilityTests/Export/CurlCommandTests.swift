import Foundation
import Redaction
import Support
import Testing
import Text

@testable import Observability

/// Runs copied `curl` commands in `sh` against a server that records what it receives.
@Suite(.timeLimit(.minutes(40)), .serialized) struct CurlCommandTests {
  private let folder: TemporaryFolder
  private let echo: EchoListener
  /// A file that anything escaping from its quotes would create.
  private static let canary = "CANARY"

  init() throws {
    folder = try TemporaryFolder()
    echo = try EchoListener()
  }

  private func send(_ command: CurlCommand, environment: [String: String] = [:]) async throws -> EchoListener.Received? {
    let folder = folder
    let script = command.script + "exit $?\n"
    let status = try await OwnThread.run {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = [try folder.write(script, to: "command.sh")]
      process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
      process.environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path, "no_proxy": "*"].merging(environment) { $1 }
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus
    }
    #expect(status == 0, "\(command.text.prefix(500))")
    return echo.take()
  }

  private static let pieces: [String] = [
    "'", "''", "\"", "\\", "$(touch CANARY)", "`touch CANARY`", "';touch CANARY;'", "' || touch CANARY #", "$HOME", "!!", "\n",
    "\t", "@/etc/passwd", "%s", "%00", "&", ";", "|", "<", ">", "*", "~", "{a,b}", "[1-3]", "é", "🌊", "\u{301}", "a", "Z", "0",
    " ", "--next", "-o", "CANARY", "\\'", "$'x'", "'\u{301}", "\\077", "‹token:nothex›", "‹",
  ]

  private func text(_ random: inout SplitMix, _ count: Int, without: Set<String> = []) -> String {
    (0..<random.below(count)).map { _ in Self.pieces[random.below(Self.pieces.count)] }.filter { !without.contains($0) }.joined()
  }

  private func body(_ random: inout SplitMix, _ number: Int) -> [UInt8] {
    switch number % 10 {
    case 0: (0..<random.below(4000)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    // Piped from `printf`, which must not read it as an option.
    case 1: Array(((number % 20 < 10 ? "-n" : "") + text(&random, 20) + "\0" + text(&random, 20) + "\u{1b}[31m\r").utf8)
    case 2 where number % 40 == 2: Array(String(repeating: text(&random, 30) + "x", count: 20_000).utf8.prefix(1 << 20))
    default: Array(text(&random, 40).utf8)
    }
  }

  @Test func whatIsCopiedIsWhatIsSent() async throws {
    let rounds = ProcessInfo.processInfo.environment["UNDERSTUDY_CURL_ROUNDS"].flatMap { Int($0) } ?? 60
    var random = SplitMix(state: 20_261_121)
    for number in 0..<rounds {
      let method = ["GET", "POST", "PUT", "PATCH", "DELETE"][random.below(5)]
      let query = PercentCoding.encode(text(&random, 12)) + "&x=[1-3]{a,b}'".replacing("'", with: "%27")
      let path = "/rpc/\(PercentCoding.encode(text(&random, 8)))/../x;y"
      let value = text(&random, 10, without: ["\n", "\t"]).trimmingCharacters(in: .whitespaces)
      let sent = body(&random, number)
      let hasBody = method != "GET" && number % 7 != 0
      let command = CurlCommand(
        method: method, url: "http://127.0.0.1:\(echo.port)\(path)?\(query)",
        headers: [("X-Fuzz", value), ("Content-Type", "application/json"), ("X-Empty", ""), ("@\(Self.canary)", "x")],
        body: hasBody ? sent : nil)
      guard let received = try await send(command) else {
        Issue.record("\(number): nothing arrived: \(command.text.prefix(300))")
        continue
      }
      let url = URLText.escaped("\(path)?\(query)")
      #expect(received.line == "\(method) \(url) HTTP/1.1", "\(number)")
      #expect(received.header("x-fuzz") ?? "" == value, "\(number): \(value.debugDescription)")
      #expect(received.header("x-empty") == "")
      #expect(received.body == (hasBody ? sent : []), "\(number): \(received.body.count) of \(sent.count) bytes")
      #expect(received.header("user-agent") == nil && received.header("accept") == nil)
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file(Self.canary)))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["command.sh"], "nothing else was written")
  }

  @Test func variablesStandInThePlaceOfSecrets() async throws {
    let example = ExportExample()
    let id = example.add(
      query: "email=\(ExportExample.email)",
      headers: [("Authorization", "Bearer \(ExportExample.token)"), ("X-Odd.Name", "s3cret")],
      body: #"{"again":"\#(ExportExample.token)","to":"\#(ExportExample.email)"}"#)
    let command = CurlCommand(try #require(example.log.detail(id: id)))
    #expect(command.variables == ["EMAIL", "ACCESS_TOKEN", "HEADER_X_ODD_NAME"])
    #expect(command.text.contains(#"--header 'Authorization: Bearer '"$ACCESS_TOKEN""#))
    #expect(command.text.contains(#"--data-raw '{"again":"'"$ACCESS_TOKEN"'","to":"'"$EMAIL"'"}'"#))
    #expect(command.text.contains(#"--url 'https://backend.test/rpc/get_cues?email='"$EMAIL""#))
    #expect(!command.text.contains("‹"))
    #expect(
      command.text.hasPrefix("# Placeholders for masked values: EMAIL, ACCESS_TOKEN, HEADER_X_ODD_NAME. Set them first.\ncurl "))
    var bare = try #require(example.log.detail(id: id))
    bare.request.body = nil
    bare.request.bodyNote = .notKept
    #expect(
      CurlCommand(bare).text.hasPrefix("# The body of this request was not stored. Add it with --data-raw.\n# Placeholders"))
    // If the variables are set, their values are sent, as text.
    let local = CurlCommand(
      method: "POST", url: "http://127.0.0.1:\(echo.port)/a", headers: [("Authorization", "Bearer ‹token:0a1b2c3d›")],
      body: Array(#"{"t":"‹token:0a1b2c3d›","u":"‹token:ffffffff›"}"#.utf8))
    #expect(local.variables == ["ACCESS_TOKEN", "TOKEN"])
    let values = ["ACCESS_TOKEN": "$(touch CANARY)'", "TOKEN": "`x`"]
    let received = try #require(try await send(local, environment: values))
    #expect(received.header("authorization") == "Bearer $(touch CANARY)'")
    #expect(String(decoding: received.body, as: UTF8.self) == #"{"t":"$(touch CANARY)'","u":"`x`"}"#)
    #expect(!FileManager.default.fileExists(atPath: folder.file(Self.canary)))
  }

  @Test func aScriptWithoutItsVariablesSendsNothing() async throws {
    let command = CurlCommand(
      method: "GET", url: "http://127.0.0.1:\(echo.port)/", headers: [("Authorization", "Bearer ‹token:0a1b2c3d›")], body: nil)
    let path = try folder.write(command.script, to: "script.sh")
    let run = try await ZipStreamTests.run("sh", [path], in: folder.path)
    #expect(run.status != 0 && run.output.contains("ACCESS_TOKEN"))
    #expect(echo.take() == nil)
  }

  @Test func onlyWhatIsAHeaderBecomesOne() {
    let command = CurlCommand(
      method: "BAD METHOD", url: "https://a.test/\u{7f} x",
      headers: [
        ("a b", "1"), ("@file", "2"), ("Good", "a\r\nEvil: b"), ("Host", "evil"), ("Content-Length", "1"), ("Fine", "ok"),
      ],
      body: nil)
    #expect(!command.text.contains("Evil") && !command.text.contains("evil") && !command.text.contains("@file"))
    #expect(command.text.contains("--header 'Fine: ok'") && command.text.contains("--request 'GET'"))
    #expect(command.text.contains("--url 'https://a.test/%7F%20x'"))
    let head = CurlCommand(method: "HEAD", url: "https://a.test/", headers: [("Accept-Encoding", "gzip")], body: nil)
    #expect(head.text.contains("--head") && head.text.contains("--compressed") && !head.text.contains("--request"))
  }
}

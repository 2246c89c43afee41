import Foundation
import Support
import Testing

@testable import Composition

@Suite(.timeLimit(.minutes(1))) struct CodeCommandTests {
  private func run(
    _ command: String, limit: Duration = .seconds(40), pause: Duration = .milliseconds(1),
    identifier: String = "somebody@example.com", spent: String? = nil
  ) async -> Result<String, CheckStop> {
    do throws(CheckStop) {
      return .success(
        try await CodeCommand(command: command, limit: limit, pause: pause).run(
          identifier: identifier, kind: "login_code", otherThan: spent))
    } catch {
      return .failure(error)
    }
  }

  @Test func whatItPrintsIsTrimmedAndItsArgumentsAreTheIdentifierAndTheKind() async {
    #expect(await run("printf ' \\n123456\\n\\n'") == .success("123456"))
    #expect(await run(#"printf '%s %s' "$1" "$2""#) == .success("somebody@example.com login_code"))
  }

  /// A console ignores SIGPIPE, and a writer without a reader would go on for ever if it did so too.
  @Test func whatItPrintsIntoAClosedPipeEndsIt() async {
    signal(SIGPIPE, SIG_IGN)
    #expect(await run("yes 123456 | head -n 1; ! grep -q '^SigIgn:.*[1-9a-f]...$' /proc/self/status") == .success("123456"))
  }

  @Test func nothingInAnIdentifierIsReadAsACommand() async throws {
    let folder = try TemporaryFolder()
    let hostile = "a';touch${IFS}\(folder.file("made"));`touch \(folder.file("too"))`$(touch \(folder.file("three")))@b.example"
    #expect(await run(#"echo "$1""#, identifier: hostile) == .success(hostile))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func oneThatDoesNotEndIsEndedWithAllThatItStarted() async throws {
    let folder = try TemporaryFolder()
    let late = await run("sleep 600 & echo $! > \(folder.file("pid")); echo 123456; sleep 600", limit: .seconds(1))
    #expect(late == .failure(.failed("--code-command did not end within 1 s")))
    let pid = try #require(Int32(try String(contentsOfFile: folder.file("pid"), encoding: .utf8).dropLast()))
    // A killed process is a zombie until init reaps it.
    let hasEnded = await eventually {
      let line = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
      return line?.split(separator: " ").dropFirst(2).first ?? "Z" == "Z"
    }
    #expect(hasEnded)
  }

  @Test func oneThatClosesItsOutputAndGoesOnIsLateToo() async {
    #expect(await run("exec >&-; sleep 600", limit: .seconds(1)) == .failure(.failed("--code-command did not end within 1 s")))
  }

  @Test func oneThatFailsOrHasNothingYetIsRunAgain() async throws {
    let folder = try TemporaryFolder()
    let third = "echo x >> \(folder.file("runs")); [ $(wc -l < \(folder.file("runs"))) -ge 3 ] && echo 654321"
    #expect(await run(third) == .success("654321"))
    // No other run begins whose pause would end after the limit.
    let limit = Duration.seconds(40)
    let pause = Duration.seconds(40)
    #expect(await run("exit 3", limit: limit, pause: pause) == .failure(.failed("--code-command: it failed")))
    #expect(await run("true", limit: limit, pause: pause) == .failure(.failed("--code-command: it printed nothing")))
    #expect(
      await run("echo 111111", limit: limit, pause: pause, spent: "111111")
        == .failure(.failed("--code-command: it printed the previous code again")))
  }

  @Test func ofMuchOutputTheBeginningIsRead() async throws {
    let text = try await run("yes 1 | tr -d '\\n' | head -c 1000000").get()
    #expect(text.utf8.count == 4096)
  }
}

import Foundation
import JSON
import Support
import Testing

/// `understudy check` as a build server runs it.
@Suite(.timeLimit(.minutes(3)), .serialized) struct CheckJourneyTests {
  /// A backend with a developer token, and the flags to reach it.
  private struct Target {
    let backend: BackendProcess
    let folder: TemporaryFolder
    let flags: [String]
    let token = "a-token-for-developers"

    init(_ arguments: [String] = []) throws {
      folder = try TemporaryFolder()
      let file = try folder.write(token, to: "token")
      backend = try BackendProcess(data: folder.file("data"), arguments: ["--dev-token-file", file] + arguments)
      let words = backend.readyLine.split(separator: " ").map(String.init)
      flags = ["--backend", words[3], "--pin", String(words[4].dropFirst(4)), "--ca", folder.file("data/certificate.pem")]
    }

    var inbox: [String] { ["--dev-token-file", folder.file("token")] }
  }

  private func outcomes(_ output: String) throws -> [String: String] {
    let checks = try #require(try JSONDocument(parsing: Array(output.utf8)).root["checks"]?.elements)
    return Dictionary(uniqueKeysWithValues: checks.map { ($0["id"]?.string ?? "", $0["outcome"]?.string ?? "") })
  }

  @Test func withoutABackendEverythingPassesInLessThanAQuarterOfAMinute() async throws {
    try await OwnThread.run {
      var status: Int32 = 0
      var error: String = ""
      var output: String = ""
      let isSoon = try MeasuredTime.isWithin(.seconds(15)) {
        (status, error, output) = try ConsoleProcess.run(["check"], environment: ["HTTPS_PROXY": "http://127.0.0.1:1"])
      }
      #expect(isSoon)
      #expect(status == 0 && error.isEmpty, "\(error)\(output)")
      let lines = output.split(separator: "\n").map(String.init)
      #expect(lines.filter { $0.hasPrefix("pass  ") }.count >= 37)
      #expect(lines.last?.contains(" passed, 0 failed, 0 skipped in ") == true)
      #expect(!output.contains("\u{1B}"), "no colour into a pipe")
    }
  }

  @Test func withADevelopersTokenEverythingButWhatHarmsOthersIsChecked() async throws {
    try await OwnThread.run {
      let target = try Target()
      let (status, error, output) = try ConsoleProcess.run(
        ["check", "--format", "json"] + target.flags + target.inbox)
      #expect(status == 0 && error.isEmpty, "\(error)\(output)")
      let outcomes = try outcomes(output)
      #expect(Set(outcomes.filter { $0.value == "skipped" }.keys) == ["bad-signature", "deletion", "refresh-expiry"])
      #expect(!outcomes.values.contains("failed"))
      #expect(!output.contains(target.token) && !output.contains("@example.com"))
      let again = try ConsoleProcess.run(["check"] + target.flags + target.inbox)
      #expect(again.status == 0, "the traces of a run do not affect the next: \(again.output)")
    }
  }

  @Test func deletionAndSignaturesAreCheckedWhereTheyAreAllowedAndGiven() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let secret = ["--api-id", "check", "--api-secret-file", try folder.write("a-signing-secret", to: "secret")]
      let target = try Target(secret)
      let (status, error, output) = try ConsoleProcess.run(
        ["check", "--format", "json", "--allow-deletion"] + secret + target.flags + target.inbox)
      #expect(status == 0, "\(error)\(output)")
      #expect(try outcomes(output).filter { $0.value == "skipped" }.keys.sorted() == ["refresh-expiry"])
      #expect(!output.contains("a-signing-secret"))
      let unsigned = try ConsoleProcess.run(["check", "--format", "json"] + target.flags)
      #expect(unsigned.status == 1)
      #expect(unsigned.output.contains("signature_rejected"))
    }
  }

  @Test func withoutASourceOfCodesWhatFollowsTheRequestIsSkipped() async throws {
    try await OwnThread.run {
      let target = try Target()
      let identifier = ["--identifier", "somebody@example.com"]
      let (status, _, output) = try ConsoleProcess.run(["check", "--format", "json"] + identifier + target.flags)
      #expect(status == 0)
      let outcomes = try outcomes(output)
      #expect(["request-code", "cooldown", "rate-limit"].allSatisfy { outcomes[$0] == "passed" })
      let skipped = ["wrong-code", "code-sign-in", "request-link", "link-sign-in", "account", "cue-update", "refresh", "logout"]
      #expect(skipped.allSatisfy { outcomes[$0] == "skipped" })
      #expect(output.contains("no source of codes") && !output.contains("somebody"))
    }
  }

  /// `test_foreign_check.py` has a command that prints links too.
  @Test func aCommandThatPrintsCodesIsEnough() async throws {
    try await OwnThread.run {
      let target = try Target(["--limits", "off"])
      // A script like the one a team writes for its staging mail, here for the backend's inbox.
      let script = try target.folder.write(
        """
        import json, ssl, sys, urllib.parse, urllib.request
        origin, token, anchor, identifier = sys.argv[1:]
        context = ssl.create_default_context(cafile=anchor)
        url = origin + "/dev/inbox?wait=5&to=" + urllib.parse.quote(identifier)
        request = urllib.request.Request(url, headers={"Authorization": "Bearer " + token})
        print(json.load(urllib.request.urlopen(request, context=context))["messages"][-1]["code"])
        """, to: "mail.py")
      let anchor = target.folder.file("data/certificate.pem")
      let command = "python3 \(script) \(target.flags[1]) \(target.token) \(anchor) \"$1\""
      let arguments = ["check", "--format", "json", "--identifier", "somebody@example.com", "--code-command"]
      let (status, error, output) = try ConsoleProcess.run(arguments + [command] + target.flags)
      #expect(status == 0, "\(error)\(output)")
      let outcomes = try outcomes(output)
      // Without limits there is no cooldown, and a command cannot advance a clock.
      let skipped = [
        "access-expiry", "bad-signature", "cooldown", "deletion", "foreign-state", "link-sign-in", "rate-limit", "refresh-expiry",
        "used-link",
      ]
      #expect(outcomes.filter { $0.value == "skipped" }.keys.sorted() == skipped)
      #expect(!outcomes.values.contains("failed") && !output.contains("somebody"))
      #expect(output.contains("so the code was used"))

      let wrong = try ConsoleProcess.run(arguments + ["echo 000000"] + target.flags)
      #expect(wrong.status == 1)
      let failed = try self.outcomes(wrong.output).filter { $0.value == "failed" }.keys.sorted()
      #expect(failed == ["code-sign-in", "link-sign-in"])
      #expect(!wrong.output.contains("000000"))
    }
  }

  @Test func theReportGoesToAFile() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let environment = ["UNDERSTUDY_FORMAT": "junit", "UNDERSTUDY_REPORT": folder.file("report.xml")]
      let (status, _, output) = try ConsoleProcess.run(["check"], environment: environment)
      #expect(status == 0 && output.isEmpty)
      let report = try String(contentsOfFile: folder.file("report.xml"), encoding: .utf8)
      #expect(report.hasPrefix("<?xml") && report.hasSuffix("</testsuites>\n") && report.contains("failures=\"0\""))
      let nowhere = try ConsoleProcess.run(["check", "--report", "/nonexistent/report"])
      #expect(nowhere.status == 66 && nowhere.error.contains("--report"))
    }
  }

  @Test(arguments: [
    (["--frobnicate"], 64), (["--format", "xml"], 64), (["--backend", "http://b.example"], 78),
    (["--dev-token-file", "/nonexistent"], 66), (["--format", "sarif"], 64), (["--backend", "https://127.0.0.1:1"], 69),
    (["--backend", "https://127.0.0.1:1", "--format", "json"], 69),
  ])
  func badUseAndABackendOutOfReachEndWithOneClearLine(arguments: [String], code: Int) async throws {
    try await OwnThread.run {
      let (status, error, output) = try ConsoleProcess.run(["check"] + arguments)
      #expect(Int(status) == code)
      #expect(output.isEmpty && !error.contains("Fatal"))
      if !arguments.contains("--frobnicate") { #expect(error.split(separator: "\n").count == 1, "\(error)") }
    }
  }
}

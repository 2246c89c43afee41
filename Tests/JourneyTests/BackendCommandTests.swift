import Foundation
import Support
import Testing

@Suite(.timeLimit(.minutes(2))) struct BackendCommandTests {
  @Test(arguments: [
    (["backend", "--frobnicate"], 64), (["backend", "--limits", "many"], 64), (["backend", "--registration", "maybe"], 64),
    (["backend", "--host", "example.com"], 64), (["backend", "--link-base", "nowhere"], 64), (["backend", "--api-id", "id"], 78),
    (["backend", "--tls-key", "/dev/null"], 78), (["backend", "--dev-token-file", "/nonexistent"], 66),
    (["backend", "--api-id", "id", "--api-secret-file", "/nonexistent"], 66), (["backend", "--data", "/proc/nonexistent"], 66),
  ])
  func badUseEndsWithOneClearLine(arguments: [String], code: Int) async throws {
    try await OwnThread.run {
      let (status, error, output) = try ConsoleProcess.run(arguments)
      #expect(Int(status) == code)
      #expect(output.isEmpty && !error.isEmpty && !error.contains("Fatal"))
      if code != 64 { #expect(error.split(separator: "\n").count == 1) }
    }
  }

  @Test func theReadyLineThePinTheLockAndTheEnd() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let first = try BackendProcess(data: folder.path)
      let line = first.readyLine.split(separator: " ").map(String.init)
      #expect(line.count == 5 && line.prefix(3) == ["understudy", "backend", "ready"])
      #expect(line[3].hasPrefix("https://127.0.0.1:") && !line[3].hasSuffix(":0"))
      #expect(line[4].hasPrefix("pin=sha256/"))
      let held = try ConsoleProcess.run(["backend", "--data", folder.path, "--port", "0"])
      #expect(held.status == 69 && held.error.contains("in use"))
      let port = line[3].split(separator: ":").last.map(String.init) ?? ""
      let busy = try ConsoleProcess.run(["backend", "--data", folder.file("other"), "--port", port])
      #expect(busy.status == 69 && busy.error.contains("--port"))
      #expect(first.end(by: SIGTERM) == 0)
      let second = try BackendProcess(data: folder.path)
      #expect(second.readyLine.hasSuffix(line[4]), "the pin stays")
      #expect(second.end(by: SIGINT) == 0)
    }
  }

  @Test func theEnvironmentIsReadAndAFlagWins() async throws {
    try await OwnThread.run {
      let environment = ["UNDERSTUDY_LIMITS": "many"]
      #expect(try ConsoleProcess.run(["backend"], environment: environment).status == 64)
      let flagged = try ConsoleProcess.run(["backend", "--limits", "off", "--api-id", "x"], environment: environment)
      #expect(flagged.status == 78)
    }
  }

  @Test func aDamagedDatabaseIsNamedAndLeftAlone() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      try folder.write(String(repeating: "not a database ", count: 100), to: "backend.sqlite")
      let (status, error, _) = try ConsoleProcess.run(["backend", "--data", folder.path, "--port", "0"])
      #expect(status == 66 && error.contains("backend.sqlite cannot be opened"))
    }
  }
}

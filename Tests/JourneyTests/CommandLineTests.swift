import Foundation
import Support
import Testing

@Suite(.timeLimit(.minutes(2))) struct CommandLineTests {
  @Test(arguments: [
    (["serve", "--frobnicate"], 64), (["serve", "--port", "eighty"], 64), (["serve", "--limits", "many"], 64),
    (["serve", "--backend", "http://staging.example"], 78), (["serve", "--public", "/nonexistent"], 66),
    (["serve", "--data", "/proc/nonexistent"], 66), (["serve", "--access-token-file", "/nonexistent"], 66),
    (["healthcheck", "--port", "1"], 69),
  ])
  func badUseEndsWithOneClearLine(arguments: [String], code: Int) async throws {
    try await OwnThread.run {
      let (status, error, output) = try ConsoleProcess.run(arguments)
      #expect(Int(status) == code)
      #expect(output.isEmpty)
      #expect(!error.isEmpty && !error.contains("Fatal"))
      #expect(error.split(separator: "\n").count == 1)
    }
  }

  @Test func versionAndHelpArePrinted() async throws {
    try await OwnThread.run {
      let version = try ConsoleProcess.run(["version"])
      #expect(version.status == 0 && version.output.split(separator: ".").count == 3)
      let help = try ConsoleProcess.run(["serve", "--help"])
      #expect(help.status == 0)
      for flag in ["--host", "--port", "--data", "--ephemeral", "--backend", "--pin", "--limits", "--public-origin"] {
        #expect(help.output.contains(flag), "\(flag)")
      }
    }
  }

  @Test func aBusyPortAndAHeldFolderAreNamed() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let console = try ConsoleProcess(data: folder.file("one"))
      #expect(console.readyLine == "understudy ready http://localhost:\(console.port) backend=embedded")
      let busy = try ConsoleProcess.run(["serve", "--data", folder.file("two"), "--port", String(console.port)])
      #expect(busy.status == 69 && busy.error.contains("--port"))
      let held = try ConsoleProcess.run(["serve", "--data", folder.file("one"), "--port", "0"])
      #expect(held.status == 69 && held.error.contains("in use"))
      #expect(try ConsoleProcess.run(["healthcheck", "--port", String(console.port)]).status == 0)
      #expect(console.end(by: SIGTERM) == 0)
    }
  }

  @Test func theEnvironmentIsRead() async throws {
    try await OwnThread.run {
      let environment = ["UNDERSTUDY_BACKEND": "http://staging.example", "UNDERSTUDY_EPHEMERAL": "1"]
      let (status, _, _) = try ConsoleProcess.run(["serve"], environment: environment)
      #expect(status == 78)
    }
  }

  @Test func aDamagedDatabaseIsNamedAndLeftAlone() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      try folder.write(String(repeating: "not a database ", count: 100), to: "console.sqlite")
      let (status, error, _) = try ConsoleProcess.run(["serve", "--data", folder.path, "--port", "0"])
      #expect(status == 66 && error.contains("console.sqlite cannot be opened"))
      let left = try String(contentsOfFile: folder.file("console.sqlite"), encoding: .utf8)
      #expect(left.hasPrefix("not a database"))
    }
  }
}

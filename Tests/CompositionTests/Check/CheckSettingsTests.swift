import Console
import Domain
import Support
import Testing

@testable import Composition

@Suite struct CheckSettingsTests {
  private func parse(_ arguments: [String], _ environment: [String: String] = [:]) throws -> Result<CheckSettings, StartFailure> {
    do {
      let command = try UnderstudyCommand.parsed(["check"] + arguments, EnvironmentFlags(environment))
      return .success(try CheckSettings(try #require(command as? CheckCommand), variables: [:]))
    } catch let failure as StartFailure {
      return .failure(failure)
    }
  }

  @Test(arguments: [
    (["--format", "xml"], 64), (["--timeout", "0"], 64), (["--timeout", "601"], 64), (["--log-level", "loud"], 64),
    (["--backend", "nowhere"], 64), (["--backend", "https://b.example", "--pin", "sha1/x"], 64),
    (["--backend", "https://b.example", "--identifier", "nobody at nowhere"], 64),
    (["--backend", "https://b.example", "--ca", "/nonexistent"], 66),
    (["--backend", "https://b.example", "--dev-token-file", "/nonexistent"], 66),
    (["--backend", "http://b.example"], 78), (["--pin", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="], 78),
    (["--ca", "/dev/null"], 78),
    (["--proxy", "http://p:1"], 78),
    (["--backend", "https://b.example", "--proxy", "ftp://p"], 78), (["--api-id", "x"], 78), (["--format", "sarif"], 64),
    (["--shard", "0/2"], 64), (["--shard", "2"], 64), (["--backend", "https://b.example", "--identifier", "a{shard}@b.co"], 78),
    (["--identifier", "a@b.example"], 78), (["--code-command", "true"], 78),
    (["--backend", "https://b.example", "--code-command", "true"], 78), (["--openapi", "/nonexistent"], 66),
    (["--openapi", "http://docs.example/"], 78),
  ])
  func badUseIsRefused(arguments: [String], code: Int) throws {
    guard case .failure(let failure) = try parse(arguments) else {
      Issue.record("\(arguments)")
      return
    }
    #expect(Int(failure.exitCode) == code)
    #expect(failure.message.contains(arguments.last { $0.hasPrefix("--") } ?? "") && !failure.message.contains("nobody at"))
  }

  @Test func codesComeFromOnePlace() throws {
    let folder = try TemporaryFolder()
    let token = try folder.write("a-token\n", to: "token")
    let both = [
      "--backend", "https://b.example", "--identifier", "a@b.example", "--dev-token-file", token, "--code-command", "true",
    ]
    guard case .failure(let failure) = try parse(both) else {
      Issue.record("both were taken")
      return
    }
    #expect(failure.exitCode == 78)
    guard case .developer("a-token") = try parse(Array(both.dropLast(2))).get().source else {
      Issue.record("no token")
      return
    }
  }

  @Test func theEnvironmentIsReadAndAFlagWins() throws {
    let environment = [
      "UNDERSTUDY_BACKEND": "https://b.example", "UNDERSTUDY_FORMAT": "junit", "UNDERSTUDY_ALLOW_DELETION": "1",
      "UNDERSTUDY_ALLOW_DRIFT": "yes", "UNDERSTUDY_IDENTIFIER": " Some.Body@B.example ", "UNDERSTUDY_TIMEOUT": "7",
    ]
    let settings = try parse(["--format", "json"], environment).get()
    #expect(settings.format == .json && settings.allowDeletion && settings.allowDrift && settings.timeout == .seconds(7))
    #expect(settings.remote?.origin.text == "https://b.example")
    #expect(settings.identifier?.text == "some.body@b.example")
    #expect(try parse([]).get().remote == nil && parse([]).get().openAPI == nil)
    #expect(try parse(["--format", "junit"]).get().format == .junit)
    let part = ["--backend", "https://b.example", "--shard", "2/3", "--identifier", "qa+{shard}@b.example"]
    #expect(try parse(part).get().identifier?.text == "qa+2@b.example")
  }
}

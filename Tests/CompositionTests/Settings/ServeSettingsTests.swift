import ArgumentParser
import Foundation
import Support
import Testing

@testable import Composition

extension ServeSettings {
  /// The settings of a command line and an environment; throws `StartFailure`.
  init(_ arguments: [String], _ environment: [String: String] = [:]) throws {
    let command = try UnderstudyCommand.parsed(["serve"] + arguments, EnvironmentFlags(environment))
    try self.init(try #require(command as? ServeCommand))
  }
}

@Suite struct ServeSettingsTests {
  static func failure(_ arguments: [String], _ environment: [String: String] = [:]) throws -> StartFailure? {
    let folder = try TemporaryFolder()
    try folder.write("", to: "login.html")
    var environment = environment
    if environment["UNDERSTUDY_PUBLIC"] == nil { environment["UNDERSTUDY_PUBLIC"] = folder.path }
    do {
      _ = try ServeSettings(arguments, environment)
      return nil
    } catch let failure as StartFailure {
      return failure
    }
  }

  /// A command line and its exit code.
  struct BadCase: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let code: Int32

    init(_ line: String, _ code: Int32) {
      arguments = line.split(separator: " ").map(String.init)
      self.code = code
    }

    var testDescription: String { arguments.joined(separator: " ") }
  }

  static let bad: [BadCase] = [
    BadCase("--host example.com", 64),
    BadCase("--limits many", 64),
    BadCase("--registration maybe", 64),
    BadCase("--loops 0", 64),
    BadCase("--drain-delay 301", 64),
    BadCase("--log-level loud", 64),
    BadCase("--backend staging", 64),
    BadCase("--backend http://staging.example", 78),
    BadCase("--backend https://staging.example/api", 64),
    BadCase("--backend https://s.example --pin sha1/AAAA", 64),
    BadCase("--pin sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", 78),
    BadCase("--proxy http://127.0.0.1:3128", 78),
    BadCase("--pin-report-only", 78),
    BadCase("--backend https://s.example --pin-report-only", 78),
    BadCase("--backend https://s.example --pin-file /nonexistent", 66),
    BadCase("--backend https://s.example --proxy proxy.example:3128", 78),
    BadCase("--backend https://s.example --proxy https://proxy.example:3128", 78),
    BadCase("--backend https://s.example --proxy http://user:word@proxy.example:3128", 78),
    BadCase("--backend https://s.example --proxy http://proxy.example:99999", 78),
    BadCase("--backend https://s.example --proxy http://proxy.example:3128/path", 78),
    BadCase("--backend https://s.example --ca /nonexistent", 66),
    BadCase("--backend https://s.example --ca /dev/null", 66),
    BadCase("--backend https://s.example --link-host https://a/b", 64),
    BadCase("--backend https://s.example --backend-file /nonexistent", 66),
    BadCase("--watch", 78),
    BadCase("--secrets /tmp", 78),
    BadCase("--api-id x", 78),
    BadCase("--mask x", 64),
    BadCase("--retry-pause 0", 64),
    BadCase("--retry-pause 1001", 64),
    BadCase("--mask-file /nonexistent", 66),
    BadCase("--tls-certificate /nonexistent --tls-key /nonexistent", 66),
    BadCase("--tls-key /nonexistent", 78),
    BadCase("--host 0.0.0.0", 78),
    BadCase("--host 0.0.0.0 --public-origin http://console.example", 78),
    BadCase("--public-origin console.example", 64),
    BadCase("--public /nonexistent", 66),
    BadCase("--ephemeral --data x", 64),
    BadCase("--openapi /nonexistent", 66),
    BadCase("--openapi /dev/null", 66),
    BadCase("--openapi http://docs.example/api.json", 78),
    BadCase("--person-header X-Email", 78),
    BadCase("--person-header X-Email --person-secret-file /nonexistent", 66),
    BadCase("--person-header Cookie --person-secret-file /nonexistent", 64),
    BadCase("--person-header X-Device-Key --person-secret-file /nonexistent", 64),
    BadCase("--person-header x-understudy-proxy-secret --person-secret-file /nonexistent", 64),
    BadCase("--person-header a:b --person-secret-file /nonexistent", 64),
    BadCase("--person-secret-file /nonexistent", 78),
    BadCase("--person-owner ann@example.com", 78),
    BadCase("--person-role tester", 78),
  ]

  @Test(arguments: bad)
  func badSettingsHaveTheirExitCode(bad: BadCase) throws {
    let failure = try #require(try Self.failure(bad.arguments))
    #expect(failure.exitCode == bad.code)
    #expect(!failure.message.contains("\n"))
  }

  @Test(arguments: [
    [], ["--host", "127.0.0.1"], ["--host", "0.0.0.0", "--public-origin", "http://localhost:8080"],
    ["--host", "::", "--public-origin", "https://console.example", "--behind-proxy"],
    ["--backend", "https://staging.example:8443/"],
  ])
  func goodSettingsAreTaken(arguments: [String]) throws {
    #expect(try Self.failure(arguments) == nil)
  }

  @Test func everyFlagIsAlsoInTheEnvironment() throws {
    #expect(try Self.failure([], ["UNDERSTUDY_LIMITS": "many"])?.exitCode == 64)
    #expect(try Self.failure([], ["UNDERSTUDY_PORT": "eighty"])?.exitCode == 64)
    #expect(try Self.failure([], ["UNDERSTUDY_PORT": "70000"])?.exitCode == 64)
    #expect(try Self.failure([], ["UNDERSTUDY_BACKEND": "http://staging.example"])?.exitCode == 78)
    #expect(try Self.failure([], ["UNDERSTUDY_BEHIND_PROXY": "perhaps"])?.exitCode == 64)
    #expect(try Self.failure([], ["UNDERSTUDY_HOST": "0.0.0.0"])?.exitCode == 78)
    #expect(try Self.failure([], ["UNDERSTUDY_ALLOW_LOCAL_USERS": "perhaps"])?.exitCode == 64)
    #expect(try Self.failure(["--allow-local-users"], ["UNDERSTUDY_ALLOW_LOCAL_USERS": "perhaps"]) == nil)
    #expect(try Self.failure([], ["UNDERSTUDY_LOG_LEVEL": "loud"])?.exitCode == 64)
    #expect(try Self.failure([], ["UNDERSTUDY_OPENAPI": "/nonexistent"])?.exitCode == 66)
  }

  @Test func aFileOfMaskedNamesIsReadLineByLine() throws {
    let folder = try TemporaryFolder()
    func failure(_ text: String) throws -> StartFailure? {
      try folder.write(text, to: "names")
      return try Self.failure([], ["UNDERSTUDY_MASK": "one, two", "UNDERSTUDY_MASK_FILE": folder.file("names")])
    }
    #expect(try failure("# of our backend\r\n\r\n tax-number \nblood group") == nil)
    #expect(try failure("tax-number\n-\n")?.message.contains("line 2") == true)
    #expect(try failure("# nothing\n")?.exitCode == 78)
    #expect(try failure(String(repeating: "name\n", count: 1001))?.exitCode == 78)
    #expect(try Self.failure([], ["UNDERSTUDY_MASK": "one, 2"])?.exitCode == 64)
  }

  @Test func thePersonsSecretIsOneThatNobodyGuesses() throws {
    let folder = try TemporaryFolder()
    func code(_ secret: String, mode: Int = 0o600, _ arguments: String...) throws -> Int32? {
      let path = try folder.write(secret, to: "secret")
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      return try Self.failure(["--person-header", "X-Email", "--person-secret-file", path] + arguments)?.exitCode
    }
    let secret = "q7Zr0cXyT2mVhK9uLw4sBd8fGj1nPe6A"
    #expect(try code(secret) == nil)
    #expect(try code(secret, "--person-role", "viewer", "--person-owner", "ann@example.com") == nil)
    #expect(try code("secret") == 78 && code("") == 66 && code(secret, mode: 0o644) == 78)
    #expect(try code(secret, "--person-role", "admin") == 64 && code(secret, "--person-owner", " ann") == 64)
  }

  @Test(arguments: [
    ("limits", "many", "'many' is not prod, relaxed or off"), ("loops", "65", "'65' is not a number from 1 to 64"),
    ("port", "eighty", "'eighty' is not a number from 0 to 65535"),
    ("host", "example.com", "'example.com' is not localhost or an IP address"),
    ("public-origin", "https://user:word@host/a", "'…@host/a' is not scheme://host[:port]"),
    ("public-origin", "https://user:word@host\n", "'…@host ' is not scheme://host[:port]"),
    ("person-owner", " ann", "' ann' is not a name"),
  ])
  func aRefusedValueIsNamedWithWhatItMustBe(flag: String, value: String, reason: String) throws {
    #expect(try Self.failure(["--\(flag)", value]) == .usage("--\(flag): \(reason)"))
    #expect(try Self.failure(["--\(flag)=\(value)"]) == .usage("--\(flag): \(reason)"))
    guard flag != "person-owner" else { return }
    let variable = "UNDERSTUDY_\(flag.uppercased().replacing("-", with: "_"))"
    #expect(try Self.failure([], [variable: value]) == .usage("\(variable): \(reason)"))
    #expect(try Self.failure(["--\(flag)", value], [variable: value]) == .usage("--\(flag): \(reason)"))
  }

  @Test func aMistakeInAFlagAndARequestForHelpComeBeforeTheEnvironment() throws {
    let environment = ["UNDERSTUDY_LIMITS": "many", "UNDERSTUDY_EPHEMERAL": "perhaps"]
    #expect(try Self.failure(["--loops", "0"], environment)?.message.hasPrefix("--loops") == true)
    #expect(try Self.failure(["--frobnicate"], environment)?.message == "Unknown option '--frobnicate' (see understudy --help)")
    for arguments in [["--help"], ["serve", "--help"], ["--version"], ["help"]] {
      do {
        let command = try UnderstudyCommand.parsed(arguments, EnvironmentFlags(environment))
        #expect(!(command is ServeCommand), "\(arguments)")
      } catch { #expect(UnderstudyCommand.exitCode(for: error) == .success, "\(error)") }
    }
    #expect(try UnderstudyCommand.parsed(["version"], EnvironmentFlags(environment)) is VersionCommand)
    #expect(try UnderstudyCommand.parsed([], EnvironmentFlags([:])) is ServeCommand)
    let database = try UnderstudyCommand.parsed(["database", "check"], EnvironmentFlags(["UNDERSTUDY_DATABASE": "postgres://a"]))
    #expect((database as? CheckSchemaCommand)?.options.database == "postgres://a")
  }

  @Test func onATerminalTheProgramAloneStartsAndOpensTheConsole() throws {
    func command(_ arguments: [String], _ variables: [String: String] = [:], isTerminal: Bool = true) throws
      -> any ParsableCommand
    {
      try UnderstudyCommand.parsed(arguments, EnvironmentFlags(variables), isTerminal: isTerminal)
    }
    #expect(try (command([]) as? StartCommand)?.serve.noOpen == false)
    #expect(try (command(["--no-open"]) as? StartCommand)?.serve.noOpen == true)
    #expect(try (command([], ["UNDERSTUDY_NO_OPEN": "1"]) as? StartCommand)?.serve.noOpen == true)
    #expect(try command([], isTerminal: false) is ServeCommand)
    #expect(try command(["serve"]) is ServeCommand)
    #expect(try command(["--port", "8080"]) is ServeCommand)
    #expect(try command([], ["UNDERSTUDY_PORT": "8080"]) is ServeCommand)
    #expect(try command([], ["UNDERSTUDY_SECRET_KEY": "x"]) is ServeCommand)
  }

  @Test func aFolderOfTheEnvironmentYieldsToWhatTakesItsPlace() throws {
    let environment = ["UNDERSTUDY_DATA": "/nonexistent", "UNDERSTUDY_API_ID": ""]
    #expect(try Self.failure(["--ephemeral"], environment) == nil)
    #expect(try Self.failure(["--ephemeral", "--data", "x"], environment)?.exitCode == 64)
    #expect(try Self.failure(["--ephemeral=yes"])?.exitCode == 64)
    #expect(try Self.failure(["--data="])?.exitCode == 64)
    #expect(try Self.failure([], ["UNDERSTUDY_API_ID": "x"])?.message.contains("--api-secret-file") == true)
  }

  @Test(arguments: ["PORT", "DEVICE_IDLE", "BEHIND_PROXY"])
  func whatIsWrongInTheEnvironmentIsNamedAsItStandsThere(name: String) throws {
    let failure = try #require(try Self.failure([], ["UNDERSTUDY_\(name)": "wrong"]))
    #expect(failure.message.contains("UNDERSTUDY_\(name)"), "\(failure.message)")
  }

  @Test func pagesNeverComeFromWorkingFolder() throws {
    let folder = try TemporaryFolder()
    let program = folder.file("bin")
    for pages in ["bin/Public", "share/understudy/Public"] {
      try FileManager.default.createDirectory(atPath: folder.file(pages), withIntermediateDirectories: true)
    }
    // The tests' working folder has a `Public` with pages.
    #expect(FileManager.default.fileExists(atPath: "Public/login.html"))
    #expect(throws: StartFailure.self) { try ServeSettings.publicFolder(nil, program: program) }
    try folder.write("", to: "share/understudy/Public/login.html")
    #expect(try ServeSettings.publicFolder(nil, program: program) == folder.file("share/understudy/Public"))
    try folder.write("", to: "bin/Public/login.html")
    #expect(try ServeSettings.publicFolder(nil, program: program) == folder.file("bin/Public"))
    #expect(try ServeSettings.publicFolder("Public", program: program) == "Public")
  }

  @Test func aFlagWinsOverTheEnvironment() throws {
    #expect(try Self.failure(["--limits", "off"], ["UNDERSTUDY_LIMITS": "many"]) == nil)
  }
}

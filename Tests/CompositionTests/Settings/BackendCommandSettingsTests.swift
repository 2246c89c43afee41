import Backend
import Storage
import Support
import Testing

@testable import Composition

@Suite struct BackendCommandSettingsTests {
  /// The settings of a command line, or why there are none.
  private func settings(
    _ arguments: [String], _ environment: [String: String] = [:]
  ) throws -> Result<BackendCommandSettings, StartFailure> {
    do {
      let command = try UnderstudyCommand.parsed(["backend"] + arguments, EnvironmentFlags(environment))
      return .success(try BackendCommandSettings(try #require(command as? BackendCommand)))
    } catch let failure as StartFailure {
      return .failure(failure)
    }
  }

  private func failure(_ arguments: [String], _ environment: [String: String] = [:]) throws -> StartFailure? {
    guard case .failure(let failure) = try settings(arguments, environment) else { return nil }
    return failure
  }

  private static let har = """
    {"log":{"entries":[{"request":{"method":"GET","url":"https://h/a"},"response":{"status":200,"content":{"text":"ok"}}}]}}
    """

  // MARK: Dialect

  @Test(arguments: ["strict", "seed", "camel", "problem"]) func aDialectIsSetByFlagOrEnvironment(name: String) throws {
    #expect(try settings(["--dialect", name]).get().dialect.rawValue == name)
    #expect(try settings([], ["UNDERSTUDY_DIALECT": name]).get().dialect.rawValue == name)
    #expect(try settings(["--dialect", name], ["UNDERSTUDY_DIALECT": "loud"]).get().dialect.rawValue == name)
  }

  @Test func theDefaultIsStrictAndAnythingElseAUsageError() throws {
    #expect(try settings([]).get().dialect == .strict)
    for name in ["loud", "Strict", "strict "] { #expect(try failure(["--dialect", name])?.exitCode == 64) }
    #expect(try failure([], ["UNDERSTUDY_DIALECT": "loud"])?.exitCode == 64)
  }

  // MARK: Replay

  @Test func aRecordingIsReadByFlagOrEnvironment() throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.har, to: "a.har")
    #expect(try settings([]).get().recording == nil)
    #expect(try settings(["--replay", folder.file("a.har")]).get().recording != nil)
    #expect(try settings([], ["UNDERSTUDY_REPLAY": folder.file("a.har")]).get().recording != nil)
  }

  @Test(arguments: [
    ("", "is neither a zip archive nor a HAR file"), ("<html>", "is neither a zip archive nor a HAR file"),
    ("{}", "is JSON, but not a HAR file"), (#"{"log":{"entries":[]}}"#, "is a HAR file without entries"),
    (#"{"log":{"entries":[{}]}}"#, "contains no answers"),
    ("PK\u{3}\u{4}", "is a zip archive that is damaged: it has no end, or was cut off"),
  ]) func aFileThatIsNoRecordingIsOneClearLine(content: String, reason: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(content, to: "a.har")
    let failure = try failure(["--replay", folder.file("a.har")])
    #expect(failure == .inputMissing("--replay: \(folder.file("a.har")) \(reason)"))
  }

  @Test func aFileThatCannotBeReadIsMissing() throws {
    let folder = try TemporaryFolder()
    for path in [folder.file("none.har"), folder.path, "/dev/null", "/dev/zero"] {
      #expect(try failure(["--replay", path]) == .inputMissing("--replay: \(path) cannot be read"))
    }
  }

  @Test(arguments: [("dialect", "camel"), ("limits", "off"), ("registration", "closed"), ("link-base", "https://h")])
  func whatARecordingSaysItselfCannotBeSet(flag: String, value: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.har, to: "a.har")
    let replay = ["--replay", folder.file("a.har")]
    #expect(try failure(replay + ["--\(flag)", value])?.exitCode == 64)
    let variable = "UNDERSTUDY_" + flag.uppercased().replacing("-", with: "_")
    let failure = try failure(replay, [variable: value])
    #expect(failure?.exitCode == 64 && failure?.message.hasPrefix("--\(flag) cannot be used with --replay") == true)
  }

  // MARK: Database

  private static let address = "postgres://a@localhost/x"

  @Test func aDatabaseTakesThePlaceOfTheDataFolder() throws {
    let folder = try TemporaryFolder()
    let key = ["--vault-key-file", folder.file("vault.key")]
    let alone = try settings([]).get()
    #expect(alone.database == nil && alone.dataFolder?.hasSuffix("-backend") == true)
    let shared = try settings(["--database", Self.address] + key).get()
    #expect(shared.database?.schema == "understudy_backend" && shared.dataFolder == nil)
    // A folder that the environment names for consoles and backends without one is not used.
    let environment = ["UNDERSTUDY_DATABASE": Self.address, "UNDERSTUDY_DATA": folder.path]
    let named = try settings(key, environment).get()
    #expect(named.database != nil && named.dataFolder == nil)
  }

  @Test(arguments: [("--data", "/nowhere"), ("--replay", "a.har")]) func whatBelongsToOneBackendCannotBeShared(
    flag: String, value: String
  ) throws {
    let failure = try failure(["--database", Self.address, "--vault-key-file", "key", flag, value])
    #expect(failure?.exitCode == 64)
    #expect(failure?.message.hasPrefix("--database cannot be combined with \(flag)") == true)
  }

  @Test func aDatabaseNeedsAKeyAndAKeyADatabase() throws {
    let missing = try failure(["--database", Self.address])
    #expect(missing == .configuration("--database requires --vault-key-file, the same for every backend"))
    let idle = try failure(["--vault-key-file", "key"])
    #expect(idle?.exitCode == 64 && idle?.message.hasPrefix("--vault-key-file requires --database") == true)
    #expect(try settings([], ["UNDERSTUDY_VAULT_KEY_FILE": "key"]).get().database == nil, "it may be that of a console")
  }

  @Test func anAddressIsReadAsThatOfAConsole() throws {
    #expect(try failure(["--database", "mysql://a@localhost/x"])?.exitCode == 64)
    #expect(try failure(["--database", "postgres://a@db.example/x?sslmode=prefer"])?.exitCode == 78)
    #expect(try failure(["--database", Self.address, "--database-password-file", "/nowhere"])?.exitCode == 66)
  }
}

import ArgumentParser
import Foundation
import Reactor
import Support
import Testing

@testable import Composition

@Suite struct DiagnosisTests {
  /// The findings of a command line; the pages are there unless the line names others.
  private func findings(_ folder: TemporaryFolder, _ arguments: [String] = []) async throws -> [DoctorFinding.Subject:
    DoctorFinding]
  {
    try folder.write("", to: "login.html")
    var all = ["doctor", "--data", folder.file("data"), "--public", folder.path, "--port", "0"]
    if arguments.contains("--database") { all = ["doctor", "--public", folder.path, "--port", "0"] }
    let command = try UnderstudyCommand.parsed(all + arguments, EnvironmentFlags([:]))
    let found = await Diagnosis(try #require(command as? DoctorCommand), variables: [:]).findings()
    return Dictionary(uniqueKeysWithValues: found.map { ($0.check, $0) })
  }

  private func data(_ folder: TemporaryFolder) throws {
    try FileManager.default.createDirectory(
      atPath: folder.file("data"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  @Test func aFirstStartIsHealthyAndNothingIsMade() async throws {
    let folder = try TemporaryFolder()
    let found = try await findings(folder)
    #expect(found.values.allSatisfy { $0.state == .ok })
    #expect(Set(found.keys) == [.version, .pages, .data, .key, .port, .backend])
    #expect(found[.version]?.text == "understudy \(Version.text)" && found[.data]?.text.contains("does not exist yet") == true)
    #expect(!FileManager.default.fileExists(atPath: folder.file("data")))
  }

  @Test func missingPagesAreAProblem() async throws {
    let folder = try TemporaryFolder()
    #expect(try await findings(folder, ["--public", "/nonexistent"])[.pages]?.state == .problem)
  }

  @Test func theSizeOfTheDataIsTold() async throws {
    let folder = try TemporaryFolder()
    try data(folder)
    try folder.write(String(repeating: "x", count: 1_540_000), to: "data/file")
    #expect(try await findings(folder)[.data]?.text == "\(folder.file("data")), 1.5 MB")
  }

  @Test func aFolderThatAConsoleUsesIsHealthy() async throws {
    let folder = try TemporaryFolder()
    let held = try DataFolder(path: folder.file("data"))
    let found = try await findings(folder)
    #expect(found[.data]?.state == .ok && found[.data]?.text.hasSuffix(", in use by a console") == true)
    withExtendedLifetime(held) {}
  }

  @Test func aFolderThatOthersCanReadIsAProblem() async throws {
    let folder = try TemporaryFolder()
    try data(folder)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.file("data"))
    let found = try await findings(folder)
    #expect(found[.data]?.state == .problem && found[.data]?.text.contains("mode 755") == true)
  }

  @Test func aKeyThatIsLostOrBrokenIsAProblem() async throws {
    let folder = try TemporaryFolder()
    try data(folder)
    #expect(try await findings(folder)[.key]?.state == .ok)
    try folder.write("sealed", to: "data/console.sqlite")
    #expect(try await findings(folder)[.key]?.text.contains("is missing") == true)
    try folder.write("no key", to: "data/vault.key")
    #expect(try await findings(folder)[.key]?.text.contains("does not contain a 32-byte key") == true)
    try folder.write(String(repeating: "0f", count: 32), to: "data/vault.key")
    #expect(try await findings(folder)[.key] == .ok(.key, folder.file("data/vault.key")))
  }

  @Test func aPortOfAnotherProgramIsAProblem() async throws {
    let folder = try TemporaryFolder()
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    // Bound and not listening, so that the health probe is refused at once.
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(descriptor, $0, length)
        _ = getsockname(descriptor, $0, &length)
      }
    }
    let port = String(UInt16(bigEndian: address.sin_port))
    let found = try await findings(folder, ["--port", port])
    #expect(found[.port]?.state == .problem && found[.port]?.text.contains(port) == true)
  }

  @Test func aWrongBackendFlagAndADatabaseWithoutAKeyAreProblems() async throws {
    let folder = try TemporaryFolder()
    #expect(try await findings(folder, ["--backend", "http://staging.example"])[.backend]?.state == .problem)
    #expect(
      try await findings(folder, ["--backend", "https://127.0.0.1:1", "--ca", "/nonexistent"])[.backend]?.state == .problem)
    let shared = try await findings(folder, ["--database", "postgres://u@staging.example/x?sslmode=disable"])
    #expect(shared[.data] == nil && shared[.key]?.state == .problem && shared[.database]?.state == .problem)
  }
}

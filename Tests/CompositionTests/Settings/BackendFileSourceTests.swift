import BackendFile
import Client
import Console
import Foundation
import Support
import Testing

@testable import Composition

/// What a backend file may read and where its requests may go (contract 5.2, point 2, and the key `request`).
struct BackendFileSourceTests {
  private let folder: TemporaryFolder
  private let backend = Origin("https://api.example")

  init() throws { folder = try TemporaryFolder() }

  private func source(
    _ text: String, secrets: String? = nil, hosts: [String] = [], variables: [String: String] = [:]
  ) throws -> BackendFileSource {
    let path = try folder.write("understudy: 1\n\(text)", to: "backend.yaml")
    return BackendFileSource(
      path: path, secretsFolder: secrets, hosts: hosts.compactMap { AllowedHost($0) }, isWatched: false, variables: variables)
  }

  private func failure(_ source: BackendFileSource, backend: Origin?) throws -> StartFailure {
    try #require(throws: StartFailure.self) { _ = try source.read(backend: backend) }
  }

  private static let secret = "calls: {login_with_password: {request: POST /in, form: {id: \"${CLIENT}\", p: \"{password}\"}}}"

  @Test func aSecretComesFromItsVariableOrItsFile() throws {
    let variable = try source(Self.secret, variables: ["UNDERSTUDY_SECRET_CLIENT": "one"])
    #expect(try variable.read(backend: backend).content.secrets == ["CLIENT": "one"])
    let path = try folder.write("two\n", to: "CLIENT")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect(try source(Self.secret, secrets: folder.path).read(backend: backend).content.secrets == ["CLIENT": "two"])
  }

  @Test func noOtherVariableIsRead() throws {
    let failure = try failure(source(Self.secret, variables: ["CLIENT": "x", "UNDERSTUDY_CLIENT": "y"]), backend: backend)
    #expect(failure.exitCode == 78 && failure.message.contains("set UNDERSTUDY_SECRET_CLIENT"))
  }

  @Test func requestsGoToHostsThatTheUserNames() throws {
    let text = "calls: {login_with_password: {request: POST https://id.example/in, json: {p: \"{password}\"}}}"
    let failure = try failure(source(text), backend: backend)
    #expect(failure.exitCode == 78 && failure.message.contains("backend.yaml:2:"))
    #expect(failure.message.hasSuffix("id.example is not the backend's host: allow it with --backend-file-host id.example"))
    #expect(throws: Never.self) { try source(text, hosts: ["id.example"]).read(backend: backend) }
  }

  @Test func theAddressOfTheFileCountsIfItsHostIsAllowed() throws {
    let text = "url: https://api.example\ncalls: {login_with_password: {request: POST /in, json: {p: \"{password}\"}}}"
    let refused = try failure(source(text), backend: nil)
    #expect(refused.exitCode == 78 && refused.message.contains("url: the host is not allowed"))
    #expect(try source(text, hosts: ["api.example"]).read(backend: nil).origin == backend)
  }

  @Test func aMissingFileIsNoInput() throws {
    let source = BackendFileSource(path: folder.file("none"), secretsFolder: nil, hosts: [], isWatched: false, variables: [:])
    #expect(try failure(source, backend: backend).exitCode == 66)
  }
}

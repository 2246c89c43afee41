import Foundation
import GRDB
import JSON
import Support
import Testing

/// A running `understudy backend` as an attacker sees it, with the developer token for its clock, inbox and limits.
final class BackendTarget: Sendable {
  /// The one that the attacks of a run share.
  @TaskLocal static var shared: BackendTarget?

  static let developersToken = "token-of-the-developers-who-attack"
  let folder: TemporaryFolder
  let process: BackendProcess
  let port: UInt16
  let certificatePEM: String

  /// Starts the program with a folder, by default a new one.
  static func start(_ folder: TemporaryFolder? = nil, arguments: [String] = [], hasDevelopers: Bool = true) async throws
    -> BackendTarget
  {
    let folder = try folder ?? TemporaryFolder()
    return try await OwnThread.run { try BackendTarget(folder, arguments, hasDevelopers: hasDevelopers) }
  }

  private init(_ folder: TemporaryFolder, _ arguments: [String], hasDevelopers: Bool) throws {
    self.folder = folder
    let token = try folder.write(Self.developersToken, to: "developers-token")
    let limits = arguments.contains("--limits") ? [] : ["--limits", "off"]
    process = try BackendProcess(
      data: folder.file("data"),
      arguments: limits + (hasDevelopers ? ["--dev-token-file", token] : []) + ["--log-level", "info"] + arguments,
      log: folder.file("log"))
    let origin = process.readyLine.split(separator: " ").dropFirst(3).first ?? ""
    port = origin.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
    certificatePEM = try String(contentsOfFile: folder.file("data/certificate.pem"), encoding: .utf8)
  }

  /// `https://127.0.0.1:port`.
  var origin: String { "https://127.0.0.1:\(port)" }

  /// What the program logged so far.
  func log() throws -> String { try String(contentsOfFile: folder.file("log"), encoding: .utf8) }

  /// Sends a request's bytes over a new connection and returns the response.
  func exchange(_ request: [UInt8], isHead: Bool = false) async throws -> BackendReply {
    let port = port
    let pem = certificatePEM
    return try await OwnThread.run {
      let connection = try BackendConnection(port: port, trusting: pem)
      try connection.send(request)
      return try connection.answer(toHead: isHead)
    }
  }

  /// Sends all requests before it reads any response, each over its own connection; returns the responses in order.
  func atOnce(_ requests: [[UInt8]]) async throws -> [BackendReply] {
    let port = port
    let pem = certificatePEM
    return try await OwnThread.run {
      let connections = try requests.map { _ in try BackendConnection(port: port, trusting: pem) }
      for (connection, request) in zip(connections, requests) { try connection.send(request) }
      return try connections.map { try $0.answer() }
    }
  }

  /// The bytes of a request; `fields` are complete lines.
  static func request(
    _ method: String, _ target: String, _ body: String? = nil, device: String? = "device-one", token: String? = nil,
    fields: [String] = [], host: String = "127.0.0.1", type: String = "application/json"
  ) -> [UInt8] {
    let lines =
      ["\(method) \(target) HTTP/1.1", "Host: \(host)"] + (device.map { ["X-Device-ID: \($0)"] } ?? [])
      + (token.map { ["Authorization: Bearer \($0)"] } ?? []) + fields
      + (body.map { ["Content-Type: \(type)", "Content-Length: \($0.utf8.count)"] } ?? [])
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")).utf8)
  }

  /// One call.
  @discardableResult
  func send(
    _ method: String, _ target: String, _ body: String? = nil, device: String? = "device-one", token: String? = nil,
    fields: [String] = [], host: String = "127.0.0.1", type: String = "application/json"
  ) async throws -> BackendReply {
    let request = Self.request(
      method, target, body, device: device, token: token, fields: fields, host: host, type: type)
    return try await exchange(request, isHead: method == "HEAD")
  }

  /// The number that a statement returns, read from the program's own database file.
  func count(_ sql: String, _ argument: String? = nil) async throws -> Int {
    var configuration = Configuration()
    configuration.readonly = true
    let database = try DatabaseQueue(path: folder.file("data/backend.sqlite"), configuration: configuration)
    return try await database.read { db in
      try Int.fetchOne(db, sql: sql, arguments: argument.map { [$0] } ?? []) ?? -1
    }
  }

  /// Changes the program's database file from outside.
  func tamper(_ sql: String) async throws {
    let database = try DatabaseQueue(path: folder.file("data/backend.sqlite"))
    try await database.writeWithoutTransaction { db in try db.execute(sql: sql) }
  }
}

/// Starts one backend for all attacks of a suite and stops it after them.
struct BackendUnderAttack: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let target = try await BackendTarget.start()
    try await BackendTarget.$shared.withValue(target) { try await function() }
    let code = try await OwnThread.run { target.process.end(by: SIGTERM) }
    #expect(code == 0, "it ran until the end of the suite")
  }
}

extension Trait where Self == BackendUnderAttack {
  /// One running backend for all tests of the suite.
  static var backendUnderAttack: Self { Self() }
}

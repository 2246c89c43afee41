import BackendFile
import Domain
import Foundation
import HTTPTypes
import Locking
import Observability
import Redaction
import Support

@testable import Client

/// A client whose backend a file describes, and which answers in a given order.
final class FileHarness: Sendable {
  /// An answer with JSON.
  struct Answer: Sendable {
    var status = 200
    var body = "{}"
    var headers: HTTPFields = [:]
  }

  let time = DrivenTime()
  let secrets = SecretRegistry(tagKey: [1, 2, 3])
  let log: NetworkLog
  let stack: ClientStack
  let store = MemoryTokenStore()
  let signIns = MemorySignInStore()
  private let file: ActiveBackendFile
  private let script: Script

  /// What was sent, and what is still to be answered.
  private final class Script: Sendable {
    let requests = Locked<[TransportRequest]>([])
    let answers: Locked<[Answer]>
    let isOffline = Locked(false)

    init(_ answers: [Answer]) { self.answers = Locked(answers) }
  }

  /// With a file of `Documentation/backends`.
  convenience init(_ name: String, secrets: [String: String] = [:], _ answers: [Answer]) throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let bytes = [UInt8](try Data(contentsOf: root.appending(path: "Documentation/backends/\(name).yaml")))
    try self.init(BackendDefinition(parsing: bytes, file: "\(name).yaml"), secrets: secrets, answers)
  }

  /// With a file of its own.
  convenience init(text: String, _ answers: [Answer]) throws {
    try self.init(BackendDefinition(parsing: Array("understudy: 1\n\(text)".utf8), file: "x.yaml"), secrets: [:], answers)
  }

  private init(_ definition: BackendDefinition, secrets: [String: String], _ answers: [Answer]) throws {
    file = ActiveBackendFile(ActiveBackendFile.Content(definition: definition, secrets: secrets))
    script = Script(answers)
    log = NetworkLog(capacity: 100, bodyBytes: 1 << 20, registry: self.secrets) { _ in }
    stack = Self.makeStack(file, store, signIns, log, self.secrets, time, script)
  }

  /// The same device after a restart of its process.
  func relaunched() -> ClientStack { Self.makeStack(file, store, signIns, log, secrets, time, script) }

  private static func makeStack(
    _ file: ActiveBackendFile, _ store: MemoryTokenStore, _ signIns: MemorySignInStore, _ log: NetworkLog,
    _ secrets: SecretRegistry, _ time: DrivenTime, _ script: Script
  ) -> ClientStack {
    var configuration = ClientConfiguration(origin: "https://backend.test", backendID: "backend", deviceID: "device")
    configuration.backendFile = file
    let transport = Transport { request async throws(TransportError) in
      script.requests.withLock { $0.append(request) }
      if script.isOffline.withLock({ $0 }) { throw .offline(kind: .cannotConnect) }
      guard let answer = script.answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { throw .timedOut(.idle) }
      var headers = answer.headers
      if headers[.contentType] == nil { headers[.contentType] = "application/json" }
      return TransportResponse(status: answer.status, headers: headers, body: Array(answer.body.utf8))
    }
    return ClientStack(
      configuration: configuration, transport: transport, tokens: store, log: log, secrets: secrets, time: time.time,
      logger: ClientHarness.silent, signIns: signIns, backoff: .none, random: { 0.5 })
  }

  /// Makes the backend unreachable, or reachable again.
  func set(offline: Bool) { script.isOffline.withLock { $0 = offline } }

  /// What was sent: method, address, header fields in order, and body.
  var sent: [String] {
    script.requests.withLock { $0 }.map { request in
      let headers = request.headers.map { "\($0.name.rawName): \($0.value)" }.joined(separator: ", ")
      return "\(request.method) \(request.url) [\(headers)] \(String(decoding: request.body ?? [], as: UTF8.self))"
    }
  }

  /// Every row with its bodies and headers, as text.
  var shown: String {
    log.flush()
    return log.rows().events.compactMap { log.detail(id: $0.id) }.map { "\($0)" }.joined(separator: "\n")
  }

  var rows: [NetworkRow] {
    log.flush()
    return log.rows().events
  }

  func signIn(_ identifier: String = "ada@example.com", password: String = "correct horse 9") async throws {
    try await stack.auth.redeemPassword(Identifier(normalizing: identifier), password, [:])
  }
}

/// Keeps an unfinished sign-in in memory.
final class MemorySignInStore: SignInStore {
  private let kept = Locked<UnfinishedSignIn?>(nil)

  func load() throws(TokenStoreError) -> UnfinishedSignIn? { kept.withLock { $0 } }
  func save(_ signIn: UnfinishedSignIn) throws(TokenStoreError) { kept.withLock { $0 = signIn } }
  func clear() throws(TokenStoreError) { kept.withLock { $0 = nil } }
}

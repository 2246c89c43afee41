import Client
import Domain
import HTTPTypes
import Logging
import Observability
import Redaction
import RPC
import Storage
import Support
import Vault

/// A complete client on a scripted backend, with an in-memory database and a manual clock.
struct ClientHarness {
  let backend = ScriptedBackend()
  let time = DrivenTime()
  let storage: SQLiteStorage
  let key = SealingKey.random()
  let secrets = SecretRegistry(tagKey: [1, 2, 3])
  let log: NetworkLog
  let stack: ClientStack

  static let configuration = ClientConfiguration(
    origin: "https://backend.test:8443", backendID: "backend", deviceID: "device", apiID: "app", apiSecret: "signing-secret")

  init(
    configuration: ClientConfiguration = Self.configuration, backoff: Backoff = .standard,
    logger: Logger = Self.silent, store: (any TokenStore)? = nil,
    onAttempt: @escaping @Sendable (AttemptReport) -> Void = { _ in }
  ) throws {
    storage = try SQLiteStorage(path: nil)
    try storage.writeAndWait { try $0.run(script: StorageDialect.sqlite.script(SealedTokenStore.schema)) }
    log = NetworkLog(capacity: 5000, bodyBytes: 1 << 20, registry: secrets) { _ in }
    stack = Self.makeStack(configuration, backend, storage, key, log, secrets, time, backoff, logger, store, onAttempt)
  }

  /// A logger that drops everything.
  static let silent = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

  /// The same device after a restart of its process.
  func relaunched(configuration: ClientConfiguration = Self.configuration) -> ClientStack {
    Self.makeStack(configuration, backend, storage, key, log, secrets, time, .standard, Self.silent, nil) { _ in }
  }

  /// The store of the harness's device.
  var store: SealedTokenStore { SealedTokenStore(storage: storage, key: key, backendID: "backend", deviceID: "device") }

  var session: SessionController { stack.session }

  /// Signs in with a code.
  func signIn() async throws {
    try await stack.auth.redeemCode(Identifier(normalizing: "someone@example.org"), "123456", [:])
  }

  /// Calls `/rpc/me` and returns the result.
  func me() async -> Result<MeBody, NetworkError> {
    await Self.result { () throws(NetworkError) in try await stack.api.send(AccountEndpoints.Me()) }
  }

  static func result<Value>(_ body: () async throws(NetworkError) -> Value) async -> Result<Value, NetworkError> {
    do throws(NetworkError) { return .success(try await body()) } catch { return .failure(error) }
  }

  /// Waits until `count` calls wait for a refresh.
  func waitForRefreshWaiters(_ count: Int) async {
    await eventually { await session.waitingCount >= count }
  }

  /// Waits until `count` calls wait for connectivity.
  func waitForConnectivityWaiters(_ count: Int) async {
    await eventually { stack.connectivity.waitingCount >= count }
  }

  private static func makeStack(
    _ configuration: ClientConfiguration, _ backend: ScriptedBackend, _ storage: SQLiteStorage, _ key: SealingKey,
    _ log: NetworkLog,
    _ secrets: SecretRegistry, _ time: DrivenTime, _ backoff: Backoff, _ logger: Logger,
    _ store: (any TokenStore)?, _ onAttempt: @escaping @Sendable (AttemptReport) -> Void
  ) -> ClientStack {
    ClientStack(
      configuration: configuration, transport: backend.transport,
      tokens: store
        ?? SealedTokenStore(
          storage: storage, key: key, backendID: configuration.backendID, deviceID: configuration.deviceID),
      log: log,
      secrets: secrets, time: time.time, logger: logger, backoff: backoff, random: { 0.5 }, onAttempt: onAttempt)
  }
}

extension Backoff {
  /// Attempts follow at once.
  static let none = Backoff(first: .zero)
}

/// An authenticated call that changes something and has no idempotency key, so it is never retried.
struct PlainPost: APIEndpoint {
  typealias RequestBody = NoBody
  typealias ResponseBody = NoBody
  static let path = "/rpc/plain_post"
  static let method = HTTPRequest.Method.post
  static let requiresAuth = true
}

/// An authenticated call that changes something and may be retried, since it has an idempotency key.
struct KeyedPost: APIEndpoint {
  typealias RequestBody = NoBody
  typealias ResponseBody = NoBody
  static let path = "/rpc/keyed_post"
  static let method = HTTPRequest.Method.post
  static let requiresAuth = true
  static let idempotencyKey = IdempotencyKeyStrategy.perCall
}

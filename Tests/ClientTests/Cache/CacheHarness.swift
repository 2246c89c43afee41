import Domain
import FoundationEssentials
import HTTPTypes
import JSON
import Logging
import Observability
import Redaction
import RPC
import Storage
import Support
import Locking
import Vault

@testable import Client

/// A complete client with its cache in a real folder, on a scripted backend that sends validators.
final class CacheHarness: Sendable {
  let backend = ScriptedBackend()
  let time = DrivenTime()
  let storage: SQLiteStorage
  let key = SealingKey.random()
  let secrets = SecretRegistry(tagKey: [1, 2, 3])
  let log: NetworkLog
  let folder: TemporaryFolder
  let stack: ClientStack
  let disk: DiskCache

  /// `limit` is the size limit on disk in bytes; `write` replaces the system call.
  init(limit: Int = DiskCache.standardLimit, write: @escaping CacheFolder.Write = CacheFolder.systemWrite) throws {
    storage = try SQLiteStorage(path: nil)
    try storage.writeAndWait { try $0.run(script: StorageDialect.sqlite.script(SealedTokenStore.schema)) }
    log = NetworkLog(capacity: 5000, bodyBytes: 1 << 20, registry: secrets) { _ in }
    folder = try TemporaryFolder()
    disk = DiskCache(path: folder.file("cache"), key: key, limit: limit, write: write)
    stack = Self.makeStack(ClientHarness.configuration, backend, storage, key, log, secrets, time, disk)
  }

  /// The client after a restart of its process, with the same files.
  func relaunched(configuration: ClientConfiguration = ClientHarness.configuration) async -> ClientStack {
    await disk.flush()
    return Self.makeStack(
      configuration, backend, storage, key, log, secrets, time,
      DiskCache(path: folder.file("cache"), key: key, limit: DiskCache.standardLimit))
  }

  private static func makeStack(
    _ configuration: ClientConfiguration, _ backend: ScriptedBackend, _ storage: SQLiteStorage, _ key: SealingKey,
    _ log: NetworkLog, _ secrets: SecretRegistry, _ time: DrivenTime, _ disk: DiskCache
  ) -> ClientStack {
    ClientStack(
      configuration: configuration, transport: backend.transport,
      tokens: SealedTokenStore(
        storage: storage, key: key, backendID: configuration.backendID, deviceID: configuration.deviceID),
      log: log, secrets: secrets, time: time.time, logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
      disk: disk, random: { 0.5 })
  }

  func signIn(_ stack: ClientStack? = nil) async throws(AuthError) {
    guard let identifier = try? Identifier(normalizing: "someone@example.org") else { return }
    try await (stack ?? self.stack).auth.redeemCode(identifier, "123456", [:])
  }

  /// Lets `/rpc/me` return a user with that id and a tag, and 304 if the tag matches.
  func serveMe(_ userID: String = "u1", tag: String? = "\"1\"", headers: HTTPFields = [.cacheControl: "private, no-cache"]) {
    serve(AccountEndpoints.Me.path, Self.me(userID), tag: tag, headers: headers)
  }

  /// Lets a path return a value with a tag, and 304 if the tag matches.
  func serve(_ path: String, _ value: some Encodable & Sendable, tag: String?, headers: HTTPFields = [:]) {
    backend.on(path) { request throws(TransportError) in
      var headers = headers
      if let tag { headers[.eTag] = tag }
      if let tag, request.headers[.ifNoneMatch] == tag { return TransportResponse(status: 304, headers: headers) }
      return ScriptedBackend.json(value, headers: headers)
    }
  }

  /// Makes a path unreachable.
  func cut(_ path: String = AccountEndpoints.Me.path) {
    backend.on(path) { _ throws(TransportError) in throw .offline(kind: .cannotConnect) }
  }

  /// Calls an endpoint without a body and advances the time over the waits between attempts.
  func get<E: APIEndpoint>(
    _ endpoint: E, of stack: ClientStack? = nil
  ) async -> Result<APIClient.DecodedResponse<E.ResponseBody>, NetworkError> where E.RequestBody == NoBody {
    let api = (stack ?? self.stack).api
    let session = (stack ?? self.stack).session
    let pauses = Task {
      while !Task.isCancelled {
        // A call that waits for a refresh sleeps until its deadline, which must not be reached, nor must that of a call whose
        // wait has just ended. A back-off is never longer than 20 s.
        if let pause = time.untilNext, pause < .seconds(20), await session.waitingCount == 0 { time.advance(by: .seconds(1)) }
        await Task.yield()
      }
    }
    defer { pauses.cancel() }
    return await ClientHarness.result { () throws(NetworkError) in try await api.receive(endpoint, body: NoBody()) }
  }

  func me(of stack: ClientStack? = nil) async -> Result<APIClient.DecodedResponse<MeBody>, NetworkError> {
    await get(AccountEndpoints.Me(), of: stack)
  }

  /// The rows of an endpoint, oldest first.
  func rows(_ name: String) -> [NetworkRow] { log.rows().events.filter { $0.endpoint == name } }

  /// Replaces the stored body of `/rpc/me`.
  func replaceStoredMe(with text: String) async throws {
    let call = try Call(AccountEndpoints.Me(), body: NoBody(), now: time.now)
    let cache = stack.api.cache
    guard let ticket = cache.ticket(for: call, fields: stack.api.attemptSender.fields(for: call), needsSession: true),
      let entry = await cache.entry(for: ticket)
    else { throw NetworkError.transport("nothing is stored") }
    cache.store(
      CacheEntry(
        headers: entry.headers, body: Array(text.utf8), varied: entry.varied, times: entry.times,
        allowsHeuristic: entry.allowsHeuristic), for: ticket)
  }

  /// The number of requests to `/rpc/me`.
  var asked: Int { backend.requests(AccountEndpoints.Me.path).count }

  /// The path of every stored file below the cache's folder, after all writes.
  func files() async -> [String] {
    await disk.flush()
    return Self.files(folder.file("cache"))
  }

  static func files(_ path: String) -> [String] {
    guard let folder = CacheFolder.open(path: path) else { return [] }
    return folder.files().flatMap { file in
      file.isFolder ? files("\(path)/\(file.name)").map { "\(file.name)/\($0)" } : [file.name]
    }.sorted()
  }

  static func me(_ userID: String) -> MeBody {
    MeBody(
      userID: userID, accountID: "a1", email: "someone@example.org", phone: nil, displayName: nil, roles: nil,
      activeProfileID: nil, profiles: nil, createdAt: Timestamp(Date(timeIntervalSince1970: 1_700_000_000)),
      deletionScheduledFor: nil)
  }
}

extension Result where Failure == NetworkError {
  /// The error of a call that failed.
  var error: NetworkError? {
    if case .failure(let error) = self { return error }
    return nil
  }
}

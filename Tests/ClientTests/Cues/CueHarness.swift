import Client
import Domain
import Foundation
import HTTPTypes
import JSON
import Logging
import Observability
import RPC
import Storage
import Support
import Locking

/// A device's cues on a scripted backend that checks timestamps and keys like the real one, and counts effects.
final class CueHarness: Sendable {
  let harness: ClientHarness
  let notices = Locked<[CueNotice]>([])
  private let model = Locked(Model())

  /// A scripted response to a move, used instead of the rules.
  typealias Step = @Sendable (TransportRequest, inout Model) throws(TransportError) -> TransportResponse?

  /// The backend's state.
  struct Model {
    var rules = CueModel()
    /// The scripted responses to the next moves.
    var script: [Step] = []
    var user = "u1"
    var profile = "p"
    var isUnreachable = false
  }

  init() throws {
    harness = try ClientHarness()
    try harness.storage.writeAndWait { try $0.run(script: StorageDialect.sqlite.script(CueStore.schema + CueStore.texts)) }
    for (position, id) in ["a", "b", "c"].enumerated() { set(CueReconciliationTests.cue(id, .new, at: 10, position: position)) }
    harness.backend.on(AccountEndpoints.Me.path) { [weak self] request throws(TransportError) in
      guard let self, self.isAuthorized(request) else { return ScriptedBackend.error(401, BackendErrorCode.accessTokenExpired) }
      return ScriptedBackend.json(self.me)
    }
    harness.backend.on(CueEndpoints.GetCues.path) { [weak self] request throws(TransportError) in
      guard let self, self.isAuthorized(request) else { return ScriptedBackend.error(401, BackendErrorCode.accessTokenExpired) }
      if self.model.withLock({ $0.isUnreachable }) { throw .offline(kind: .notConnected) }
      return self.model.withLock { model in
        let cues = model.rules.cues.values.filter { request.url.hasSuffix("profile_id=\($0.profileID)") }
          .sorted { $0.position < $1.position }
        return ScriptedBackend.json(CueListBody(cues: cues, serverTime: Timestamp(milliseconds: model.rules.clock)))
      }
    }
    harness.backend.on(CueEndpoints.UpdateCueStage.path) { [weak self] request throws(TransportError) in
      guard let self, self.isAuthorized(request) else { return ScriptedBackend.error(401, BackendErrorCode.accessTokenExpired) }
      return try self.move(request)
    }
  }

  private func isAuthorized(_ request: TransportRequest) -> Bool {
    let token = (request.headers[.authorization] ?? "").dropFirst("Bearer ".count)
    return harness.backend.state.withLock { $0.validAccess.contains(String(token)) }
  }

  private var me: MeBody {
    let (user, profile) = model.withLock { ($0.user, $0.profile) }
    return MeBody(
      userID: user, accountID: "a1", email: nil, phone: nil, displayName: nil, roles: nil, activeProfileID: profile,
      profiles: nil,
      createdAt: Timestamp(milliseconds: 0), deletionScheduledFor: nil)
  }

  private func move(_ request: TransportRequest) throws(TransportError) -> TransportResponse {
    var model = self.model.withLock { $0 }
    defer { self.model.withLock { [model] in $0 = model } }
    if model.isUnreachable { throw .offline(kind: .notConnected) }
    if !model.script.isEmpty, let scripted = try model.script.removeFirst()(request, &model) { return scripted }
    return model.carryOut(request)
  }

  // MARK: The backend

  /// Sets the backend's version of a cue.
  func set(_ cue: CueBody) { model.withLock { $0.rules.cues[cue.cueID] = cue } }
  /// Whether list and move calls fail as unreachable, while other calls work.
  func setUnreachable(_ isUnreachable: Bool) { model.withLock { $0.isUnreachable = isUnreachable } }
  /// The active profile that `/rpc/me` returns.
  func setProfile(_ profile: String) { model.withLock { $0.profile = profile } }
  /// The user that `/rpc/me` returns.
  func setUser(_ user: String) { model.withLock { $0.user = user } }
  /// Every change of a stage, in order.
  var applied: [String] { model.withLock { $0.rules.effects.map { "\($0.cueID) \($0.stage.rawValue)" } } }
  /// The scripted response to the next move; nil for the rules.
  func next(_ step: @escaping Step) { model.withLock { $0.script.append(step) } }
  /// The next move finds no backend.
  func nextIsOffline() { next { _, _ throws(TransportError) in throw .offline(kind: .cannotConnect) } }
  /// The keys of the moves that were sent.
  var keys: [String?] { moves.map(Self.key) }
  static func key(_ request: TransportRequest) -> String? { request.headers[.idempotencyKey] }
  /// The moves that were sent.
  var moves: [TransportRequest] { harness.backend.requests(CueEndpoints.UpdateCueStage.path) }

  // MARK: The device

  var store: CueStore { CueStore(storage: harness.storage, deviceID: "device", backendID: "backend") }

  /// The cues of the harness's client, or of one after a relaunch.
  func sync(_ stack: ClientStack? = nil, followsTheSession: Bool = true) async -> CueSync {
    let sync = CueSync(
      client: stack ?? harness.stack, store: store, time: harness.time.time,
      logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }), random: { 0.5 }
    ) { [weak self] notice in self?.notices.withLock { $0.append(notice) } }
    if followsTheSession { await sync.start() }
    return sync
  }

  /// Signs in and fetches the account.
  func signIn() async throws {
    try await harness.signIn()
    _ = try await harness.stack.account.fetchMe()
  }

  /// Waits until the condition is true, yielding to other tasks; throws at the test's time limit.
  func until(_ condition: () async throws -> Bool) async throws {
    guard try await eventually(condition) else { throw CancellationError() }
  }

  /// Changes the database as a fault would.
  func execute(_ sql: String) async throws { try await harness.storage.write { try $0.run(script: sql) } }

  /// The endpoints of the calls that wait for connectivity, as the network log shows them.
  var waitingRows: [String] {
    harness.log.rows(filter: NetworkFilter()).events.filter { $0.state == .waiting }.map(\.endpoint)
  }

  /// Clears the recorded notices.
  func forgetNotices() { notices.withLock { $0 = [] } }
  /// The notices sent so far.
  var told: [CueNotice] { notices.withLock { $0 } }

  /// The number of the user's stored edits.
  func kept(_ user: String = "u1") throws -> Int { try store.edits(userID: user).count }
}

extension CueHarness.Model {
  /// Handles a move like the real backend.
  mutating func carryOut(_ request: TransportRequest) -> TransportResponse {
    guard let key = CueHarness.key(request),
      let body = try? JSONCoding.decode(CueStageRequest.self, from: request.body ?? [])
    else { return ScriptedBackend.error(400, BackendErrorCode.invalidRequest) }
    switch rules.answer(key: key, body) {
    case .moved(let cue): return ScriptedBackend.json(cue)
    case .gone: return ScriptedBackend.error(404, BackendErrorCode.cueNotFound)
    case .mismatch: return ScriptedBackend.error(409, BackendErrorCode.idempotencyMismatch)
    case .conflict(let cue):
      return ScriptedBackend.json(
        BackendErrorBody(code: BackendErrorCode.conflict, message: "", requestID: nil, details: .init(cue: cue)), status: 409)
    }
  }
}

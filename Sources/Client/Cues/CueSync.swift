package import Domain
import FoundationEssentials
import JSON
import Locking
package import Logging
import RPC
import Vault

/// Owns a device's cues: the stored list, its reconciliation with the backend and the outbox (seed-rules L-23 to L-26 "(Offline)").
///
/// `Outbox` and `CueReconciliation` contain the rules; this actor performs their actions. It never suspends between comparing
/// and saving. The store blocks, so every call enters on a detached task, away from the event loops (`enter`).
package actor CueSync {
  private let api: APIClient
  private let session: SessionController
  private let fetchMe: @Sendable () async throws(AccountError) -> FetchedAccount
  /// Whether the backend has cues.
  private let hasCues: @Sendable () -> Bool
  private let store: CueStore
  private let time: Time
  private let logger: Logger
  private let random: @Sendable () -> Double
  private let notify: @Sendable (CueNotice) -> Void

  /// The current session and the owner of its cues.
  private struct Tenant: Hashable, Sendable {
    let epoch: UInt64
    let owner: CueOwner
  }

  /// How long an edit waits for the backend before it is reported as saved.
  private static let editTimeout = Duration.seconds(5)
  /// How long a fetched list counts as current.
  private static let freshness = Duration.seconds(5)

  private var tenant: Tenant? { didSet { publishUnsentCount() } }
  var outbox: PersistentOutbox? { didSet { publishUnsentCount() } }
  /// The number of unsent edits of the current session, readable without entering the actor.
  private nonisolated let count = Locked<(epoch: UInt64, edits: Int)?>(nil)
  private var isStopped = false
  private var isEnding = false
  /// When the tenant's list was last reconciled.
  private var lastSync: (tenant: Tenant, instant: ContinuousClock.Instant)?
  private var waiters: [String: [CheckedContinuation<Outbox.Resolution?, Never>]] = [:]
  /// Whether the request in progress waits for connectivity; callers then do not wait for edits.
  private var canWait = false
  private var timer: Task<Void, Never>?
  private var sends: [String: Task<Void, Never>] = [:]
  private var fetching: Task<Void, Never>?
  /// Why the list could not be fetched, while a fetch waits for the network; nil otherwise.
  private var waitsBecause: String?
  private var watching: Task<Void, Never>?

  /// Creates the cues of a device; nothing is read or sent before `start()` or a call.
  ///
  /// `random` returns numbers in 0 ..< 1 for the jitter; `notify` must not block.
  package init(
    client: ClientStack, store: CueStore, time: Time, logger: Logger,
    random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
    notify: @escaping @Sendable (CueNotice) -> Void
  ) {
    api = client.api
    session = client.session
    fetchMe = client.account.fetchMe
    hasCues = { [weak client] in client?.offer.has(.cues) ?? false }
    self.store = store
    self.time = time
    self.logger = logger
    self.random = random
    self.notify = notify
  }

  private func publishUnsentCount() {
    let told = tenant.map { (epoch: $0.epoch, edits: unsentCount) }
    count.withLock { $0 = told }
  }

  // MARK: Lifecycle

  /// Opens and closes the outbox with the session from now on.
  package nonisolated func start() async {
    let states = await session.states()
    await enter { sync in sync.watch(states) }
  }

  private func watch(_ states: AsyncStream<SessionState>) {
    guard watching == nil, !isStopped else { return }
    watching = Task.detached { [weak self] in
      for await state in states where state.number > 0 {
        guard let self else { return }
        await self.handle(state)
      }
    }
  }

  /// Stops sending and fetching; stored data stays.
  package nonisolated func stop() async {
    await enter { sync in sync.shutDown() }
  }

  private func shutDown() {
    isStopped = true
    watching?.cancel()
    fetching?.cancel()
    timer?.cancel()
    for task in sends.values { task.cancel() }
    releaseWaiters()
  }

  private func handle(_ state: SessionState) async {
    guard !isStopped else { return }
    guard state.isSignedIn else {
      // A later login may have overtaken this state.
      guard await session.identity() == nil else { return }
      if state.reason == LogoutReason.accountDeletion.rawValue { discardEdits() }
      close()
      return
    }
    guard let tenant = try? await resolve(asksBackend: false), tenant == self.tenant else { return }
    if state.phase == .authenticated { perform(.wake) }
  }

  // MARK: Performing

  /// Passes an event to the outbox and performs its actions; false if the event could not be saved, in which case nothing
  /// happens.
  @discardableResult
  private func perform(_ event: Outbox.Event) -> Bool {
    guard !isStopped, var outbox else { return !isStopped }
    let actions: [Outbox.Action]
    do throws(CueStoreError) {
      actions = try outbox.handle(event, now: time.monotonic(), random: random())
    } catch {
      // It now includes the edits in doubt.
      self.outbox = outbox
      logger.error("a change of the outbox could not be saved")
      return false
    }
    self.outbox = outbox
    announce(actions)
    for action in actions {
      switch action {
      case .save: continue
      case .send(let edit): send(edit)
      case .wait(let until): wait(until)
      case .resolve(let edit, let resolution): release(edit.id, resolution)
      }
    }
    return true
  }

  private func wait(_ until: ContinuousClock.Instant) {
    timer?.cancel()
    timer = Task.detached { [weak self, time] in
      guard (try? await time.sleep(until)) != nil else { return }
      await self?.perform(.timer)
    }
    // No caller waits for an edit whose sending time is unknown.
    releaseWaiters()
  }

  private func send(_ edit: CueEdit) {
    guard let tenant else { return }
    canWait = api.attemptSender.connectivity.hasRecentFailure
    let rows = StartedRows.current
    sends[edit.id] = Task.detached { [weak self, api, canWait] in
      let outcome = await StartedRows.$current.withValue(rows) {
        await api.send(edit, epoch: tenant.epoch, canWait: canWait)
      }
      await self?.finish(edit, outcome, sentFor: tenant)
    }
  }

  private func finish(_ edit: CueEdit, _ outcome: Outbox.Outcome?, sentFor former: Tenant) {
    sends[edit.id] = nil
    guard !isStopped, let outcome = outcome.map({ store.completed($0, owner: former.owner) }) else { return }
    let event = Outbox.Event.result(id: edit.id, key: edit.key, outcome, newKey: SecureRandom.uuid())
    guard former.owner.userID == outbox?.userID else {
      // The user has signed out in the meantime; the result is saved so that the edit is not sent again when they return.
      guard var outbox = try? PersistentOutbox(store: store, userID: former.owner.userID, backoff: api.backoff) else { return }
      _ = try? outbox.handle(event, now: time.monotonic(), random: random())
      return
    }
    if !perform(event) {
      // Not saved: the edit is sent again later with the same key and gets the same response.
      perform(.result(id: edit.id, key: edit.key, .busy(retryAfterSeconds: nil), newKey: edit.key))
    }
    // The user has signed in again in the meantime.
    if outcome == .sessionOver, let tenant, tenant.epoch != former.epoch { perform(.open) }
  }

  // MARK: Waiting

  /// Waits for the resolution of an edit; nil if it takes longer than `editTimeout`.
  private func resolution(of editID: String) async -> Outbox.Resolution? {
    guard !isStopped, !canWait, case .sending = outbox?.state.mode else { return nil }
    let limit = Task.detached { [weak self, time] in
      guard (try? await time.sleep(time.monotonic() + Self.editTimeout)) != nil else { return }
      await self?.release(editID, nil)
    }
    defer { limit.cancel() }
    return await withCheckedContinuation { waiters[editID, default: []].append($0) }
  }

  private func release(_ editID: String, _ resolution: Outbox.Resolution?) {
    for waiter in waiters.removeValue(forKey: editID) ?? [] { waiter.resume(returning: resolution) }
  }

  private func releaseWaiters() {
    let all = waiters.values.joined()
    waiters = [:]
    for waiter in all { waiter.resume(returning: nil) }
  }

  // MARK: Fetching

  /// Starts a fetch in the background unless one is running; a notice reports its end.
  func beginFetch() {
    guard !isStopped, hasCues() else { return }
    // A new caller may not have received the reason for the outdated list.
    if let waitsBecause { return notify(CueNotice(kind: .syncFailed, reason: waitsBecause, unsent: unsentCount)) }
    guard fetching == nil else { return }
    fetching = Task.detached { [weak self] in
      guard let self else { return }
      await self.fetchInBackground()
    }
  }

  private func fetchInBackground() async {
    defer { fetching = nil }
    do throws(CueError) {
      _ = try await fetch(Flow(name: "sync_cues"), isRetryable: false)
    } catch {
      guard !isStopped else { return }
      lastSync = nil
      notify(CueNotice(kind: .syncFailed, reason: error.word, unsent: unsentCount))
      // The failure was reported; the list is fetched once the backend is reachable.
      guard error == .failed(.offline) else { return }
      waitsBecause = error.word
      defer { waitsBecause = nil }
      _ = try? await fetch(Flow(name: "sync_cues", isBackground: true))
    }
  }

  /// Runs the body on the actor in a detached task, independent of the caller's executor and cancellation; the rows that it starts
  /// are the caller's.
  nonisolated func enter<Value: Sendable>(_ body: @escaping @Sendable (isolated CueSync) async -> Value) async -> Value {
    let rows = StartedRows.current
    return await Task.detached { await StartedRows.$current.withValue(rows) { await body(self) } }.value
  }
}

extension CueSync {
  /// The number of the user's edits that have not reached the backend.
  private var unsentCount: Int { outbox?.state.edits.count ?? 0 }

  /// The number of the user's edits that have not reached the backend; 0 if no user is known.
  package nonisolated func unsentEdits() async -> Int {
    guard let epoch = await session.identity()?.epoch else { return 0 }
    // Every page requests it, so the actor is entered only if the count is not that of the session.
    if let told = count.withLock({ $0 }), told.epoch == epoch { return told.edits }
    return await enter { sync in
      _ = try? await sync.resolve(asksBackend: false)
      return sync.unsentCount
    }
  }

  /// The stored list; nil if it was never fetched.
  func local() async throws(CueError) -> CueList? {
    let tenant = try await resolve()
    return try list(tenant, source: isFresh(tenant) ? .network : .cache)
  }

  /// Whether the list was fetched recently and the backend has been reachable since.
  private func isFresh(_ tenant: Tenant) -> Bool {
    guard !api.attemptSender.connectivity.hasRecentFailure else { return false }
    return lastSync.map { $0.tenant == tenant && time.monotonic() < $0.instant + Self.freshness } ?? false
  }

  /// Fetches, reconciles and stores the list.
  func fetch(_ flow: Flow, isRetryable: Bool = true) async throws(CueError) -> CueList {
    let tenant = try await resolve()
    let reply: CueReply<CueListBody>
    do throws(NetworkError) {
      reply = try await api.reply(
        CueEndpoints.GetCues(profileID: tenant.owner.profileID), body: NoBody(),
        options: CueCallOptions(epoch: tenant.epoch, isRetryable: isRetryable, flow: flow))
    } catch {
      throw CueError(error)
    }
    guard case .done(let body) = reply else { throw .failed(.conflict) }
    return try await keep(body.cues, tenant)
  }

  /// Lets the backend shuffle the cues and stores the new order.
  func shuffle() async throws(CueError) -> CueList {
    let tenant = try await resolve()
    let reply: CueReply<ShuffledCuesBody>
    do throws(NetworkError) {
      reply = try await api.reply(
        CueEndpoints.ShuffleCues(), body: ShuffleRequest(profileID: tenant.owner.profileID),
        options: CueCallOptions(epoch: tenant.epoch, flow: Flow(name: "shuffle_cues")))
    } catch {
      throw CueError(error)
    }
    guard case .done(let body) = reply else { throw .failed(.conflict) }
    return try await keep(body.cues, tenant)
  }

  /// Reconciles a response with the stored list; throws `sessionEnded` if its session is over.
  private func keep(_ answered: [CueBody], _ tenant: Tenant) async throws(CueError) -> CueList {
    guard await session.isCurrent(epoch: tenant.epoch), tenant == self.tenant, !isStopped else { throw .sessionEnded }
    let change: CueReconciliation
    let cues: [CueBody]
    do throws(CueStoreError) {
      cues = try store.completed(answered, owner: tenant.owner)
      change = try store.reconcile(cues, owner: tenant.owner, syncedAt: Timestamp(time.wall()))
    } catch {
      throw CueError(error)
    }
    // Notifies only of a change, so that reading the list after a notice does not cause another one.
    let isNews = change.changesSomething || !isFresh(tenant)
    lastSync = (tenant, time.monotonic())
    perform(.fetched(cues))
    perform(.wake)
    if isNews { notify(CueNotice(kind: .synced, unsent: unsentCount)) }
    guard let list = try list(tenant, source: .network) else { throw .failed(.unavailable()) }
    return list
  }

  /// Saves an edit, then waits briefly for its resolution.
  func edit(cueID: String, stage: LearningStage) async throws(CueError) -> CueEditOutcome {
    var tenant = try await resolve()
    if try list(tenant, source: .cache) == nil {
      _ = try await fetch(Flow(name: "update_cue_stage"))
      tenant = try await resolve()
    }
    guard !isEnding, tenant == self.tenant else { throw .sessionEnded }
    guard let known = try storedCue(cueID, tenant), known.profileID == tenant.owner.profileID else { throw .cueNotFound }
    let before = displayed(known)
    if before.stage == stage, before.conflict == nil { return before.isPending ? .kept(before) : .reached(before) }
    guard unsentCount < Outbox.limit else { throw .storageFull }
    let id = SecureRandom.uuid()
    guard perform(.edit(id: id, key: SecureRandom.uuid(), cue: known, stage: CueStage(stage))) else { throw .storageFull }
    // If the user picks the backend's version, no edit is left to send.
    guard outbox?.state.edits.contains(where: { $0.id == id }) == true else { return .reached(displayed(known)) }
    switch await resolution(of: id) {
    case .applied:
      return .reached(try self.outbox?.userID == tenant.owner.userID ? storedCue(cueID, tenant).map(displayed) ?? before : before)
    case .conflict: throw .conflict
    case .gone: throw .cueNotFound
    case .refused: throw .failed(.backendError)
    case nil:
      guard outbox?.userID == tenant.owner.userID else { throw .sessionEnded }
      return .kept(displayed(try storedCue(cueID, tenant) ?? known))
    }
  }

  /// Ends the session unless that discards edits without the user's consent; first waits briefly for edits in progress.
  func endSession(discardsEdits: Bool, end: @Sendable () async -> Void) async throws(CueError) {
    guard (try? await resolve(asksBackend: false)) != nil else { return await Self.end(end) }
    if !discardsEdits, let last = outbox?.state.edits.last(where: { !$0.isConflict }) { _ = await resolution(of: last.id) }
    guard discardsEdits || unsentCount == 0 else { throw .unsyncedEdits(count: unsentCount) }
    // From here on no edit is accepted, so that none is made between the count and the end.
    isEnding = true
    defer { isEnding = false }
    if discardsEdits, !discardEdits() { throw .storageFull }
    await Self.end(end)
    if await session.identity() == nil { close() }
  }

  private static func end(_ body: @Sendable () async -> Void) async {
    await Flow.$current.withValue(Flow(name: "logout")) { await body() }
  }

  // MARK: Display

  /// A cue as it is shown: the backend's version with unsent edits applied.
  private func displayed(_ cue: CueBody) -> Cue { Cue(cue, edits: outbox?.state.edits(cueID: cue.cueID) ?? []) }

  /// Sends a notice for every cue that the actions affect.
  private func announce(_ actions: [Outbox.Action]) {
    var told: Set<String> = []
    for action in actions {
      guard case .resolve(let edit, let resolution) = action, resolution != .applied else { continue }
      told.insert(edit.cueID)
      switch resolution {
      case .conflict: notify(notice(.conflict, edit.cueID))
      case .gone: notify(notice(.dropped, edit.cueID, reason: BackendErrorCode.cueNotFound))
      default: notify(notice(.dropped, edit.cueID, reason: "refused"))
      }
      logger.warning("an edit did not reach the backend", metadata: ["resolution": "\(resolution)", "cue": "\(edit.cueID)"])
    }
    for case .save(let change) in actions where told.insert(change.cueID).inserted { notify(notice(.updated, change.cueID)) }
  }

  private func notice(_ kind: CueNotice.Kind, _ cueID: String, reason: String? = nil) -> CueNotice {
    let cue = outbox.flatMap { outbox in try? store.cue(id: cueID, userID: outbox.userID) }
    return CueNotice(kind: kind, cue: cue.map(displayed), cueID: cueID, reason: reason, unsent: unsentCount)
  }

  private func list(_ tenant: Tenant, source: CueList.Source) throws(CueError) -> CueList? {
    do throws(CueStoreError) {
      return try store.list(tenant.owner).map { cues, syncedAt in
        CueList(cues: cues.map(displayed), source: source, syncedAt: syncedAt.date)
      }
    } catch {
      throw CueError(error)
    }
  }

  private func storedCue(_ cueID: String, _ tenant: Tenant) throws(CueError) -> CueBody? {
    do throws(CueStoreError) { return try store.cue(id: cueID, userID: tenant.owner.userID) } catch { throw CueError(error) }
  }
}

extension CueSync {
  /// The session's tenant; throws `signedOut`, or the error of fetching the user if the user is unknown.
  private func resolve(asksBackend: Bool = true) async throws(CueError) -> Tenant {
    guard let identity = await session.identity() else { throw .signedOut }
    if let owner = knownOwner(identity) { return try adopt(Tenant(epoch: identity.epoch, owner: owner), identity) }
    guard asksBackend else { throw .failed(.unavailable()) }
    let account: FetchedAccount
    do throws(AccountError) { account = try await fetchMe() } catch { throw CueError(error) }
    guard let now = await session.identity(), now.epoch == identity.epoch else { throw .sessionEnded }
    guard let profileID = account.user.activeProfileID ?? account.profiles.first?.profileID else { throw .profileNotFound }
    return try adopt(Tenant(epoch: now.epoch, owner: CueOwner(userID: account.user.userID, profileID: profileID)), now)
  }

  private func knownOwner(_ identity: SessionIdentity) -> CueOwner? {
    if let user = identity.user, let profileID = user.activeProfileID {
      return CueOwner(userID: user.userID, profileID: profileID)
    }
    guard let kept = try? store.owner(loginID: identity.loginID) else { return nil }
    return identity.user.map { $0.userID == kept.userID } ?? true ? kept : nil
  }

  private func adopt(_ tenant: Tenant, _ identity: SessionIdentity) throws(CueError) -> Tenant {
    guard !isStopped else { throw .sessionEnded }
    // Another session has replaced this one in the meantime.
    if let current = self.tenant, current.epoch > tenant.epoch { throw .sessionEnded }
    guard tenant != self.tenant else { return tenant }
    do throws(CueStoreError) {
      if outbox?.userID != tenant.owner.userID {
        outbox = try PersistentOutbox(store: store, userID: tenant.owner.userID, backoff: api.backoff)
        releaseWaiters()
      }
      try store.setOwner(tenant.owner, loginID: identity.loginID)
      try store.retain(userID: tenant.owner.userID)
    } catch {
      throw CueError(error)
    }
    self.tenant = tenant
    perform(.open)
    return tenant
  }

  /// Removes the session's data; unsent edits stay for their user.
  private func close() {
    perform(.close)
    timer?.cancel()
    releaseWaiters()
    tenant = nil
    outbox = nil
    lastSync = nil
    do throws(CueStoreError) { try store.retain(userID: nil) } catch { logger.error("stored cues could not be removed") }
  }

  /// Drops the user's edits; false if that could not be saved.
  @discardableResult
  private func discardEdits() -> Bool { perform(.discard) }
}

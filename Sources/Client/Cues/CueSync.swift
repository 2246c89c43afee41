package import Domain
import FoundationEssentials
import JSON
package import Logging
import RPC
import Locking
import Vault

/// Owns a device's cues: the stored list, its reconciliation with the backend and the outbox (seed-rules L-23 to L-26 "(Offline)").
///
/// `Outbox` and `CueReconciliation` contain the rules; this actor performs their actions. It never suspends between comparing
/// and saving. The store blocks, so every call enters on a detached task, away from the event loops (`enter`).
package actor CueSync {
  let api: APIClient
  let session: SessionController
  let fetchMe: @Sendable () async throws(AccountError) -> FetchedAccount
  let store: CueStore
  let time: Time
  let logger: Logger
  let random: @Sendable () -> Double
  let notify: @Sendable (CueNotice) -> Void

  /// The current session and the owner of its cues.
  struct Tenant: Hashable, Sendable {
    let epoch: UInt64
    let owner: CueOwner
  }

  /// How long an edit waits for the backend before it is reported as saved.
  static let editTimeout = Duration.seconds(5)
  /// How long a fetched list counts as current.
  static let freshness = Duration.seconds(5)

  var tenant: Tenant? { didSet { publishUnsentCount() } }
  var outbox: PersistentOutbox? { didSet { publishUnsentCount() } }
  /// The number of unsent edits of the current session, readable without entering the actor.
  nonisolated let count = Locked<(epoch: UInt64, edits: Int)?>(nil)
  var isStopped = false
  var isEnding = false
  /// When the tenant's list was last reconciled.
  var lastSync: (tenant: Tenant, instant: ContinuousClock.Instant)?
  var waiters: [String: [CheckedContinuation<Outbox.Resolution?, Never>]] = [:]
  /// Whether the request in progress waits for connectivity; edits are then not waited for.
  private var canWait = false
  var timer: Task<Void, Never>?
  private var sends: [String: Task<Void, Never>] = [:]
  private var fetching: Task<Void, Never>?
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
  func perform(_ event: Outbox.Event) -> Bool {
    guard !isStopped, var outbox else { return !isStopped }
    let actions: [Outbox.Action]
    do throws(CueStoreError) {
      actions = try outbox.handle(event, now: time.monotonic(), random: random())
    } catch {
      // Knows now what is in doubt.
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
    // Nobody waits for an edit that will be sent at an unknown time.
    releaseWaiters()
  }

  private func send(_ edit: CueEdit) {
    guard let tenant else { return }
    canWait = api.attemptSender.connectivity.hasRecentFailure
    sends[edit.id] = Task.detached { [weak self, api, canWait] in
      let outcome = await api.send(edit, epoch: tenant.epoch, canWait: canWait)
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
  func resolution(of editID: String) async -> Outbox.Resolution? {
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

  func releaseWaiters() {
    let all = waiters.values.joined()
    waiters = [:]
    for waiter in all { waiter.resume(returning: nil) }
  }

  // MARK: Fetching

  /// Starts a fetch in the background unless one is running; a notice reports its end.
  func beginFetch() {
    guard fetching == nil, !isStopped else { return }
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
      // The failure was reported; the list arrives by itself once the backend is reachable.
      if error == .failed(.offline) { _ = try? await fetch(Flow(name: "sync_cues", isBackground: true)) }
    }
  }

  /// Runs the body on the actor in a detached task, independent of the caller's executor and cancellation.
  nonisolated func enter<Value: Sendable>(_ body: @escaping @Sendable (isolated CueSync) async -> Value) async -> Value {
    await Task.detached { await body(self) }.value
  }
}

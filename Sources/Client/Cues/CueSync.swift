package import Domain
import FoundationEssentials
import JSON
package import Logging
import RPC
import Locking
import Vault

/// Owns a device's cues: the kept list, its reconciliation with the backend, and the outbox (seed 001).
///
/// The rules are `Outbox`'s and `CueReconciliation`'s; this shell performs them. It reads and writes its store without a
/// suspension between what it compares and what it keeps. The store blocks, so everything enters on a task of its own that
/// runs on no event loop (`enter`).
package actor CueSync {
  let api: APIClient
  let session: SessionController
  let fetchMe: @Sendable () async throws(AccountError) -> FetchedAccount
  let store: CueStore
  let time: Time
  let logger: Logger
  let random: @Sendable () -> Double
  let notify: @Sendable (CueNotice) -> Void

  /// The session that is worked for, and whose cues it shows.
  struct Tenant: Hashable, Sendable {
    let epoch: UInt64
    let owner: CueOwner
  }

  /// How long the maker of an edit waits for the backend before it is told that the edit is kept.
  static let editTimeout = Duration.seconds(5)
  /// How long a list counts as what the backend holds.
  static let freshness = Duration.seconds(5)

  var tenant: Tenant? { didSet { publishUnsentCount() } }
  var outbox: PersistentOutbox? { didSet { publishUnsentCount() } }
  /// The unsent edits of the session that is worked for, to be read without a turn on this actor.
  nonisolated let count = Locked<(epoch: UInt64, edits: Int)?>(nil)
  var isStopped = false
  var isEnding = false
  /// When the tenant's list was last reconciled.
  var lastSync: (tenant: Tenant, instant: ContinuousClock.Instant)?
  var waiters: [String: [CheckedContinuation<Outbox.Resolution?, Never>]] = [:]
  /// Whether the request under way waits for the backend to be in reach, which nobody waits for.
  private var canWait = false
  private var timer: Task<Void, Never>?
  private var sends: [String: Task<Void, Never>] = [:]
  private var fetching: Task<Void, Never>?
  private var watching: Task<Void, Never>?

  /// Makes the cues of a device; nothing is read or sent before `start()` or a call.
  ///
  /// `random` gives numbers in 0 ..< 1 that spread the waits; `notify` must not block.
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

  // MARK: Life

  /// Follows the session from now on: opens the outbox with it, and closes it.
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

  /// Sends and fetches nothing any more; what is kept stays.
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
      // A later login may have overtaken the news.
      guard await session.identity() == nil else { return }
      if state.reason == LogoutReason.accountDeletion.rawValue { discardEdits() }
      close()
      return
    }
    guard let tenant = try? await resolve(asksBackend: false), tenant == self.tenant else { return }
    if state.phase == .authenticated { perform(.wake) }
  }

  // MARK: Whose cues

  /// The session's tenant; throws `signedOut`, and where the user is not known, what asking the backend for them throws.
  func resolve(asksBackend: Bool = true) async throws(CueError) -> Tenant {
    guard let identity = await session.identity() else { throw .signedOut }
    if let owner = knownOwner(identity) { return try adopt(Tenant(epoch: identity.epoch, owner: owner), identity) }
    guard asksBackend else { throw .failed(.unavailable) }
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
    // Found under a session that another has replaced meanwhile.
    if let current = self.tenant, current.epoch > tenant.epoch { throw .sessionEnded }
    guard tenant != self.tenant else { return tenant }
    do throws(CueStoreError) {
      if outbox?.userID != tenant.owner.userID {
        outbox = try PersistentOutbox(store: store, userID: tenant.owner.userID)
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

  /// Forgets what belongs to nobody who is signed in; unsent edits stay for their user.
  func close() {
    perform(.close)
    timer?.cancel()
    releaseWaiters()
    tenant = nil
    outbox = nil
    lastSync = nil
    do throws(CueStoreError) { try store.retain(userID: nil) } catch { logger.error("kept cues could not be removed") }
  }

  /// Gives the user's edits up; false where that could not be kept.
  @discardableResult
  func discardEdits() -> Bool { perform(.discard) }

  // MARK: Performing

  /// Lets the outbox handle an event and does what it says; false where the event could not be kept and nothing was done.
  @discardableResult
  func perform(_ event: Outbox.Event) -> Bool {
    guard !isStopped, var outbox else { return !isStopped }
    let actions: [Outbox.Action]
    do throws(CueStoreError) {
      actions = try outbox.handle(event, now: time.monotonic(), random: random())
    } catch {
      logger.error("a change of the outbox could not be kept")
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
    // Whoever waits for an edit is told that it is kept, as it goes out at a time that nobody knows.
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
    guard !isStopped, let outcome else { return }
    let event = Outbox.Event.result(id: edit.id, key: edit.key, outcome, newKey: SecureRandom.uuid())
    guard former.owner.userID == outbox?.userID else {
      // The user has left meanwhile; what became of the edit is noted, so that it is not sent again when they come back.
      guard var outbox = try? PersistentOutbox(store: store, userID: former.owner.userID) else { return }
      _ = try? outbox.handle(event, now: time.monotonic(), random: random())
      return
    }
    if !perform(event) {
      // Not kept: the edit goes out again later under the same key, and is answered the same.
      perform(.result(id: edit.id, key: edit.key, .busy(retryAfterSeconds: nil), newKey: edit.key))
    }
    // The user has signed in again meanwhile.
    if outcome == .sessionOver, let tenant, tenant.epoch != former.epoch { perform(.open) }
  }

  // MARK: Waiting

  /// Waits for what becomes of an edit; nil once it is sure to take longer than its maker waits.
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

  /// Begins a fetch unless one is under way; whoever watches hears how it ended.
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
      // Whoever watches knows; the list comes by itself once the backend is in reach again.
      if error == .failed(.offline) { _ = try? await fetch(Flow(name: "sync_cues", isBackground: true)) }
    }
  }

  /// Runs the body on the actor in a task of its own, which neither the caller's executor nor its cancellation reaches.
  nonisolated func enter<Value: Sendable>(_ body: @escaping @Sendable (isolated CueSync) async -> Value) async -> Value {
    await Task.detached { await body(self) }.value
  }
}

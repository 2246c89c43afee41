package import Client
package import Domain
import FoundationEssentials
import JSON
package import Logging
package import Observability
package import Redaction
package import Server
import Locking

/// A simulated phone: the session, use cases, network log and event stream of one device.
package final class Device: Sendable {
  package let id: String
  package let browserID: String
  package let backend: BackendLink
  package let client: ClientStack
  /// The device's cues and the outbox of its edits.
  package let cues: CueSync
  package let log: NetworkLog
  package let secrets: SecretRegistry
  package let signInRequests: SignInRequestStore
  package let events: EventChannel
  package let timeline: DeviceTimeline
  /// Compares its exchanges with the backend's OpenAPI document.
  let drift: DriftDetector
  /// The device's fault rules.
  let faults: DeviceFaults
  /// The device's records on disk; nil if they are not saved.
  let savedLog: DeviceSavedLog?
  let settings: AccountSettingsStore
  private let logger: Logger
  /// When a deletion was requested whose outcome is unknown; nil otherwise.
  let unknownDeletion = Locked<Date?>(nil)
  let version: String
  /// Whether the console identifies its callers.
  private let knowsPersons: Bool
  let time: Time
  private let named: Locked<String>
  /// The profile that was active when the account was last seen, and whose it is.
  private let lastProfile = Locked<(userID: String, profile: Profile)?>(nil)
  private let knownConfig = Locked<AppConfig?>(nil)
  private let lastCall: LastCallWatch
  private let encodedState = EncodedState()
  private let lastUsed: Locked<ContinuousClock.Instant>
  private let work = Locked(Work())
  let calls = CallCount()
  /// Calls that wait for a message, in addition to its streams.
  let longPolls = DeviceSlots(limit: 6)
  /// Requests that a person wrote and that are in flight.
  let replays = DeviceSlots(limit: 16)
  /// Exports that are being scanned.
  let exports = DeviceSlots(limit: 2)
  /// Explanations of logs.
  let explanations = DeviceSlots(limit: 3)

  /// The device's tasks, which end with it.
  private struct Work {
    var isStopped = false
    var background: [Task<Void, Never>] = []
    /// The launch; nil once it is over, because a stored task keeps its memory.
    var launching: Task<Void, Never>?
    var hasLaunched = false
    /// Replaces the configuration after a session has ended.
    var renewing: Task<Void, Never>?
    /// The number of the last state that was published, and the turn in which it was read.
    var published: (number: UInt64, turn: UInt64) = (0, 0)
    /// How often a state was read to be published.
    var turns: UInt64 = 0
    /// The fields whose absence was logged.
    var missing: Set<MissingField> = []
  }

  /// A device that has not been started; ``DeviceFactory`` creates it.
  package init(
    record: BrowserStore.DeviceRecord, backend: BackendLink, client: ClientStack, cues: CueSync, log: NetworkLog,
    secrets: SecretRegistry, signInRequests: SignInRequestStore, events: EventChannel, timeline: DeviceTimeline,
    settings: AccountSettingsStore, version: String, time: Time, logger: Logger, drift: DriftDetector,
    lastCall: LastCallWatch = LastCallWatch(), savedLog: DeviceSavedLog? = nil, knowsPersons: Bool = false
  ) {
    self.savedLog = savedLog
    self.drift = drift
    self.knowsPersons = knowsPersons
    self.lastCall = lastCall
    id = record.id
    named = Locked(record.name)
    browserID = record.browserID
    self.backend = backend
    self.client = client
    self.cues = cues
    self.log = log
    self.secrets = secrets
    self.signInRequests = signInRequests
    self.events = events
    self.timeline = timeline
    faults = DeviceFaults(injector: client.faults, events: events, timeline: timeline, time: time)
    self.settings = settings
    self.logger = logger
    self.version = version
    self.time = time
    lastUsed = Locked(time.monotonic())
  }

  /// The name that the person gave it.
  package var name: String { named.withLock { $0 } }

  /// Takes a new name, which is stored already, and notifies the pages.
  func takeName(_ name: String) async {
    named.withLock { $0 = name }
    await publishState(await client.session.state)
  }

  /// The configuration that was fetched last, or the default until then.
  package var config: AppConfig {
    var config = knownConfig.withLock { $0 } ?? AppConfig()
    config.offer = client.offer
    return config
  }

  /// Throws `featureDisabled` if the backend has no calls for a part of the pages.
  func require(_ feature: BackendFeature) throws(Problem) {
    guard client.offer.has(feature) else { throw .featureDisabled }
  }

  /// Fetches the configuration if it has not been fetched yet.
  func awaitConfig() async {
    if knownConfig.withLock({ $0 == nil }) { await refreshConfig() }
  }

  /// Parses deep links of trusted hosts.
  package var linkParser: DeepLinkParser {
    DeepLinkParser(trustedHosts: backend.linkHosts + config.trustedLinkHosts)
  }

  /// Launches the app: reads the stored tokens, refreshes them, and fetches account and configuration (seed-rules N-47 "At
  /// launch", N-48 "If that refresh succeeds").
  ///
  /// Returns when it is known whether a user is signed in; the calls to the backend continue in the background.
  package func start() async {
    for identifier in (try? await signInRequests.askedIdentifiers()) ?? [] {
      secrets.register(whole: identifier, kind: .identifier)
    }
    faults.start()
    await cues.start()
    let states = await client.session.states()
    let watching = Task { [weak self] in
      var wasSignedIn = false
      for await state in states {
        guard let self else { return }
        if wasSignedIn, !state.isSignedIn { self.renewConfig() }
        wasSignedIn = state.isSignedIn
        await self.publishState(state)
      }
    }
    let watchingCalls = Task { [weak self, lastCall] in
      for await _ in lastCall.changes { await self?.publishState() }
    }
    let launching = Task {
      await self.launch()
      self.work.withLock { work in
        work.hasLaunched = true
        work.launching = nil
      }
    }
    let isStopped = work.withLock { work in
      work.background += [watching, watchingCalls]
      if !work.hasLaunched { work.launching = launching }
      return work.isStopped
    }
    if isStopped { for task in [watching, watchingCalls, launching] { task.cancel() } }
    for await state in await client.session.states() where state.number > 0 { break }
  }

  private func launch() async {
    await Flow.$current.withValue(Flow(name: "launch")) {
      async let config: Void = refreshConfig()
      let state = await client.session.bootstrap()
      if state.phase == .authenticated { _ = try? await loadAccount() }
      await config
    }
  }

  /// Replaces the configuration after the end of a session (seed-rules N-54 "deletes cached data"): fetches it again, or evicts
  /// it if that fails.
  private func renewConfig() {
    work.withLock { work in
      guard !work.isStopped else { return }
      work.renewing?.cancel()
      work.renewing = Task { [weak self] in
        guard let account = self?.client.account else { return }
        let config = try? await Flow.$current.withValue(Flow(name: "sign_out")) { try await account.fetchAppConfig() }
        guard !Task.isCancelled, let self else { return }
        if let config { return await self.adopt(config) }
        self.knownConfig.withLock { $0 = nil }
        await self.publishState()
      }
    }
  }

  /// Fetches the configuration and notifies the pages if it changed.
  package func refreshConfig() async {
    guard let config = try? await client.account.fetchAppConfig() else { return }
    await adopt(config)
  }

  /// Fetches the data of the Settings page.
  package func loadAccount() async throws(AccountError) -> AccountDashboard {
    let dashboard = try await LoadAccountDashboard(gateway: client.account)(knownConfig: config)
    await adopt(dashboard.config)
    await noteAnswer(dashboard)
    noteActive(dashboard.activeProfile, of: dashboard.user)
    return dashboard
  }

  /// Notes which profile of a user is active.
  func noteActive(_ profile: Profile?, of user: User?) {
    guard let user, let profile else { return }
    lastProfile.withLock { $0 = (user.userID, profile) }
  }

  /// The active profile, if the device has it without a call.
  func activeProfile() async -> Profile? {
    guard let user = await client.session.state.user, let last = lastProfile.withLock({ $0 }), last.userID == user.userID,
      user.activeProfileID ?? last.profile.profileID == last.profile.profileID
    else { return nil }
    return last.profile
  }

  /// Logs the fields that the backend left out, each once, and clears an unknown deletion.
  private func noteAnswer(_ dashboard: AccountDashboard) async {
    for field in dashboard.missingFields where !client.offer.isOfFile && work.withLock({ $0.missing.insert(field).inserted }) {
      logger.warning("the account is incomplete", metadata: ["error": "\(AccountError.missingField(field))"])
    }
    guard dashboard.source == .network else { return }
    if let allowsAnalytics = dashboard.user.allowsAnalytics {
      do throws(AccountError) {
        let login = await client.session.loginID
        try await settings.adopt(allowsAnalytics, accountID: dashboard.user.accountID, loginID: login)
      } catch {
        logger.warning("the account's choice of analytics could not be stored", metadata: ["error": "\(error)"])
      }
    }
    let wasUnknown = unknownDeletion.withLock { instant in
      defer { instant = nil }
      return instant != nil
    }
    if wasUnknown { await publishState() }
  }

  private func adopt(_ config: AppConfig) async {
    let changed = knownConfig.withLock { known in
      defer { known = config }
      return known != config
    }
    guard changed else { return }
    await client.session.setRefreshMargin(.seconds(config.refreshMarginSeconds))
    log.setCapacity(config.networkLogCapacity)
    // Without the configuration: it can be large, and every event is kept for clients that reconnect.
    events.publish("config", data: Array("{}".utf8))
    await publishState()
  }

  /// Notifies the pages that the backend's file has changed or become invalid.
  package func publishOffer() async {
    events.publish("config", data: Array("{}".utf8))
    await publishState()
  }

  /// Publishes the present state to the pages.
  package func publishState() async { await publishState(await client.session.state) }

  /// Publishes the session's state to the pages, without identifiers of the user.
  private func publishState(_ state: SessionState) async {
    let turn = work.withLock { work in
      work.turns += 1
      return work.turns
    }
    guard let data = await event(state) else { return }
    // States are encoded concurrently; an older one must not be published after a newer one.
    work.withLock { work in
      guard (state.number, turn) > work.published else { return }
      work.published = (state.number, turn)
      events.publish("session", data: data)
    }
  }

  /// The data of a `session` event with the current state; nil if it cannot be encoded.
  func stateEvent() async -> [UInt8]? { await event(await client.session.state) }

  private func event(_ state: SessionState) async -> [UInt8]? {
    try? JSONCoding.encode(await body(state, isEvent: true), keys: .snakeCase)
  }

  /// The state as `GET /api/state` returns it.
  func body() async -> StateBody { await body(await client.session.state, isEvent: false) }

  /// The response of `GET /api/state`.
  func encodedBody() async throws -> [UInt8] { try encodedState.bytes(of: await body()) }

  /// An event has neither identifiers nor the configuration.
  private func body(_ state: SessionState, isEvent: Bool) async -> StateBody {
    let cooldowns = (try? await signInRequests.cooldowns()) ?? []
    return StateBody(
      deviceID: id, name: name, version: version,
      session: StateBody.Session(
        state, end: state.phase == .signedOut && state.reason != nil ? timeline.sessionEnd : nil, showsIdentifiers: !isEvent),
      config: isEvent || backend.file == nil && knownConfig.withLock({ $0 == nil }) ? nil : encodedState.config(config),
      cooldowns: cooldowns.map { .init(identifierTag: $0.identifierTag, retryAt: Timestamp($0.retryAt)) },
      backend: .init(
        url: backend.origin, embedded: backend.embedded != nil, id: backend.id,
        clockAheadSeconds: backend.embedded?.clockAhead() ?? 0, lastCall: lastCall.last,
        fileProblem: client.backendFileProblem),
      faults: .init(armed: faults.armed),
      persons: knowsPersons ? true : nil, unsentCueEdits: await cues.unsentEdits(),
      developer: state.user.map { DeveloperBody($0, config) },
      deletion: state.isSignedIn
        ? unknownDeletion.withLock { $0 }.map { .init(outcome: "unknown", askedAt: Timestamp($0)) } : nil,
      neverSentAgain: isEvent ? nil : client.sessionPaths.all
    )
  }

  // MARK: Lifecycle

  /// Notes that the device is used.
  package func touch() { lastUsed.withLock { $0 = time.monotonic() } }

  /// Whether it has no stream and was not used for that long.
  package func isIdle(for duration: Duration) -> Bool {
    events.subscriberCount == 0 && lastUsed.withLock { $0 } + duration <= time.monotonic()
  }

  /// When it was used last.
  var lastUse: ContinuousClock.Instant { lastUsed.withLock { $0 } }

  /// Whether it was put to sleep, so that its calls end.
  var isStopped: Bool { work.withLock { $0.isStopped } }

  /// Ends what would not end by itself: event streams, and calls that wait for a message.
  func endStreams() {
    events.close()
    longPolls.close()
  }

  /// Puts the device to sleep: its streams end, its stored tokens stay.
  ///
  /// `refreshTimeout` is how long a refresh in progress may take.
  package func stop(refreshTimeout: Duration = .seconds(5)) async {
    endStreams()
    let background = work.withLock { work in
      work.isStopped = true
      return work.background + [work.launching, work.renewing].compactMap { $0 }
    }
    for task in background { task.cancel() }
    faults.stop()
    for slots in [replays, exports, explanations] { slots.close() }
    await cues.stop()
    await client.shutdown(refreshTimeout: refreshTimeout)
    await savedLog?.close()
  }
}

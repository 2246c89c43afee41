package import Client
package import Domain
import FoundationEssentials
import JSON
package import Logging
import RPC
package import Observability
package import Server
import Locking

/// A stand-in phone: session, use cases, network log and event stream of one device (contract §2.2).
package final class Device: Sendable {
  package let id: String
  package let name: String
  package let browserID: String
  package let backend: BackendLink
  package let client: ClientStack
  /// The device's cues and the outbox of its edits.
  package let cues: CueSync
  package let log: NetworkLog
  package let secrets: SecretRegistry
  package let ledger: DeviceLedger
  package let events: EventChannel
  package let timeline: DeviceTimeline
  /// What is broken on purpose.
  let faults: DeviceFaults
  let settings: AccountSettingsStore
  let logger: Logger
  /// When a deletion was asked for whose outcome nobody knows; nil otherwise.
  let unknownDeletion = Locked<Date?>(nil)
  let version: String
  let time: Time
  private let known = Locked<AppConfig?>(nil)
  private let used: Locked<ContinuousClock.Instant>
  private let held = Locked(Held())
  /// Requests of a person's own that are on their way.
  let replays = DeviceSlots(limit: 16)
  /// Exports that are being looked through.
  let exports = DeviceSlots(limit: 2)

  /// What is under way on behalf of the device and ends with it.
  private struct Held {
    var tasks: [UInt64: @Sendable () -> Void] = [:]
    var next: UInt64 = 0
    var isStopped = false
    var background: [Task<Void, Never>] = []
    /// The number of the last state that the pages were told.
    var told: UInt64 = 0
    /// The fields whose absence was logged.
    var missing: Set<MissingField> = []
  }

  /// Makes a device of its parts; `start()` wakes it.
  package init(
    record: BrowserStore.DeviceRecord, backend: BackendLink, client: ClientStack, cues: CueSync, log: NetworkLog,
    secrets: SecretRegistry, ledger: DeviceLedger, events: EventChannel, timeline: DeviceTimeline,
    settings: AccountSettingsStore, version: String, time: Time, logger: Logger
  ) {
    id = record.id
    name = record.name
    browserID = record.browserID
    self.backend = backend
    self.client = client
    self.cues = cues
    self.log = log
    self.secrets = secrets
    self.ledger = ledger
    self.events = events
    self.timeline = timeline
    faults = DeviceFaults(injector: client.faults, events: events, timeline: timeline, time: time)
    self.settings = settings
    self.logger = logger
    self.version = version
    self.time = time
    used = Locked(time.monotonic())
  }

  /// The configuration as last heard, or the one that holds until then.
  package var config: AppConfig { known.withLock { $0 } ?? AppConfig() }

  /// Fetches the configuration where it was not heard yet, as after a launch that is not over.
  func awaitConfig() async {
    if known.withLock({ $0 == nil }) { await refreshConfig() }
  }

  /// Whose deep links are accepted.
  package var linkParser: DeepLinkParser {
    DeepLinkParser(trustedHosts: backend.linkHosts + config.trustedLinkHosts)
  }

  /// Launches the app: reads the kept tokens, refreshes them, and fetches account and configuration (seed 000 §3.3).
  ///
  /// Returns once it is known whether somebody is signed in; what needs the backend goes on behind.
  package func start() async {
    for identifier in (try? await ledger.askedIdentifiers()) ?? [] { secrets.register(identifier, kind: .identifier) }
    faults.start()
    await cues.start()
    let states = await client.session.states()
    let watching = Task { [weak self] in
      for await state in states {
        guard let self else { return }
        await self.publishState(state)
      }
    }
    let launching = Task { await self.launch() }
    let isStopped = held.withLock { held in
      held.background += [watching, launching]
      return held.isStopped
    }
    if isStopped { for task in [watching, launching] { task.cancel() } }
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

  /// Fetches the configuration and tells the pages where it changed.
  package func refreshConfig() async {
    guard let config = try? await client.account.fetchAppConfig() else { return }
    await adopt(config)
  }

  /// Fetches what the Settings page shows.
  package func loadAccount() async throws(AccountError) -> AccountDashboard {
    let dashboard = try await LoadAccountDashboard(gateway: client.account)(knownConfig: config)
    await adopt(dashboard.config)
    await settle(dashboard)
    return dashboard
  }

  /// Notes what the backend left out, once a field, and that what it says of a deletion is known again.
  private func settle(_ dashboard: AccountDashboard) async {
    for field in dashboard.missingFields where held.withLock({ $0.missing.insert(field).inserted }) {
      logger.warning("the account is incomplete", metadata: ["error": "\(AccountError.missingField(field))"])
    }
    guard dashboard.source == .network else { return }
    let wasUnknown = unknownDeletion.withLock { instant in
      defer { instant = nil }
      return instant != nil
    }
    if wasUnknown { await publishState(await client.session.state) }
  }

  private func adopt(_ config: AppConfig) async {
    let changed = known.withLock { known in
      defer { known = config }
      return known != config
    }
    guard changed else { return }
    await client.session.setRefreshMargin(.seconds(config.refreshMarginSeconds))
    log.setCapacity(config.networkLogCapacity)
    // Only that it changed: it can be large, and each change would be kept for whoever reconnects.
    events.publish("config", data: Array("{}".utf8))
    await publishState(await client.session.state)
  }

  /// Tells the pages where the session stands, without anything that names the user.
  package func publishState(_ state: SessionState) async {
    guard let data = await event(state) else { return }
    // Made while others were: an older one that took longer must not be the last word.
    held.withLock { held in
      guard state.number >= held.told else { return }
      held.told = state.number
      events.publish("session", data: data)
    }
  }

  /// The data of a `session` event of now; nil where it cannot be written.
  func stateEvent() async -> [UInt8]? { await event(await client.session.state) }

  private func event(_ state: SessionState) async -> [UInt8]? {
    try? JSONCoding.encode(await body(state, isEvent: true), keys: .snakeCase)
  }

  /// The state as `GET /api/state` answers it.
  func body() async -> StateBody { await body(await client.session.state, isEvent: false) }

  /// An event carries neither identifiers nor the configuration.
  private func body(_ state: SessionState, isEvent: Bool) async -> StateBody {
    let cooldowns = (try? await ledger.cooldowns()) ?? []
    return StateBody(
      deviceID: id, name: name, version: version,
      session: StateBody.Session(state, showsIdentifiers: !isEvent),
      config: isEvent ? nil : known.withLock { $0 }.map { AppConfigBody($0) },
      cooldowns: cooldowns.map { .init(identifierTag: $0.identifierTag, retryAt: Timestamp($0.retryAt)) },
      backend: .init(url: backend.origin, embedded: backend.embedded != nil, id: backend.id), faults: .init(armed: faults.armed),
      unsentCueEdits: await cues.unsentEdits(),
      developer: state.user.map { DeveloperBody($0, config) },
      deletion: state.isSignedIn ? unknownDeletion.withLock { $0 }.map { .init(outcome: "unknown", askedAt: Timestamp($0)) } : nil
    )
  }

  // MARK: Life

  /// How many answers a device may hold back at a time, beside its streams.
  static let holdLimit = 6

  /// How many answers it holds back now.
  var heldCount: Int { held.withLock { $0.tasks.count } }

  /// Runs work that waits for something, and cancels it when the device stops; nil where too many wait already.
  func hold<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value? {
    let task = Task { await work() }
    let id = held.withLock { held -> UInt64? in
      guard held.tasks.count < Self.holdLimit, !held.isStopped else { return nil }
      held.next += 1
      held.tasks[held.next] = { task.cancel() }
      return held.next
    }
    guard let id else {
      task.cancel()
      return nil
    }
    defer { held.withLock { held in held.tasks[id] = nil } }
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Notes that somebody used the device.
  package func touch() { used.withLock { $0 = time.monotonic() } }

  /// Whether nobody watches it and nobody used it for that long.
  package func isIdle(for duration: Duration) -> Bool {
    events.subscriberCount == 0 && used.withLock { $0 } + duration <= time.monotonic()
  }

  /// When somebody used it last.
  var lastUse: ContinuousClock.Instant { used.withLock { $0 } }

  /// Puts the device to sleep: its streams end, its tokens stay where they are kept.
  package func stop() async {
    events.close()
    let (background, waits) = held.withLock { held in
      held.isStopped = true
      return (held.background, Array(held.tasks.values))
    }
    for task in background { task.cancel() }
    for cancel in waits { cancel() }
    faults.stop()
    replays.close()
    exports.close()
    await cues.stop()
    await client.shutdown()
  }
}

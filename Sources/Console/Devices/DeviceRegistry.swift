package import Client
package import Domain
package import GRDB
import HTTPTypes
package import Logging
import JSON
import Observability
import Server
import Text
package import Vault

/// The devices that are awake, and the way to wake those that are kept (contract §2.2).
package actor DeviceRegistry {
  /// What every device is made of.
  package struct Parts: Sendable {
    package let database: any DatabaseWriter
    package let key: SealingKey
    /// The folder of the devices' HTTP caches; nil keeps them in memory.
    package let cacheFolder: String?
    /// Key of the tags that stand for identifiers.
    package let tagKey: [UInt8]
    package let backend: BackendLink
    package let transport: Transport
    package let apiID: String?
    package let apiSecret: String?
    package let version: String
    package let time: Time
    package let logger: Logger

    /// Makes the parts.
    package init(
      database: any DatabaseWriter, key: SealingKey, cacheFolder: String? = nil, tagKey: [UInt8], backend: BackendLink,
      transport: Transport, apiID: String?, apiSecret: String?, version: String, time: Time, logger: Logger
    ) {
      self.database = database
      self.key = key
      self.cacheFolder = cacheFolder
      self.tagKey = tagKey
      self.backend = backend
      self.transport = transport
      self.apiID = apiID
      self.apiSecret = apiSecret
      self.version = version
      self.time = time
      self.logger = logger
    }
  }

  /// How long a device stays awake unused.
  package static let idleLimit = Duration.seconds(30 * 60)
  /// How many devices may be awake; one more puts that to sleep which was not used for the longest time.
  package static let awakeLimit = 2000
  /// How long a device must not have been used to be put to sleep for another: its calls are over by then.
  static let restLimit = Duration.seconds(60)
  /// How many changes of a device's log may wait to be recorded.
  private static let backlog = 512

  package nonisolated let store: BrowserStore
  /// What the clients of all devices did.
  package nonisolated let metrics = ClientMetrics()
  private let parts: Parts
  /// How many devices may be awake here.
  nonisolated let limit: Int
  private var awake: [String: Device] = [:]
  /// The fault rules of devices that sleep: they outlive the app on the device, and end with this process.
  private var plans: [String: FaultPlan] = [:]
  /// Whoever waits for a device that is being woken, relaunched or deleted; a key stands here while that goes on.
  private var queues: [String: [CheckedContinuation<Void, Never>]] = [:]
  private var isStopped = false

  /// Makes a registry in which every device sleeps and of which `limit` may be awake at a time.
  package init(parts: Parts, limit: Int = DeviceRegistry.awakeLimit) {
    self.parts = parts
    self.limit = limit
    store = BrowserStore(
      database: parts.database, rows: AccessRows(key: parts.key, logger: parts.logger), wall: parts.time.wall)
  }

  /// The device of the record, woken where it slept; nil where it is no longer kept.
  ///
  /// Throws `Problem.stopping` once the console stops: a page that heard of no device would forget its key.
  package func device(_ record: BrowserStore.DeviceRecord) async throws -> Device? {
    if let device = awake[record.id], queues[record.id] == nil {
      device.touch()
      return device
    }
    return try await alone(record.id) {
      if let device = awake[record.id] { return device }
      return try await wake(record.id)
    }
  }

  /// Forgets a device wholly: its streams end within the second, nothing of it is left (contract §2.3).
  package func delete(_ device: Device) async throws {
    try await alone(device.id) {
      // The row first: whoever comes from now on finds no device, however long the rest takes.
      try await store.deleteDevice(id: device.id)
      let current = awake.removeValue(forKey: device.id) ?? device
      current.events.close()
      await current.client.auth.logout(.user)
      await current.stop()
      if let folder = parts.cacheFolder { await DiskCache.erase(folder: folder, deviceID: device.id) }
      try await store.deleteDevice(id: device.id)
      plans[device.id] = nil
    }
  }

  /// Ends the app on a device and launches it again, as if the phone's system had killed it; nil where it was deleted.
  package func relaunch(_ device: Device) async throws -> Device? {
    try await alone(device.id) {
      if let current = awake.removeValue(forKey: device.id) { await rest(current) }
      return try await wake(device.id)
    }
  }

  /// The devices that are awake now.
  package func awakeDevices() -> [Device] { Array(awake.values) }

  /// Puts every device to sleep.
  package func stop() async {
    isStopped = true
    let all = awake.values
    awake = [:]
    await withTaskGroup { group in
      for device in all { group.addTask { await device.stop() } }
    }
  }

  /// Runs the body while nobody else changes whether and how the device is awake.
  private func alone<Value>(_ id: String, _ body: () async throws -> Value) async rethrows -> Value {
    while queues[id] != nil {
      await withCheckedContinuation { queues[id, default: []].append($0) }
    }
    queues[id] = []
    defer {
      let waiting = queues.removeValue(forKey: id) ?? []
      for continuation in waiting { continuation.resume() }
    }
    return try await body()
  }

  private func wake(_ id: String) async throws -> Device? {
    guard !isStopped else { throw Problem.stopping }
    guard let record = try await store.device(id: id) else { return nil }
    evictIdle()
    guard makeRoom() else { throw Problem.tooManyAwake }
    let device = make(record)
    await device.start()
    guard !isStopped else {
      await device.stop()
      throw Problem.stopping
    }
    awake[id] = device
    return device
  }

  private func evictIdle() {
    for device in awake.values where queues[device.id] == nil && device.isIdle(for: Self.idleLimit) { evict(device) }
  }

  private func evict(_ device: Device) {
    awake[device.id] = nil
    keepPlan(of: device)
    Task { await device.stop() }
  }

  /// Whether one more may wake, for which the longest unused of many may have to sleep.
  private func makeRoom() -> Bool {
    guard awake.count >= limit else { return true }
    let resting = awake.values.filter { queues[$0.id] == nil && $0.isIdle(for: Self.restLimit) }
    guard let longest = resting.min(by: { $0.lastUse < $1.lastUse }) else { return false }
    evict(longest)
    return true
  }

  /// Puts a device to sleep whose rules are to be there when it wakes.
  private func rest(_ device: Device) async {
    await device.stop()
    keepPlan(of: device)
  }

  private func keepPlan(of device: Device) {
    let plan = device.faults.plan
    plans[device.id] = plan.entries.isEmpty ? nil : plan
  }

  /// What is kept of the messages that a device asked for, awake or not.
  nonisolated func ledger(deviceID: String) -> DeviceLedger {
    DeviceLedger(
      database: parts.database, key: parts.key, tagKey: parts.tagKey, rows: store.rows, deviceID: deviceID,
      backendID: parts.backend.id,
      wall: parts.time.wall)
  }

  private func make(_ record: BrowserStore.DeviceRecord) -> Device {
    let events = EventChannel(epoch: Hex.encode(SecureRandom.bytes(4)))
    let secrets = SecretRegistry(tagKey: SecureRandom.bytes(32))
    if let secret = parts.apiSecret { secrets.register(secret, kind: .key) }
    let timeline = DeviceTimeline(wall: parts.time.wall)
    let log = NetworkLog(
      capacity: AppConfig().networkLogCapacity, bodyBytes: 16 << 20, registry: secrets, backlog: Self.backlog
    ) { row in
      timeline.note(row)
      events.publish("network", data: row.json)
    }
    let client = ClientStack(
      configuration: ClientConfiguration(
        origin: parts.backend.origin, backendID: parts.backend.id, deviceID: record.id, apiID: parts.apiID,
        apiSecret: parts.apiSecret, userAgent: "understudy/\(parts.version)"),
      transport: parts.transport,
      tokens: SealedTokenStore(database: parts.database, key: parts.key, backendID: parts.backend.id, deviceID: record.id),
      log: log, secrets: secrets, time: parts.time, logger: parts.logger,
      disk: parts.cacheFolder.map {
        DiskCache(folder: $0, key: parts.key, deviceID: record.id, backendID: parts.backend.id)
      }, faults: plans[record.id] ?? FaultPlan(), onAttempt: { [metrics] report in metrics.note(report) },
      onState: { state in
        // The row that is behind a transition comes first.
        log.flush()
        timeline.note(state)
      },
      onFault: { [time = parts.time] entries, armed in
        DeviceFaults.publish(entries, armed: armed, at: time.monotonic(), on: events)
      })
    let cues = CueSync(
      client: client, store: CueStore(database: parts.database, deviceID: record.id, backendID: parts.backend.id),
      time: parts.time, logger: parts.logger
    ) { notice in
      if let data = try? JSONCoding.encode(CueEventBody(notice), keys: .snakeCase) { events.publish("cue", data: data) }
    }
    let settings = AccountSettingsStore(
      database: parts.database, tagKey: parts.tagKey, deviceID: record.id, backendID: parts.backend.id)
    return Device(
      record: record, backend: parts.backend, client: client, cues: cues, log: log, secrets: secrets,
      ledger: ledger(deviceID: record.id),
      events: events, timeline: timeline, settings: settings, version: parts.version, time: parts.time, logger: parts.logger)
  }
}

extension Problem {
  static let tooManyAwake = Problem(.unavailable, "Too many devices are in use.", retryAfterSeconds: 5)
  /// The console stops, and another may be started in its place.
  static let stopping = Problem(.unavailable, "The console is stopping.", retryAfterSeconds: 1)
}

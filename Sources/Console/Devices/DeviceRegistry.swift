import Client
import Domain
import Locking
import Observability
import Server
import Storage
import Redaction

/// The devices that are awake; wakes, relaunches and deletes devices, and puts idle ones to sleep.
package actor DeviceRegistry {
  /// How long a device stays awake unused by default.
  package static let idleLimit = Duration.seconds(30 * 60)
  /// The maximum number of awake devices; waking one more puts the least recently used device to sleep.
  package static let awakeLimit = 2000
  /// How long a device has to be unused before it is put to sleep for another: its calls are over by then.
  private static let minimumIdleBeforeEviction = Duration.seconds(60)

  /// How long a device has to be unused before it frees memory that it can rebuild, and how often that is checked.
  private static let trimInterval = Duration.seconds(10)

  package nonisolated let store: BrowserStore
  private let factory: DeviceFactory
  /// The maximum number of awake devices.
  nonisolated let limit: Int
  /// How long a device stays awake unused.
  nonisolated let idleLimit: Duration
  var awake: [String: Device] = [:]
  private var plans = SleepingDeviceFaultRules()
  /// The masked users who are signed in on sleeping devices, by the device's id.
  var restingUsers: [String: String] = [:]
  /// The callers that wait for a device that is being woken, relaunched or deleted; it has an entry for as long as that takes.
  var queues: [String: [CheckedContinuation<Void, Never>]] = [:]
  private var isStopped = false
  /// Devices that go to sleep and are not asleep yet.
  var sleepTasks: [String: Task<Void, Never>] = [:]
  /// Evicts unused devices as long as any is awake.
  private var idleTimer: Task<Void, Never>?
  /// Checks where devices are, if there are other consoles.
  var checking: Task<Void, Never>?

  /// Whether load balancers must stop sending requests.
  nonisolated let isDraining = Locked(false)

  /// Where logs and recordings are saved; nil if they end with the devices' sleep.
  nonisolated var savedLog: SavedLogStore? { factory.dependencies.savedLog?.store }

  /// The key of the tags that stand for identifiers.
  nonisolated var tagKey: [UInt8] { factory.dependencies.tagKey }

  /// Which devices are awake on this console.
  nonisolated var placement: any DevicePlacement<WriteFence> { factory.dependencies.placement }

  /// A registry in which every device sleeps; at most `limit` can be awake at a time, and each for `idleLimit` after its last use.
  package init(
    dependencies: DeviceFactory.Dependencies, limit: Int = DeviceRegistry.awakeLimit,
    idleLimit: Duration = DeviceRegistry.idleLimit
  ) {
    store = BrowserStore(
      storage: dependencies.storage, rows: AccessRows(key: dependencies.key, logger: dependencies.logger),
      isShared: dependencies.placement.isShared, onRemoval: dependencies.onRemoval, wall: dependencies.time.wall)
    factory = DeviceFactory(dependencies: dependencies, rows: store.rows)
    self.limit = limit
    self.idleLimit = idleLimit
  }

  /// The attempts of all devices' clients.
  package nonisolated var metrics: ClientMetrics { factory.metrics }

  /// The device of the record, awake; nil if it was deleted.
  ///
  /// Throws `Problem` while the console stops: a page that reads that its device is unknown forgets the key.
  package func device(_ record: BrowserStore.DeviceRecord) async throws -> Device? { try await device(record) { _ in } }

  /// The device of the record with one more call counted, which keeps it here until the caller ends the call; nil if it was deleted.
  ///
  /// Counted before anything else can put the device to sleep. Throws as `device(_:)`.
  func deviceForCall(_ record: BrowserStore.DeviceRecord) async throws -> Device? {
    try await device(record) { $0.calls.begin() }
  }

  private func device(_ record: BrowserStore.DeviceRecord, _ found: (Device) -> Void) async throws -> Device? {
    if let device = awake[record.id], queues[record.id] == nil, placement.isCertain {
      device.touch()
      found(device)
      return device
    }
    // After a pause or a lost connection, other consoles may have taken devices. A check that began before may have missed
    // that.
    for _ in 0..<2 {
      if !placement.isCertain { try await checkPlaces() }
    }
    return try await exclusively(record.id) {
      let device = if let device = awake[record.id] { device } else { try await wake(record.id) }
      if let device { found(device) }
      return device
    }
  }

  /// Deletes a device with everything it stored, and ends its streams.
  package func delete(_ device: Device) async throws {
    try await exclusively(device.id) {
      // The row first: calls from now on find no device, however long the rest takes.
      try await store.deleteDevice(id: device.id)
      let current = awake.removeValue(forKey: device.id) ?? device
      current.events.close()
      await current.client.auth.logout(.user)
      await current.stop()
      await factory.eraseCache(deviceID: device.id)
      // The next start of the console removes the rest.
      try? await factory.dependencies.savedLog?.store.remove(deviceID: device.id)
      try await store.deleteDevice(id: device.id)
      await placement.forget(device.id)
      plans.forget(device.id)
      restingUsers[device.id] = nil
    }
  }

  /// Kills the app on a device and launches it again; returns nil if the device was deleted.
  package func relaunch(_ device: Device) async throws -> Device? {
    try await exclusively(device.id) {
      if let current = awake.removeValue(forKey: device.id) { await rest(current) }
      return try await wake(device.id, isLaunch: true)
    }
  }

  /// The memory that the texts of sleeping devices' fault rules take, in bytes.
  var restingTextBytes: Int { plans.textBytes }

  /// The saved rows and bytes on disk of the devices with the most of each.
  func savedBounds() async -> [Bound] {
    guard let store = factory.dependencies.savedLog?.store, let size = try? await store.largest() else { return [] }
    return [
      Bound("saved_rows", limit: store.limits.rows, used: size.rows),
      Bound("saved_bytes", limit: store.limits.bytes, used: size.bytes),
      Bound("saved_days", limit: store.limits.days),
      Bound("recordings", limit: RecordingStore.Limits().total, used: (try? await store.recordingCount()) ?? 0),
      Bound("imported_file_bytes", limit: RecordingImport.sizeLimit),
    ]
  }

  /// The devices that are awake now.
  package func awakeDevices() -> [Device] { Array(awake.values) }

  /// Puts every device to sleep, and gives all of them to other consoles if there are any.
  ///
  /// A call that runs may take that long. With a shared database the limit is `CallCount.finishTimeout`, because other consoles wait for
  /// the devices.
  package func stop(finishingCallsWithin limit: Duration = CallCount.finishTimeout) async {
    isStopped = true
    idleTimer?.cancel()
    checking?.cancel()
    let all = awake.values
    awake = [:]
    for task in sleepTasks.values { await task.value }
    await withTaskGroup { group in
      for device in all {
        group.addTask {
          device.endStreams()
          await device.finishCalls(within: self.placement.isShared ? CallCount.finishTimeout : limit)
          await device.stop()
        }
      }
    }
    // Those that are given back while the console stops stay here until their calls are over.
    for id in queues.keys { await exclusively(id) {} }
    await placement.end()
  }

  /// Runs the body while no other caller wakes, relaunches or deletes the device.
  func exclusively<Value>(_ id: String, _ body: () async throws -> Value) async rethrows -> Value {
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

  /// The response while the console stops. Other consoles of the database take its devices meanwhile.
  private var stopping: Problem { placement.isShared ? .moving(afterSeconds: 1) : .stopping }

  private func wake(_ id: String, isLaunch: Bool = false) async throws -> Device? {
    guard !isStopped else { throw stopping }
    guard let record = try await store.device(id: id) else { return nil }
    evictIdle()
    guard makeRoom() else { throw Problem.tooManyAwake }
    await sleepTasks.removeValue(forKey: id)?.value
    let fence = try await placement.claim(id)
    let savedLog = await factory.savedLog(of: record, fence: fence)
    if fence != nil, savedLog == nil, self.savedLog != nil {
      // Without its log and rules the device would be incomplete; the database is soon available again.
      await placement.release(id)
      throw StorageError.unreachable("the device's log cannot be read")
    }
    let device = factory.device(
      record, faults: faults(of: id, savedLog?.saved), savedLog: savedLog, fence: fence, isLaunch: isLaunch)
    await device.start()
    guard !isStopped else {
      await device.stop()
      throw stopping
    }
    awake[id] = device
    if let fence, await !placement.holds(id, by: fence) {
      // Another console took it while it woke, and the callers that were sent there found it missing here.
      if awake[id] === device { awake[id] = nil }
      await device.stop()
      throw Problem.moving(afterSeconds: 1)
    }
    startIdleTimer()
    return device
  }

  private func startIdleTimer() {
    guard idleTimer == nil else { return }
    let time = factory.dependencies.time
    idleTimer = Task { [weak self] in
      repeat {
        guard (try? await time.sleep(time.monotonic() + Self.trimInterval)) != nil else { return }
      } while await self?.evictUnused() == true
    }
  }

  /// Puts idle devices to sleep, and frees memory of the others.
  ///
  /// - Returns: Whether a device is still awake.
  @discardableResult package func evictUnused() -> Bool {
    evictIdle()
    for device in awake.values where device.lastUse + Self.trimInterval <= factory.dependencies.time.monotonic() {
      device.secrets.releasePreparedSearch()
      device.log.releaseCachedJSON()
    }
    guard awake.isEmpty else { return true }
    idleTimer = nil
    return false
  }

  private func evictIdle() {
    for device in awake.values where queues[device.id] == nil && device.isIdle(for: idleLimit) { evict(device) }
  }

  private func evict(_ device: Device) {
    awake[device.id] = nil
    keepPlan(of: device)
    sleepTasks[device.id] = Task {
      // No caller waits for it, so a refresh has as much time as a call.
      await keepUser(of: device)
      await device.stop(refreshTimeout: .seconds(30))
      await placement.release(device.id)
      sleepEnded(device.id)
    }
  }

  func sleepEnded(_ id: String) {
    sleepTasks[id] = nil
  }

  /// The rules of a device that wakes: those of its last sleep in this process, or else the saved ones.
  private func faults(of id: String, _ saved: SavedLogContents?) -> FaultPlan {
    let kept = plans.plan(of: id)
    guard let saved, kept.entries.isEmpty else { return kept }
    let time = factory.dependencies.time
    return FaultPlan(saved.faults, at: .init(monotonic: time.monotonic(), wall: time.wall()))
  }

  /// Whether one more device can wake; puts the least recently used device to sleep if necessary.
  private func makeRoom() -> Bool {
    guard awake.count >= limit else { return true }
    let resting = awake.values.filter { queues[$0.id] == nil && $0.isIdle(for: Self.minimumIdleBeforeEviction) }
    guard let longest = resting.min(by: { $0.lastUse < $1.lastUse }) else { return false }
    evict(longest)
    return true
  }

  /// Puts a device to sleep and keeps its fault rules.
  private func rest(_ device: Device) async {
    await keepUser(of: device)
    await device.stop()
    keepPlan(of: device)
  }

  private func keepPlan(of device: Device) {
    // Another console may change them before it wakes here again.
    guard !placement.isShared else { return }
    plans.keep(device.faults.plan, of: device.id)
  }

  /// The messages that a device requested, awake or not.
  nonisolated func signInRequests(deviceID: String) -> SignInRequestStore { factory.signInRequests(deviceID: deviceID) }
}

extension Problem {
  static let tooManyAwake = Problem(.unavailable, "Too many devices are in use.", retryAfterSeconds: 5)
  /// The console stops, and another may be started in its place.
  static let stopping = Problem(.unavailable, "The console is stopping.", retryAfterSeconds: 1)
}

package import Client
package import Domain
import JSON
package import Logging
import Observability
package import Redaction
import Server
package import Storage
import Text
package import Vault

/// Creates devices: their parts, and the connections of their log, timeline, events and client.
package struct DeviceFactory: Sendable {
  /// The objects that all devices share.
  package struct Dependencies: Sendable {
    package let storage: any StorageEngine
    package let key: SealingKey
    /// The folder of the devices' HTTP caches; nil for caches in memory.
    package let cacheFolder: String?
    /// The key of the tags that stand for identifiers.
    package let tagKey: [UInt8]
    package let backend: BackendLink
    package let transport: Transport
    package let apiID: String?
    package let apiSecret: String?
    package let version: String
    package let time: Time
    package let logger: Logger
    /// Compares the devices' exchanges with the backend's OpenAPI document.
    package let drift: DriftDetector
    /// Saves the devices' logs, timelines and fault rules; nil if they end with the device's sleep.
    package let savedLog: SavedLogWriter?
    /// Says which devices are awake on this console.
    package let placement: any DevicePlacement<WriteFence>
    /// The work to do before a browser is deleted.
    package let onRemoval: BrowserStore.Removal
    /// Whether an authenticating proxy identifies the callers.
    package let knowsPersons: Bool
    /// The rules for masking the devices' logs.
    package let redactionRules: RedactionRules
    /// The pauses of the devices' clients.
    package let backoff: Backoff

    /// Without `drift`, nothing is compared; without `savedLog`, logs and timelines are not saved; without
    /// `placement`, no other console may use the same database; with persons, `onRemoval` has to let go of them.
    package init(
      storage: any StorageEngine, key: SealingKey, cacheFolder: String? = nil, tagKey: [UInt8], backend: BackendLink,
      transport: Transport, apiID: String?, apiSecret: String?, version: String, time: Time, logger: Logger,
      drift: DriftDetector? = nil, savedLog: SavedLogWriter? = nil,
      placement: any DevicePlacement<WriteFence> = SingleConsolePlacement(),
      onRemoval: @escaping BrowserStore.Removal = { _, _, _ in },
      knowsPersons: Bool = false, redactionRules: RedactionRules = .all, backoff: Backoff = .standard
    ) {
      self.backoff = backoff
      self.redactionRules = redactionRules
      self.storage = storage
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
      self.drift = drift ?? .off
      self.savedLog = savedLog
      self.placement = placement
      self.onRemoval = onRemoval
      self.knowsPersons = knowsPersons
    }
  }

  /// How many changes of a device's log may wait to be recorded.
  private static let backlog = 512
  /// The memory for the bodies of a device's log, in bytes.
  private static let bodyBytes = 16 << 20

  let dependencies: Dependencies
  let rows: AccessRows
  let metrics = ClientMetrics()

  /// A device's saved records, and the connection that saves further ones; nil if nothing is saved or the storage fails.
  func savedLog(
    of record: BrowserStore.DeviceRecord, fence: WriteFence? = nil
  ) async -> (connection: DeviceSavedLog, saved: SavedLogContents)? {
    guard let writer = dependencies.savedLog else { return nil }
    let owner = SavedLogOwner(deviceID: record.id, backendID: dependencies.backend.id, fence: fence)
    do {
      let saved = try await writer.store.load(owner, limit: AppConfig().networkLogCapacity, at: dependencies.time.wall())
      return (DeviceSavedLog(owner: owner, writer: writer), saved)
    } catch {
      dependencies.logger.warning("a device's saved log cannot be read; it starts empty and is not saved")
      return nil
    }
  }

  /// A device that has not been started.
  func device(
    _ record: BrowserStore.DeviceRecord, faults: FaultPlan,
    savedLog: (connection: DeviceSavedLog, saved: SavedLogContents)? = nil,
    fence: WriteFence? = nil, isLaunch: Bool = true
  ) -> Device {
    let storage = fence.map { FencedStorage(dependencies.storage, fence: $0) as any StorageEngine } ?? dependencies.storage
    let backend = dependencies.backend
    let time = dependencies.time
    let connection = savedLog?.connection

    // The same key at each launch, so that equal secrets look equal in saved rows too.
    let secrets = SecretRegistry(
      tagKey: HMAC.sha256(Array("log tags\0\(record.id)".utf8), key: dependencies.tagKey), rules: dependencies.redactionRules)
    if let secret = dependencies.apiSecret { secrets.register(secret, kind: .key) }

    let events = EventChannel(epoch: Hex.encode(SecureRandom.bytes(4)))
    let timeline = DeviceTimeline(wall: time.wall) { connection?.changed() }
    let lastCall = LastCallWatch()
    // Every change of a row goes to the timeline and then to the pages. Drift is found after the row has ended, and is no news to
    // the timeline.
    let log = NetworkLog(
      capacity: AppConfig().networkLogCapacity, bodyBytes: Self.bodyBytes, registry: secrets, backlog: Self.backlog,
      comparer: dependencies.drift.comparer
    ) { row in
      if row.drift == nil { timeline.note(row) }
      events.publish("network", data: row.json)
      connection?.changed()
    }
    if let saved = savedLog?.saved {
      log.restore(saved.attempts, older: saved.older, next: saved.next, gaps: saved.gaps)
      timeline.restore(saved.timeline)
    }

    var configuration = ClientConfiguration(
      origin: backend.origin, backendID: backend.id, deviceID: record.id, apiID: dependencies.apiID,
      apiSecret: dependencies.apiSecret, userAgent: "understudy/\(dependencies.version)")
    configuration.backendFile = backend.file
    // On another console, the app continues without a launch.
    (configuration.isShared, configuration.isLaunch) = (fence != nil, fence == nil || isLaunch)
    let client = ClientStack(
      configuration: configuration, transport: dependencies.transport,
      tokens: SealedTokenStore(
        storage: storage, key: dependencies.key, backendID: backend.id, deviceID: record.id),
      log: log, secrets: secrets, time: time, logger: dependencies.logger,
      disk: dependencies.cacheFolder.map {
        DiskCache(folder: $0, key: dependencies.key, deviceID: record.id, backendID: backend.id)
      },
      signIns: backend.file.map { _ in
        SealedSignInStore(storage: storage, key: dependencies.key, backendID: backend.id, deviceID: record.id)
      },
      faults: faults, backoff: dependencies.backoff,
      onAttempt: { [metrics] report in
        metrics.note(report)
        lastCall.note(report)
      },
      onState: { state in
        // The timeline needs the row that caused a transition before the transition.
        log.flush()
        timeline.note(state)
      },
      onFault: { entries, plan in
        let now = time.monotonic()
        timeline.noteHits(of: entries, in: plan, at: now)
        DeviceFaults.publish(entries, armed: plan.armedCount(at: now), at: now, on: events)
      })

    connection?.connect(log: log, timeline: timeline, savedFaults: faults.entries) { client.faults.plan }

    let cues = CueSync(
      client: client, store: CueStore(storage: storage, deviceID: record.id, backendID: backend.id), time: time,
      logger: dependencies.logger
    ) { notice in
      if let data = try? JSONCoding.encode(notice, keys: .snakeCase) { events.publish("cue", data: data) }
    }

    return Device(
      record: record, backend: backend, client: client, cues: cues, log: log, secrets: secrets,
      signInRequests: signInRequests(deviceID: record.id, in: storage), events: events, timeline: timeline,
      settings: AccountSettingsStore(
        storage: storage, tagKey: dependencies.tagKey, deviceID: record.id, backendID: backend.id),
      version: dependencies.version, time: time, logger: dependencies.logger, drift: dependencies.drift, lastCall: lastCall,
      savedLog: connection,
      knowsPersons: dependencies.knowsPersons)
  }

  /// The messages that a device requested, awake or not.
  func signInRequests(deviceID: String, in storage: (any StorageEngine)? = nil) -> SignInRequestStore {
    SignInRequestStore(
      storage: storage ?? dependencies.storage, key: dependencies.key, tagKey: dependencies.tagKey, rows: rows,
      deviceID: deviceID,
      backendID: dependencies.backend.id, wall: dependencies.time.wall)
  }

  /// Deletes a device's HTTP cache on disk.
  func eraseCache(deviceID: String) async {
    guard let folder = dependencies.cacheFolder else { return }
    await DiskCache.erase(folder: folder, deviceID: deviceID)
  }
}

/// The console's backend: its origin, and the control of the embedded one.
package struct BackendLink: Sendable {
  /// The backend's origin, `https://host:port`.
  package let origin: String
  /// The id under which devices store their data for this backend: its origin, or the id of the embedded backend's data.
  package let id: String
  /// Hosts whose deep links are trusted, in addition to those in the backend's configuration.
  package let linkHosts: [String]
  /// The control of the embedded backend; nil for any other.
  package let embedded: EmbeddedBackend?
  /// The backend file, which replaces the contract; nil for the contract itself.
  package let file: ActiveBackendFile?

  /// The user actions that the backend offers.
  var offer: BackendOffer { file?.content.offer ?? .contract }

  package init(
    origin: String, id: String, linkHosts: [String], embedded: EmbeddedBackend?, file: ActiveBackendFile? = nil
  ) {
    self.file = file
    self.origin = origin
    self.id = id
    self.linkHosts = linkHosts
    self.embedded = embedded
  }
}

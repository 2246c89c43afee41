package import Client
package import Domain
package import GRDB
package import Logging
import JSON
import Observability
import Server
package import Vault

/// The devices that are awake, and the way to wake those that are kept (contract §2.2).
package actor DeviceRegistry {
  /// What every device is made of.
  package struct Parts: Sendable {
    package let database: any DatabaseWriter
    package let key: SealingKey
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
      database: any DatabaseWriter, key: SealingKey, tagKey: [UInt8], backend: BackendLink, transport: Transport, apiID: String?,
      apiSecret: String?, version: String, time: Time, logger: Logger
    ) {
      self.database = database
      self.key = key
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

  package nonisolated let store: BrowserStore
  private let parts: Parts
  private var awake: [String: Task<Device, Never>] = [:]
  private var devices: [String: Device] = [:]
  private var isStopped = false

  /// Makes a registry in which every device sleeps.
  package init(parts: Parts) {
    self.parts = parts
    store = BrowserStore(database: parts.database, wall: parts.time.wall)
  }

  /// The device of the record, woken where it slept; nil once the console stops.
  package func device(_ record: BrowserStore.DeviceRecord) async -> Device? {
    if let task = awake[record.id] {
      let device = await task.value
      device.touch()
      return device
    }
    guard !isStopped else { return nil }
    evictIdle()
    let device = make(record)
    devices[record.id] = device
    let task = Task {
      await device.start()
      return device
    }
    awake[record.id] = task
    return await task.value
  }

  /// Forgets a device wholly: its streams end within the second, nothing of it is left (contract §2.3).
  package func delete(_ device: Device) async throws {
    awake[device.id] = nil
    devices[device.id] = nil
    await device.client.auth.logout(.user)
    await device.stop()
    try await store.deleteDevice(id: device.id)
  }

  /// Ends the app on a device and launches it again, as if the phone's system had killed it.
  package func relaunch(_ device: Device) async -> Device? {
    awake[device.id] = nil
    devices[device.id] = nil
    await device.stop()
    return await self.device(BrowserStore.DeviceRecord(id: device.id, browserID: device.browserID, name: device.name))
  }

  /// The devices that are awake now.
  package func awakeDevices() -> [Device] { Array(devices.values) }

  /// Puts every device to sleep.
  package func stop() async {
    isStopped = true
    let all = devices.values
    devices = [:]
    awake = [:]
    await withTaskGroup { group in
      for device in all { group.addTask { await device.stop() } }
    }
  }

  private func evictIdle() {
    for device in devices.values where device.isIdle(for: Self.idleLimit) {
      awake[device.id] = nil
      devices[device.id] = nil
      Task { await device.stop() }
    }
  }

  private func make(_ record: BrowserStore.DeviceRecord) -> Device {
    let events = EventChannel(epoch: Hex.encode(SecureRandom.bytes(4)))
    let secrets = SecretRegistry(tagKey: SecureRandom.bytes(32))
    if let secret = parts.apiSecret { secrets.register(secret, kind: .key) }
    let log = NetworkLog(capacity: AppConfig().networkLogCapacity, bodyBytes: 16 << 20, registry: secrets) { row in
      if let data = try? JSONCoding.encode(row) { events.publish("network", data: data) }
    }
    let client = ClientStack(
      configuration: ClientConfiguration(
        origin: parts.backend.origin, backendID: parts.backend.id, deviceID: record.id, apiID: parts.apiID,
        apiSecret: parts.apiSecret, userAgent: "understudy/\(parts.version)"),
      transport: parts.transport,
      tokens: TokenStore(database: parts.database, key: parts.key, backendID: parts.backend.id, deviceID: record.id),
      log: log, secrets: secrets, time: parts.time, logger: parts.logger)
    let ledger = DeviceLedger(
      database: parts.database, key: parts.key, tagKey: parts.tagKey, deviceID: record.id, backendID: parts.backend.id,
      wall: parts.time.wall)
    return Device(
      record: record, backend: parts.backend, client: client, log: log, secrets: secrets, ledger: ledger, events: events,
      version: parts.version, time: parts.time)
  }
}

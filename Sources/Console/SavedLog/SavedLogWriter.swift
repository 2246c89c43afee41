package import Domain
import Locking
package import Logging
import Storage

/// Saves devices' records in the background: a change costs a flag, and a batch is written after a quarter of a second or 256
/// changes.
package final class SavedLogWriter: Sendable {
  private struct State {
    /// The devices with something to save.
    var waiting: [SavedLogOwner: DeviceSavedLog] = [:]
    /// How many changes wait, about.
    var changes = 0
    /// Begins the next write.
    var timer: Task<Void, Never>?
    /// The last write, which the next one waits for.
    var last: Task<Set<SavedLogOwner>, Never>?
    var isFailing = false
  }

  /// How long a change waits for others.
  private static let delay = Duration.milliseconds(250)
  /// How many changes do not wait.
  package static let batchLimit = 256
  /// How long after a failed write the next one is tried.
  private static let retryDelay = Duration.seconds(5)

  package let store: SavedLogStore
  private let time: Time
  private let logger: Logger
  private let state = Locked(State())

  package init(store: SavedLogStore, time: Time, logger: Logger) {
    self.store = store
    self.time = time
    self.logger = logger
  }

  /// Notes that a device has changes to save.
  func note(_ device: DeviceSavedLog, changes: Int) {
    let isFull = state.withLock { state in
      state.waiting[device.owner] = device
      state.changes += changes
      if state.timer == nil { state.timer = timer(Self.delay) }
      guard state.changes >= Self.batchLimit, !state.isFailing else { return false }
      state.changes = 0
      return true
    }
    if isFull { _ = begin() }
  }

  private func timer(_ delay: Duration) -> Task<Void, Never> {
    Task.detached(priority: .utility) { [weak self, time] in
      guard (try? await time.sleep(time.monotonic() + delay)) != nil else { return }
      _ = self?.begin()
    }
  }

  /// Writes all waiting changes; returns when they are saved or could not be saved.
  private func flush() async { _ = await begin().value }

  /// Writes all waiting changes, including the device's; returns whether the device's are saved.
  func flush(_ device: DeviceSavedLog) async -> Bool { await !begin(with: device).value.contains(device.owner) }

  /// Writes the waiting changes and closes the file; later writes fail.
  package func closeFile() async {
    await flush()
    await store.storage.close()
  }

  /// Includes `device` even if it has nothing waiting: an earlier write that took its records may still fail, and this one then saves them.
  private func begin(with device: DeviceSavedLog? = nil) -> Task<Set<SavedLogOwner>, Never> {
    state.withLock { state in
      if let device { state.waiting[device.owner] = device }
      state.timer?.cancel()
      state.timer = nil
      let devices = Array(state.waiting.values)
      state.waiting = [:]
      state.changes = 0
      let earlier = state.last
      let write = Task.detached(priority: .utility) {
        _ = await earlier?.value
        return await self.write(devices)
      }
      state.last = write
      return write
    }
  }

  /// The owners whose records could not be saved.
  private func write(_ devices: [DeviceSavedLog]) async -> Set<SavedLogOwner> {
    let taken = devices.compactMap { device in device.take().map { (device, $0) } }
    guard !taken.isEmpty else { return [] }
    do {
      try await store.save(taken.map(\.1))
      state.withLock { $0.isFailing = false }
      return []
    } catch {
      for (device, batch) in taken { device.putBack(batch) }
      let isNew = state.withLock { state in
        for (device, _) in taken { state.waiting[device.owner] = device }
        state.timer?.cancel()
        state.timer = timer(Self.retryDelay)
        defer { state.isFailing = true }
        return !state.isFailing
      }
      if isNew { logger.warning("the network log cannot be saved; it is tried again", metadata: ["error": "\(error)"]) }
      return Set(taken.map(\.0.owner))
    }
  }
}

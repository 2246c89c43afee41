import Domain
import Locking
import Server

extension DeviceRegistry {
  /// Whether the console accepts devices: it is not stopping, and its list of devices is current.
  nonisolated var isReady: Bool { !isDraining.withLock { $0 } && placement.isReady }

  /// Reports that the console is not ready, and waits for `delay` so that balancers notice.
  package nonisolated func drain(for delay: Duration) async {
    isDraining.withLock { $0 = true }
    if delay > .zero { try? await Task.sleep(for: delay) }
  }

  /// Checks from now on where devices are; throws `Problem` if the database cannot be reached. Does nothing without other consoles.
  package func startCheckingPlaces() async throws {
    guard placement.isShared, checking == nil else { return }
    try await checkPlaces()
    checking = Task { [weak self, placement] in
      for await _ in placement.checkTimes() { try? await self?.checkPlaces() }
    }
  }

  /// Evicts the devices that other consoles have taken, and releases those that other consoles wait for.
  func checkPlaces() async throws {
    let changes = try await placement.check()
    for id in changes.lost { drop(id) }
    for id in changes.requested where queues[id] == nil {
      Task { await release(id) }
    }
  }

  /// Evicts a device that is awake on another console; its further writes are rejected.
  private func drop(_ id: String) {
    guard let device = awake.removeValue(forKey: id) else { return }
    device.events.close()
    sleepTasks[id] = Task {
      await device.stop()
      sleepEnded(id)
    }
  }

  /// Puts a device to sleep once its calls are over, and releases it to another console.
  private func release(_ id: String) async {
    await exclusively(id) {
      if let device = awake.removeValue(forKey: id) {
        device.events.close()
        await device.finishCalls()
        await device.stop()
      }
      await sleepTasks.removeValue(forKey: id)?.value
      await placement.release(id)
    }
  }
}

extension Problem {
  /// The database that the consoles share cannot be reached.
  static let databaseAway = Problem(
    .unavailable, "The database cannot be reached.", retryAfterSeconds: 1, reason: .databaseAway)
  /// The device moved to another console while a call ran, which may have been carried out or not.
  static let moved = Problem(
    .unavailable, "The device moved to another console during the call.", retryAfterSeconds: 1, reason: .moved)
  /// The device is on its way from or to another console; nothing was done, and the same request succeeds a moment later.
  static func moving(afterSeconds seconds: Int) -> Problem {
    Problem(.unavailable, "The device moves to another console.", retryAfterSeconds: seconds, reason: .moving)
  }
}

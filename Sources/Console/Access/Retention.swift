package import Domain
import FoundationEssentials
package import Logging
import Storage

/// Deletes expired data: browsers and people that were not seen for 90 days, with their data, and old entries of the audit log.
///
/// A new browser or person does the same; this also covers consoles without new visitors.
package struct Retention: Sendable {
  /// How often a console looks.
  package static let interval = Duration.seconds(86_400)

  private let registry: DeviceRegistry
  private let users: any DeviceUsers
  private let time: Time
  private let logger: Logger

  package init(registry: DeviceRegistry, users: any DeviceUsers, time: Time, logger: Logger) {
    (self.registry, self.users, self.time, self.logger) = (registry, users, time, logger)
  }

  /// Removes it once a day, for the first time in a day, until the task is cancelled.
  package func run() async {
    while (try? await time.sleep(time.monotonic() + Self.interval)) != nil { await remove() }
  }

  /// Removes it now; what cannot be removed is left for the next day.
  package func remove() async {
    do {
      try await registry.store.removeExpired()
      try await users.prune()
      try await registry.removeOrphanedRecordings(users)
    } catch {
      logger.warning("what has outlived its time could not be removed; it is tried again in a day")
    }
  }
}

extension BrowserStore {
  /// Deletes the browsers and persons that were not seen for ``lifetime``, with what is theirs.
  func removeExpired() async throws {
    let now = wall().timeIntervalSince1970
    let hasPruned = try await storage.write { try prune($0, now: now) }
    guard hasPruned else { return }
    credentials.removeAll()
    await removeTraces()
  }
}

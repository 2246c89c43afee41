package import Domain
import FoundationEssentials
package import Logging
import Storage

/// Deletes expired data: browsers and people that were not seen for 90 days, with their data, and old entries of the audit log.
///
/// A new browser or person does the same; this also covers consoles without new visitors.
package struct Retention: Sendable {
  /// How often a console deletes expired data.
  package static let interval = Duration.seconds(86_400)

  private let registry: DeviceRegistry
  private let removeFurther: @Sendable () async throws -> Void
  private let time: Time
  private let logger: Logger

  /// `removeFurther` is called after the browsers were removed.
  package init(
    registry: DeviceRegistry, time: Time, logger: Logger, removeFurther: @escaping @Sendable () async throws -> Void = {}
  ) {
    self.registry = registry
    self.time = time
    self.logger = logger
    self.removeFurther = removeFurther
  }

  /// Deletes expired data once a day, for the first time after a day, until the task is canceled.
  package func run() async {
    while (try? await time.sleep(time.monotonic() + Self.interval)) != nil { await remove() }
  }

  /// Deletes expired data now; a failed deletion is repeated the next day.
  package func remove() async {
    do {
      try await registry.store.removeExpired()
      try await removeFurther()
    } catch {
      logger.warning("expired data could not be deleted; retrying in a day")
    }
  }
}

extension BrowserStore {
  /// Deletes the browsers and people that were not seen for ``lifetime``, with their data.
  func removeExpired() async throws {
    let now = wall().timeIntervalSince1970
    let hasPruned = try await storage.write { try prune($0, now: now) }
    guard hasPruned else { return }
    credentials.removeAll()
    await removeTraces()
  }
}

import Client
import Domain
import FoundationEssentials
import JSON
import Server
import Locking
import Vault

/// Changes a device's fault rules; every change, hit and expiry is published as an event and recorded in the timeline.
package final class DeviceFaults: Sendable {
  private struct Watch {
    var timer: Task<Void, Never>?
    /// Up to when expiries have been reported.
    var reported: ContinuousClock.Instant
    var isStopped = false
  }

  private let injector: FaultInjector
  private let events: EventChannel
  private let timeline: DeviceTimeline
  private let time: Time
  private let watch: Locked<Watch>

  /// `start()` begins to watch for expiries.
  init(injector: FaultInjector, events: EventChannel, timeline: DeviceTimeline, time: Time) {
    self.injector = injector
    self.events = events
    self.timeline = timeline
    self.time = time
    watch = Locked(Watch(reported: time.monotonic()))
  }

  /// The plan, for the device's next launch.
  var plan: FaultPlan { injector.plan }

  /// The rules in their order.
  var bodies: [FaultBody] {
    let now = time.monotonic()
    return injector.plan.entries.map { FaultBody($0, at: now) }
  }

  /// How many rules can act now.
  var armed: Int { injector.plan.armedCount(at: time.monotonic()) }

  /// Arms rules after the others, all or none; nil if there would be too many.
  func arm(_ rules: [(rule: FaultRule, lifetime: Int)]) -> [FaultBody]? {
    let entries = injector.change { plan, moment -> [FaultEntry]? in
      guard plan.entries.count + rules.count <= FaultPlan.limit else { return nil }
      return rules.compactMap { plan.arm($0.rule, id: SecureRandom.uuid(), forSeconds: $0.lifetime, at: moment) }
    }
    guard let entries else { return nil }
    for entry in entries { note(entry, from: nil, to: FaultEntry.State.armed.rawValue) }
    hasChanged()
    let now = time.monotonic()
    return entries.map { FaultBody($0, at: now) }
  }

  /// Changes a rule; nil if there is none with the id. Throws `invalid_request`.
  func change(id: String, _ input: FaultInput) throws -> FaultBody? {
    let result = injector.change { plan, moment -> Result<(FaultEntry, FaultEntry)?, any Error> in
      Result {
        guard let before = plan.entry(id: id) else { return nil }
        _ = plan.change(id: id, try input.change(of: before.rule), at: moment)
        return plan.entry(id: id).map { (before, $0) }
      }
    }
    guard let (before, after) = try result.get() else { return nil }
    let now = time.monotonic()
    let (from, to) = (before.state(at: now), after.state(at: now))
    if from != to { note(after, from: from.rawValue, to: to.rawValue) }
    hasChanged()
    return FaultBody(after, at: now)
  }

  /// Removes a rule; false if there is none with the id.
  func remove(id: String) -> Bool {
    let entry = injector.change { plan, _ -> FaultEntry? in
      defer { _ = plan.remove(id: id) }
      return plan.entry(id: id)
    }
    guard let entry else { return false }
    note(entry, from: entry.state(at: time.monotonic()).rawValue, to: "removed")
    hasChanged()
    return true
  }

  /// Removes every rule.
  func removeAll() {
    let entries = injector.change { plan, _ -> [FaultEntry] in
      defer { plan.removeAll() }
      return plan.entries
    }
    let now = time.monotonic()
    for entry in entries { note(entry, from: entry.state(at: now).rawValue, to: "removed") }
    hasChanged()
  }

  // MARK: Events

  /// Publishes that rules acted on an attempt.
  static func publish(_ entries: [FaultEntry], armed: Int, at now: ContinuousClock.Instant, on events: EventChannel) {
    for entry in entries {
      publish(
        FaultEventBody(kind: .hit, armed: armed, id: entry.id, hits: entry.hits, state: entry.state(at: now)), on: events)
    }
  }

  private static func publish(_ body: FaultEventBody, on events: EventChannel) {
    if let data = try? JSONCoding.encode(body, keys: .snakeCase) { events.publish("fault", data: data) }
  }

  private func note(_ entry: FaultEntry, from: String?, to: String) {
    timeline.note(faultID: entry.id, from: from, to: to, kind: entry.rule.action.kind.rawValue)
  }

  private func hasChanged() {
    Self.publish(FaultEventBody(kind: .changed, armed: armed), on: events)
    schedule()
  }

  // MARK: Expiry

  /// Starts to watch for expiries.
  func start() { schedule() }

  /// Stops watching; the plan stays as it is.
  func stop() {
    let timer = watch.withLock { watch in
      watch.isStopped = true
      return watch.timer
    }
    timer?.cancel()
  }

  private func schedule() {
    let next = injector.plan.nextExpiry(after: time.monotonic())
    watch.withLock { watch in
      watch.timer?.cancel()
      watch.timer = nil
      guard let next, !watch.isStopped else { return }
      watch.timer = Task { [weak self, time] in
        guard (try? await time.sleep(next)) != nil else { return }
        self?.reportExpired()
      }
    }
  }

  /// Reports the rules that expired since the last report.
  private func reportExpired() {
    let now = time.monotonic()
    let since = watch.withLock { watch in
      defer { watch.reported = now }
      return watch.reported
    }
    let expired = injector.plan.entries.filter { entry in
      guard let expiry = entry.expiry else { return false }
      return entry.state(at: now) == .expired && expiry > since && expiry <= now
    }
    for entry in expired { note(entry, from: FaultEntry.State.armed.rawValue, to: FaultEntry.State.expired.rawValue) }
    if !expired.isEmpty { injector.noteExpiry() }
    hasChanged()
  }
}

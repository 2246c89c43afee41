import Client
import Domain
import FoundationEssentials
import JSON
import Server
import Locking
import Redaction
import Vault

/// Changes a device's fault rules; every change, hit and expiry is published as an event and recorded in the timeline.
package final class DeviceFaults: Sendable {
  private struct Watch {
    var timer: Task<Void, Never>?
    /// The instant up to which expiries have been reported.
    var reported: ContinuousClock.Instant
    var isStopped = false
  }

  private let injector: FaultInjector
  private let events: EventChannel
  private let timeline: DeviceTimeline
  private let time: Time
  private let watch: Locked<Watch>
  /// The last change that is saved before its response is sent.
  private let lastChange = Locked<Task<Void, Never>?>(nil)

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

  /// Arms rules after the others, all or none; throws the limit that they would exceed.
  func arm(_ rules: [FaultRule]) throws(FaultPlan.Limit) -> [FaultBody] {
    let result = change { plan, moment -> Result<[FaultEntry], FaultPlan.Limit> in
      if let limit = plan.limit(for: rules) { return .failure(limit) }
      return .success(rules.compactMap { plan.arm($0, id: SecureRandom.uuid(), at: moment) })
    }
    let entries = try result.get()
    let now = time.monotonic()
    return entries.map { FaultBody($0, at: now) }
  }

  /// Changes a rule; nil if there is none with the id. Throws a `Problem`, or the limit that the rule would exceed.
  func change(id: String, _ wanted: FaultChange, secrets: SecretRegistry) throws -> FaultBody? {
    let result = change(id: id) { plan, moment -> Result<FaultEntry?, any Error> in
      Result {
        guard let rule = plan.entry(id: id)?.rule else { return nil }
        let change = try wanted.completed(changing: rule, secrets: secrets)
        if let limit = plan.limit(for: [rule.changed(by: change)], replacing: id) { throw limit }
        _ = plan.change(id: id, change, at: moment)
        return plan.entry(id: id)
      }
    }
    return try result.get().map { FaultBody($0, at: time.monotonic()) }
  }

  /// Switches every rule of a preset on or off; nil if no rule comes from it.
  func change(preset: String, isArmed: Bool) -> [FaultBody]? {
    var change = FaultChange()
    change.isArmed = isArmed
    let entries = self.change { [change] plan, moment -> [FaultEntry] in
      let ids = plan.entries.filter { $0.rule.preset == preset }.map(\.id)
      for id in ids { _ = plan.change(id: id, change, at: moment) }
      return ids.compactMap { plan.entry(id: $0) }
    }
    let now = time.monotonic()
    return entries.isEmpty ? nil : entries.map { FaultBody($0, at: now) }
  }

  /// Removes a rule.
  ///
  /// - Returns: Whether the rule existed.
  func remove(id: String) -> Bool {
    change { plan, _ in plan.remove(id: id) }
  }

  /// Removes every rule of a preset; false if no rule comes from it.
  func remove(preset: String) -> Bool {
    change { plan, _ in
      let ids = plan.entries.filter { $0.rule.preset == preset }.map(\.id)
      for id in ids { _ = plan.remove(id: id) }
      return !ids.isEmpty
    }
  }

  /// Removes every rule.
  func removeAll() {
    change { plan, _ in plan.removeAll() }
  }

  // MARK: Saving

  /// Makes a change and saves it; nil if it could not be saved, and was taken back. Changes run one at a time, so that taking one back does
  /// not undo another.
  func change<Value: Sendable>(
    savedBy savedLog: DeviceSavedLog?, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value? {
    guard let savedLog else { return try body() }
    let change = lastChange.withLock { last in
      let change = Task { [earlier = last] in
        await earlier?.value
        let before = injector.plan.entries
        let value = try body()
        let after = injector.plan.entries
        if await savedLog.flush() { return Optional(value) }
        self.change { plan, _ in plan.takeBack(from: before, to: after) }
        // Another write may have saved it meanwhile.
        savedLog.changed()
        return nil
      }
      last = Task { _ = await change.result }
      return change
    }
    return try await change.value
  }

  /// Changes the plan, records the changes of its faults in the timeline, and publishes that they changed; `id` is the rule that
  /// is edited.
  private func change<Value: Sendable>(
    id: String? = nil, _ body: (inout sending FaultPlan, FaultPlan.Moment) -> sending Value
  ) -> Value {
    let (value, before, after) = injector.change { plan, moment -> (Value, [FaultEntry], [FaultEntry]) in
      let before = plan.entries
      let value = body(&plan, moment)
      return (value, before, plan.entries)
    }
    guard before != after else { return value }
    let now = time.monotonic()
    let edited = after.first { $0.id == id }
    // An edited rule leaves its preset but keeps its name: nothing was disarmed.
    let separate = edited?.rule.preset == nil ? id : nil
    let changes = NamedFault.changes(
      from: NamedFault.list(before, at: now, separate: separate), to: NamedFault.list(after, at: now))
    for change in changes { timeline.note(change) }
    hasChanged()
    return value
  }

  // MARK: Events

  /// Publishes that rules acted on an attempt.
  static func publish(_ entries: [FaultEntry], armed: Int, at now: ContinuousClock.Instant, on events: EventChannel) {
    for entry in entries {
      publish(
        FaultEventBody(kind: .hit, armed: armed, id: entry.id, hits: entry.progress.hits, state: entry.state(at: now)), on: events
      )
    }
  }

  private static func publish(_ body: FaultEventBody, on events: EventChannel) {
    if let data = try? JSONCoding.encode(body, keys: .snakeCase) { events.publish("fault", data: data) }
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
    let entries = injector.plan.entries
    let expired = entries.filter { entry in
      guard let expiry = entry.progress.expiry else { return false }
      return entry.state(at: now) == .expired && expiry > since && expiry <= now
    }
    let keys = Set(expired.map { $0.rule.preset ?? $0.id })
    for fault in NamedFault.list(entries, at: now) where fault.state == .expired && keys.contains(fault.key) {
      timeline.note(NamedFault.Change(fault: fault, from: .armed, to: .expired))
    }
    if !expired.isEmpty { injector.noteExpiry() }
    hasChanged()
  }
}

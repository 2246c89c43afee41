import Domain
import FoundationEssentials
import HTTPTypes
import JSON
import Storage
import Support
import Team
import Testing

@testable import Console

/// What goes although nobody comes.
@Suite(.timeLimit(.minutes(2))) struct RetentionTests {
  private let driven = DrivenTime(wall: Date())

  /// Waits until the task sleeps.
  private func rest() async { await driven.waitForSleepers() }

  /// Lets 91 days pass for a browser or person of this id.
  private func forget(_ id: String, _ harness: ConsoleHarness) async throws {
    let rows = harness.registry.store.rows
    let then = Date().timeIntervalSince1970 - 91 * 86_400
    try await harness.storage.write { transaction in
      try rows.change(transaction, .browser, set: "seen_at", to: then, where: "browser_id = ?", id)
    }
  }

  @Test func whoIsNotSeenFor90DaysGoesWithinADay() async throws {
    let harness = try await PersonTests.harness()
    let steps = WorkspaceTests()
    let ann = try await PersonTests.withDevice("ann@example.com", harness)
    let alone = try await steps.make("Alone", ann, harness)
    for workspace in [nil, alone] { _ = try await steps.save("saved", in: workspace, ann, harness) }
    let id = try #require(await harness.call(.get, "/api/person", as: ann).json?["person_id"]?.string)
    let persons = harness.persons
    let registry = harness.registry
    let retention = Retention(registry: registry, time: driven.time, logger: ConsoleHarness.silent) {
      try await persons?.removeExpired(registry)
    }
    let running = Task { await retention.run() }
    await rest()
    try await forget(id, harness)
    try await harness.storage.write { try $0.execute("UPDATE audit SET at = 0 WHERE entry = (SELECT min(entry) FROM audit)") }
    let entries = try #require(await harness.storage.read { try $0.number("SELECT count(*) FROM audit") })
    driven.advance(by: Retention.interval - .seconds(1))
    #expect(driven.sleeperCount == 1)
    #expect(try await harness.savedLog.recordingCount() == 2)
    driven.advance(by: .seconds(1))
    await rest()
    #expect(try await harness.storage.read { try $0.number("SELECT count(*) FROM person") } == 0)
    #expect(try await harness.savedLog.recordingCount() == 0)
    #expect(try await harness.storage.read { try $0.number("SELECT count(*) FROM audit WHERE person = ''") } == entries - 1)
    running.cancel()
    await running.value
  }

  @Test func aBrowserWithoutAPersonGoesToo() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.caller()
    let retention = Retention(registry: harness.registry, time: driven.time, logger: ConsoleHarness.silent)
    let running = Task { await retention.run() }
    await rest()
    let id = try #require(
      await harness.storage.read { try $0.first("SELECT browser_id FROM browser")?.text("browser_id") })
    try await forget(id, harness)
    driven.advance(by: Retention.interval)
    await rest()
    #expect(await harness.call(.get, "/api/state", as: caller).status == 401)
    running.cancel()
    await running.value
  }
}

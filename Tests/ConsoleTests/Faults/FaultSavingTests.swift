import HTTPTypes
import JSON
import Testing
import Vault

@testable import Client
@testable import Console

/// A fault rule is answered once it is saved, and one that cannot be saved is not there.
@Suite(.timeLimit(.minutes(2))) struct FaultSavingTests {
  private static let rule = #"{"action":{"kind":"offline"},"match":{"endpoint":"none"},"expires_in_seconds":0}"#

  private func harness(_ storage: FailingStorage) async throws -> ConsoleHarness {
    try await ConsoleHarness(savedLog: SavedLogStore(storage: storage, key: .random()))
  }

  private func ids(_ harness: ConsoleHarness, _ caller: ConsoleHarness.Caller) async -> Set<String> {
    let rules = await harness.call(.get, "/api/faults", as: caller).json?["faults"]?.elements ?? []
    return Set(rules.compactMap { $0["id"]?.string })
  }

  /// Whatever else is armed, removed or refused meanwhile: the answers say what is there.
  @Test func theAnswersSayWhatIsThere() async throws {
    let storage = FailingStorage(try await SavedLogSchema.open(path: nil))
    let harness = try await harness(storage)
    let caller = try await harness.caller()
    // A device that wakes while nothing can be read is one that keeps nothing.
    #expect(await ids(harness, caller).isEmpty)
    var statuses: Set<Int> = []
    for _ in 0..<20 {
      storage.failures = { ($0 / 5).isMultiple(of: 2) }
      let answers = await withTaskGroup(of: ConsoleHarness.Answer.self) { group in
        for _ in 0..<6 { group.addTask { await harness.call(.post, "/api/faults", Self.rule, as: caller) } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      statuses.formUnion(answers.map(\.status))
      let armed = Set(answers.compactMap { $0.status == 201 ? $0.json?["id"]?.string : nil })
      #expect(await ids(harness, caller) == armed)
      storage.failures = { _ in false }
      #expect(await harness.call(.delete, "/api/faults", as: caller).status == 204)
    }
    #expect(statuses == [201, 503])
  }

  @Test func aRefusedChangeLeavesTheOtherRulesAlone() async throws {
    let storage = FailingStorage(try await SavedLogSchema.open(path: nil))
    let harness = try await harness(storage)
    let caller = try await harness.caller()
    let first = await harness.call(.post, "/api/faults", Self.rule, as: caller)
    let id = try #require(first.json?["id"]?.string)
    storage.failures = { _ in true }
    #expect(await harness.call(.delete, "/api/faults", as: caller).status == 503)
    #expect(await harness.call(.delete, "/api/faults/\(id)", as: caller).status == 503)
    #expect(await harness.call(.patch, "/api/faults/\(id)", #"{"armed":false}"#, as: caller).status == 503)
    #expect(await harness.call(.post, "/api/faults/presets/train-wifi", as: caller).status == 503)
    #expect(await ids(harness, caller) == [id])
    let rule = await harness.call(.get, "/api/faults", as: caller).json?["faults"]?.elements.first
    #expect(rule?["state"]?.string == "armed")
    storage.failures = { _ in false }
  }
}

import Storage
import Support
import Testing

@testable import Composition

@Suite(.timeLimit(.minutes(2)))
struct FlowJobsTests {
  private func withJobs(_ body: (FlowJobs) async throws -> Void) async throws {
    try await StorageEngineKind.withPostgreSQL { storage, _ in
      try await FlowJobs.migrations.migrate(storage)
      try await body(FlowJobs(storage: storage))
    }
  }

  /// Whoever does not know whether a run is in puts it in again.
  @Test func aRunIsInOnceHoweverOftenItIsPutIn() async throws {
    try await withJobs { jobs in
      for _ in 0..<3 { try await jobs.add(run: "a", flows: 2) }
      try await jobs.add(run: "b", flows: 1)
      let numbers = try await jobs.storage.read { transaction in
        try transaction.rows("SELECT run_id, number FROM flow_job ORDER BY id").map {
          "\(try $0.text("run_id"))\(try $0.integer("number"))"
        }
      }
      #expect(numbers == ["a1", "a2", "b1"])
    }
  }

  /// A worker that cannot run a flow has not tried it: three that end while they run it make it fail.
  @Test func aFlowThatIsGivenBackIsAsGoodAsNew() async throws {
    try await withJobs { jobs in
      try await jobs.add(run: "a", flows: 1)
      for turn in 0..<(2 * FlowJobs.tries) {
        let held = try #require(try await jobs.take(worker: "worker\(turn % 2)"))
        #expect(held.number == 1)
        try await jobs.giveBack(held)
      }
      #expect(try await jobs.storage.read { try $0.rows("SELECT job_id FROM flow_try").isEmpty })
      for _ in 0..<FlowJobs.tries {
        let held = try #require(try await jobs.take(worker: "worker"))
        await jobs.release(held)
      }
      #expect(try await jobs.take(worker: "worker") == nil)
      let progress = try await jobs.progress(of: "a", known: [])
      #expect(progress.finished.map(\.outcome.failure) == ["\(FlowJobs.tries) workers ended while they ran it"])
    }
  }
}

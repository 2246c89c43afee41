import FoundationEssentials
import Storage
import Vault

/// The flows that wait for a worker, and what workers found.
///
/// A worker holds the row of its flow in a transaction while it runs: if it dies, or its connection is cut, the database frees the row and
/// another worker takes it. So each flow has exactly one result.
struct FlowJobs: Sendable {
  /// The steps of the schema.
  static let migrations = StorageMigrations([
    .init(
      "1 flows",
      script: """
        CREATE TABLE flow_run (id TEXT PRIMARY KEY, created_at BIGINT NOT NULL);
        CREATE TABLE flow_job (
          id {identity}, run_id TEXT NOT NULL REFERENCES flow_run (id) ON DELETE CASCADE, number BIGINT NOT NULL,
          worker TEXT, result TEXT, UNIQUE (run_id, number)
        );
        CREATE INDEX flow_job_waiting ON flow_job (id) WHERE result IS NULL;
        CREATE TABLE flow_try (
          job_id BIGINT NOT NULL REFERENCES flow_job (id) ON DELETE CASCADE, worker TEXT NOT NULL, began_at BIGINT NOT NULL
        );
        CREATE INDEX flow_try_by_job ON flow_try (job_id);
        """)
  ])

  /// After how many workers that ended while they ran it a flow counts as failed.
  static let tries = 3
  /// After which time a run is removed that nobody gathered, in seconds.
  private static let retention: Int64 = 24 * 3600

  let storage: PostgreSQLStorage

  /// A flow that this process holds.
  struct Held: Sendable {
    let id: Int64
    /// The number in its run, from 1.
    let number: Int64
    /// What stands in the row of this try.
    fileprivate let worker: String
    fileprivate let beganAt: Int64
    fileprivate let transaction: OpenTransaction
  }

  private static var now: Int64 { Int64(Date().timeIntervalSince1970) }

  /// Puts in a run of so many flows, unless the run is there already; throws ``StorageError``.
  func add(run id: String, flows: Int) async throws {
    // Those that are left do no harm until the next time.
    try? await remove(
      "run_id IN (SELECT id FROM flow_run WHERE created_at < ?)", "created_at < ?", Self.now - Self.retention)
    try await storage.write { transaction in
      let isNew = try transaction.execute(
        "INSERT INTO flow_run (id, created_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING", id, Self.now)
      guard isNew == 1 else { return }
      try transaction.execute(
        """
        INSERT INTO flow_job (run_id, number)
        SELECT CAST(? AS TEXT), number FROM generate_series(CAST(1 AS BIGINT), CAST(? AS BIGINT)) AS number
        """, id, Int64(flows))
    }
  }

  /// Removes the flows of a run that no worker holds, and the run if none is left; the others are removed after a day.
  func remove(run id: String) async throws {
    try await remove("run_id = ?", "id = ?", id)
  }

  /// Waits for no worker: a cascade would wait for the rows that they hold.
  private func remove(_ jobs: String, _ runs: String, _ argument: any StorageConvertible & Sendable) async throws {
    let transaction = try await storage.begin()
    do {
      try await transaction.perform { transaction in
        try transaction.execute(
          "DELETE FROM flow_job WHERE id IN (SELECT id FROM flow_job WHERE \(jobs) FOR UPDATE SKIP LOCKED)", argument)
        try transaction.execute(
          "DELETE FROM flow_run WHERE \(runs) AND NOT EXISTS (SELECT 1 FROM flow_job WHERE run_id = flow_run.id)", argument)
      }
      try await transaction.commit()
    } catch {
      await transaction.rollBack()
      throw error
    }
  }

  /// Holds the flow that has waited longest; nil if none waits. Throws ``StorageError``.
  func take(worker: String) async throws -> Held? {
    while true {
      let transaction = try await storage.begin()
      do {
        // Not FOR UPDATE, which would keep the row of its tries from referring to it.
        let row = try await transaction.perform { transaction in
          try transaction.rows(
            """
            SELECT id, number, (SELECT count(*) FROM flow_try WHERE job_id = flow_job.id) AS tries FROM flow_job
            WHERE result IS NULL ORDER BY id LIMIT 1 FOR NO KEY UPDATE OF flow_job SKIP LOCKED
            """
          ).first
        }
        guard let row else {
          await transaction.rollBack()
          return nil
        }
        let held = Held(
          id: try row.integer("id"), number: try row.integer("number"), worker: worker, beganAt: Self.now,
          transaction: transaction)
        guard try row.integer("tries") >= Self.tries else {
          // On another connection, so that it stays if this one is lost.
          try await storage.write {
            try $0.execute(
              "INSERT INTO flow_try (job_id, worker, began_at) VALUES (?, ?, ?)", held.id, worker, held.beganAt)
          }
          return held
        }
        try await finish(held, worker: worker, FlowOutcome(failure: "\(Self.tries) workers ended while they ran it"))
      } catch {
        await transaction.rollBack()
        throw error
      }
    }
  }

  /// Writes the result of a flow and lets it go; throws ``StorageError``, after which another worker may have it.
  func finish(_ held: Held, worker: String, _ outcome: FlowOutcome) async throws {
    let result = try outcome.text
    try await held.transaction.perform { transaction in
      try transaction.execute(
        "UPDATE flow_job SET result = ?, worker = ? WHERE id = ?", result, worker, held.id)
    }
    try await held.transaction.commit()
  }

  /// Lets a flow go without a result; this try counts.
  func release(_ held: Held) async { await held.transaction.rollBack() }

  /// Lets a flow go as if this worker had never had it; throws ``StorageError``, after which the try counts.
  func giveBack(_ held: Held) async throws {
    try await held.transaction.perform { transaction in
      try transaction.execute(
        "DELETE FROM flow_try WHERE job_id = ? AND worker = ? AND began_at = ?", held.id, held.worker, held.beganAt)
    }
    try await held.transaction.commit()
  }

  /// What is known of a run.
  struct Progress: Sendable {
    /// The results that were not known before.
    var finished: [(number: Int64, worker: String, outcome: FlowOutcome)] = []
    /// The number of flows that a worker runs.
    var held = 0
  }

  /// The progress of a run since `known` flows were finished; throws ``StorageError``.
  func progress(of run: String, known: Set<Int64>) async throws -> Progress {
    let rows = try await storage.read { transaction in
      let finished = try transaction.rows("SELECT number FROM flow_job WHERE run_id = ? AND result IS NOT NULL", run)
      let new = try finished.map { try $0.integer("number") }.filter { !known.contains($0) }
      return try new.flatMap { number in
        try transaction.rows(
          "SELECT number, worker, result FROM flow_job WHERE run_id = ? AND number = ?", run, number)
      }
    }
    var progress = Progress()
    for row in rows {
      progress.finished.append(
        (try row.integer("number"), try row.text("worker"), FlowOutcome(text: try row.text("result"))))
    }
    // Of all runs, since flows that were put in before are run before.
    let begun = "result IS NULL AND EXISTS (SELECT 1 FROM flow_try WHERE job_id = flow_job.id)"
    let transaction = try await storage.begin()
    progress.held = try await transaction.perform { transaction in
      let all = try transaction.rows("SELECT id FROM flow_job WHERE \(begun)").count
      // Whoever can lock a row is not its worker. Flows that nobody has begun are left alone, so that workers find them.
      return all
        - (try transaction.rows("SELECT id FROM flow_job WHERE \(begun) FOR NO KEY UPDATE SKIP LOCKED").count)
    }
    await transaction.rollBack()
    return progress
  }
}

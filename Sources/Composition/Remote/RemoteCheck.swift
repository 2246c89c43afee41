import Foundation
import Logging
import Storage
import Vault

/// `understudy check --remote N`: puts flows in for workers, gathers what they find and reports it.
struct RemoteCheck: Sendable {
  /// The numbers of flows that are allowed.
  static let flowLimits = 1...10_000
  /// How often the database is asked.
  private static let pause = Duration.milliseconds(300)
  /// How long no worker may hold a flow, or the database may be away, before the run fails.
  private static let patience = Duration.seconds(60)

  let flows: Int
  let settings: CheckSettings
  let jobs: FlowJobs
  let logger: Logger

  /// Throws `StartFailure` (64) for a number out of range.
  init(flows: Int, settings: CheckSettings, storage: PostgreSQLStorage, logger: Logger) throws(StartFailure) {
    guard Self.flowLimits.contains(flows) else { throw .usage("--remote: \(flows) is not between 1 and 10000") }
    (self.flows, self.settings, self.logger, jobs) = (flows, settings, logger, FlowJobs(storage: storage))
  }

  /// Throws `StartFailure` (64) for flags that say how a flow is run, which each worker has of its own.
  static func refuseFlags(ofWorkers settings: CheckSettings, hasTimeout: Bool) throws(StartFailure) {
    let given = [
      ("--backend", settings.remote != nil), ("--api-id", settings.apiID != nil), ("--link-host", !settings.linkHosts.isEmpty),
      ("--identifier", settings.identifier != nil), ("--openapi", settings.openAPI != nil),
      ("--allow-drift", settings.allowsDrift),
      ("--parity", settings.comparesWithEmbedded), ("--allow-deletion", settings.allowsDeletion), ("--timeout", hasTimeout),
    ].filter(\.1).map(\.0)
    guard given.isEmpty else {
      throw .usage("--remote: \(given.joined(separator: ", ")) cannot be passed on to understudy worker")
    }
  }

  /// Runs the flows and writes the report; returns whether none failed. SIGINT, SIGTERM and SIGHUP end it, and its flows with it.
  func run() async throws(StartFailure) -> Bool {
    let output = try ReportOutput(settings)
    let signals = await SignalStream.ofEnd()
    let (startedAt, start) = (Date(), ContinuousClock.now)
    let id = SecureRandom.uuid()
    do {
      let results = try await Self.ended(by: signals) {
        try await begin(id)
        return try await gather(id, output)
      }
      let report = CheckReport(
        backend: results.backend, isEmbedded: results.isEmbedded, startedAt: startedAt, duration: .now - start,
        results: results.all)
      switch settings.format {
      case .text: output.write(TextReport(isColoured: false).footer(report))
      case .json: output.write(JSONReport(report).text)
      case .junit: output.write(JUnitReport(report).text)
      case .sarif: output.write(SARIFReport(report, file: nil).text)
      }
      // Behind the report, which is worth more.
      try? await jobs.remove(run: id)
      await jobs.storage.close()
      try output.check()
      return report.hasPassed
    } catch {
      let second = Task {
        guard await signals.next() != nil else { return }
        _exit(1)
      }
      defer { second.cancel() }
      try? await jobs.remove(run: id)
      throw (error as? StartFailure) ?? .database(error)
    }
  }

  private struct Gathered: Sendable {
    var backend = ""
    var isEmbedded = false
    var all: [CheckResult] = []
  }

  /// Makes the schema and puts the flows in; again if it is in doubt whether they are in.
  private func begin(_ run: String) async throws {
    let add = {
      try await FlowJobs.migrations.migrate(jobs.storage)
      try await jobs.add(run: run, flows: flows)
    }
    do { try await add() } catch StorageError.inDoubt { _ = try await patiently(add) }
  }

  /// Runs `body`, and again while the database is away, until the patience passes; throws the last error then.
  private func patiently<Value>(_ body: () async throws -> Value) async throws -> (value: Value, wasAway: Bool) {
    var since: ContinuousClock.Instant?
    while true {
      do { return (try await body(), since != nil) } catch let error as StorageError {
        switch error {
        case .unreachable, .inDoubt: break
        default: throw error
        }
        if since == nil {
          logger.warning("the database is away; the check waits for it", metadata: ["reason": "\(error)"])
        }
        let start = since ?? .now
        since = start
        guard ContinuousClock.now - start < Self.patience else { throw error }
        try await Task.sleep(for: Self.pause)
      }
    }
  }

  private func gather(_ run: String, _ output: ReportOutput) async throws -> Gathered {
    var gathered = Gathered()
    var known: Set<Int64> = []
    var seenHeld = ContinuousClock.now
    while known.count < flows {
      let (progress, wasAway) = try await patiently { [known] in try await jobs.progress(of: run, known: known) }
      for (number, worker, outcome) in progress.finished.sorted(by: { $0.number < $1.number }) {
        known.insert(number)
        let results = outcome.results(ofFlow: number)
        if gathered.backend.isEmpty {
          (gathered.backend, gathered.isEmbedded) = (outcome.backend, outcome.isEmbedded ?? false)
        }
        gathered.all += results
        if settings.format == .text { output.write(Self.line(number, worker, results)) }
      }
      try output.check()
      // Workers need a moment too once the database is back.
      if !progress.finished.isEmpty || progress.held > 0 || wasAway { seenHeld = .now }
      guard ContinuousClock.now - seenHeld < Self.patience else {
        throw StartFailure.unavailable(
          "--remote: for a minute no worker has run a flow; start understudy worker --database …, or see what workers warn of")
      }
      if known.count < flows { try await Task.sleep(for: Self.pause) }
    }
    return gathered
  }

  /// One flow in a line, with the checks that failed below.
  private static func line(_ number: Int64, _ worker: String, _ results: [CheckResult]) -> String {
    func count(_ word: String) -> Int { results.count { $0.outcome.word == word } }
    let text = TextReport(isColoured: false)
    let head = "flow \(number): \(count("passed")) passed, \(count("failed")) failed, \(count("skipped")) skipped (\(worker))\n"
    return head + results.filter { $0.outcome.word == "failed" }.map(text.line).joined()
  }

  /// Runs `body` until it ends or a signal arrives; throws `StartFailure` (1) then.
  private static func ended<Value: Sendable>(
    by signals: SignalStream, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        await signals.next()
        return nil
      }
      defer { group.cancelAll() }
      guard let first = try await group.next(), let value = first else {
        throw StartFailure(exitCode: 1, message: "interrupted; flows that no worker has begun are taken back")
      }
      return value
    }
  }
}

import Foundation
import Storage

/// `understudy check --remote N`: puts flows in for workers, gathers what they find and reports it.
struct RemoteCheck: Sendable {
  /// The numbers of flows that are allowed.
  static let flowLimits = 1...10_000
  /// How often the database is asked.
  private static let pause = Duration.milliseconds(300)
  /// How long no worker may hold a flow before the run fails.
  private static let patience = Duration.seconds(60)

  let flows: Int
  let settings: CheckSettings
  let jobs: FlowJobs

  /// Throws `StartFailure`: 64 for a number out of range, 78 for flags that are the workers'.
  init(flows: Int, options: CheckOptions, settings: CheckSettings, storage: PostgreSQLStorage) throws(StartFailure) {
    guard Self.flowLimits.contains(flows) else { throw .usage("--remote: \(flows) is not between 1 and 10000") }
    guard settings.remote == nil, settings.apiID == nil, settings.identifier == nil, settings.source == nil,
      settings.openAPI == nil, !settings.comparesWithEmbedded, !settings.allowsDeletion, options.timeout == nil
    else {
      throw .configuration("with --remote, flags about the backend and its checks are those of understudy worker")
    }
    (self.flows, self.settings, jobs) = (flows, settings, FlowJobs(storage: storage))
  }

  /// Runs the flows and writes the report; returns whether none failed. SIGINT and SIGTERM end it, and its flows with it.
  func run() async throws(StartFailure) -> Bool {
    let output = try ReportOutput(settings)
    let signals = await SignalStream.catching(SIGTERM, SIGINT)
    let (startedAt, start) = (Date(), ContinuousClock.now)
    var run: String?
    do {
      try await FlowJobs.migrations.migrate(jobs.storage)
      let id = try await jobs.add(flows: flows)
      run = id
      let results = try await Self.ended(by: signals) { try await gather(id, output) }
      let report = CheckReport(
        backend: results.backend, isEmbedded: false, startedAt: startedAt, duration: .now - start, results: results.all)
      switch settings.format {
      case .text: output.write(TextReport(isColoured: false).footer(report))
      case .json: output.write(JSONReport(report).text)
      case .junit: output.write(JUnitReport(report).text)
      case .sarif: output.write(SARIFReport(report, file: nil).text)
      }
      // Behind the report, which is worth more.
      try? await jobs.remove(run: id)
      await jobs.storage.close()
      return report.hasPassed
    } catch {
      let second = Task {
        await signals.first()
        guard !Task.isCancelled else { return }
        _exit(1)
      }
      defer { second.cancel() }
      if let run { try? await jobs.remove(run: run) }
      throw (error as? StartFailure) ?? .database(error)
    }
  }

  private struct Gathered: Sendable {
    var backend = ""
    var all: [CheckResult] = []
  }

  private func gather(_ run: String, _ output: ReportOutput) async throws -> Gathered {
    var gathered = Gathered()
    var known: Set<Int64> = []
    var seenHeld = ContinuousClock.now
    while known.count < flows {
      let progress = try await jobs.progress(of: run, known: known)
      for (number, worker, outcome) in progress.finished.sorted(by: { $0.number < $1.number }) {
        known.insert(number)
        let results = outcome.results(ofFlow: number)
        if gathered.backend.isEmpty { gathered.backend = outcome.backend }
        gathered.all += results
        if settings.format == .text { output.write(Self.line(number, worker, results)) }
      }
      if !progress.finished.isEmpty || progress.held > 0 { seenHeld = .now }
      guard ContinuousClock.now - seenHeld < Self.patience else {
        throw StartFailure.unavailable("--remote: for a minute no worker has run a flow; start understudy worker --database …")
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
        await signals.first()
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

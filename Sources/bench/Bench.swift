import ArgumentParser
import CLinux

/// Measurements within one process; `make bench` runs them in a release build.
@main
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Measures the client within one process and prints a table.")

  /// The available measurements.
  enum Group: String, CaseIterable, ExpressibleByArgument {
    case lock, refresh, lost, chain, signing, cache, pins, many, export, redact, record, saved, compare, drift, explain, store,
      json, peer
  }

  @Argument(help: "What to measure: \(Group.allCases.map(\.rawValue).joined(separator: ", ")); all of them by default.")
  var groups: [Group] = []
  @Option(help: "The number of calls of the long run.") var calls = 1_000_000
  @Option(help: "The number of alternating rounds of 250 calls, with and without the chain.") var rounds = 40

  /// Runs the measurements in order; exits with 1 if a goal is missed.
  func run() async throws {
    // The program does the same.
    clinux_limit_arenas()
    var figures: [Figure] = []
    for group in groups.isEmpty ? Group.allCases : groups {
      let started = ContinuousClock.now
      figures += try await measure(group)
      let took = Quantiles([ContinuousClock.now - started])(0) / 1e6
      print("\(group.rawValue): \(Figure.number(took)) s")
    }
    print("")
    Figure.print(figures)
    if figures.contains(where: { !$0.isMet }) { throw ExitCode(1) }
  }

  private func measure(_ group: Group) async throws -> [Figure] {
    switch group {
    case .lock: LockCost.measure()
    case .refresh: try await RefreshStorm.measure()
    case .lost: try await DroppedResponses.measure()
    case .chain: try await ChainOverhead.measure(rounds: max(1, rounds))
    case .signing: Signing.measure()
    case .cache: try await CacheHits.measure()
    case .pins: try await PinCheck.measure()
    case .many: try await ManyCalls.measure(count: max(1_000, calls))
    case .export: try await Exports.measure()
    case .redact: RecordingCost.measureRedaction()
    case .record: RecordingCost.measureRecording()
    case .saved: try await SavedLog.measure(count: max(10_000, calls))
    case .compare: try await ComparisonCost.measure(rounds: max(1, rounds))
    case .store: RecordingCost.measureStore(count: calls)
    case .json: try JSONCost.measure()
    case .peer: try PeerLookup.measure()
    case .drift: try DriftCost.measure()
    case .explain: try ExplainCost.measure()
    }
  }
}

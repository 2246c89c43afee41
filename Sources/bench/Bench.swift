import ArgumentParser
import CLinux

/// Measures in one process; `make bench` runs it in a release build.
@main
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Measures the client in one process and prints a table.")

  /// What can be measured.
  enum Group: String, CaseIterable, ExpressibleByArgument {
    case lock, refresh, lost, chain, signing, cache, pins, many, export, redact, record, store
  }

  @Argument(help: "What to measure: \(Group.allCases.map(\.rawValue).joined(separator: ", ")); all where none is named.")
  var groups: [Group] = []
  @Option(help: "Calls of the long run.") var calls = 1_000_000
  @Option(help: "Alternating rounds of 250 calls on each side of the chain's measure.") var rounds = 40

  /// Measures one group after the other; ends with 1 where a goal was missed.
  func run() async throws {
    // As the program does.
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
    if figures.contains(where: { !$0.holds }) { throw ExitCode(1) }
  }

  private func measure(_ group: Group) async throws -> [Figure] {
    switch group {
    case .lock: LockCost.measure()
    case .refresh: try await RefreshStorm.measure()
    case .lost: try await LostAnswers.measure()
    case .chain: try await ChainOverhead.measure(rounds: max(1, rounds))
    case .signing: Signing.measure()
    case .cache: try await CacheHits.measure()
    case .pins: try await PinCheck.measure()
    case .many: try await ManyCalls.measure(count: max(1_000, calls))
    case .export: try await Exports.measure()
    case .redact: Recording.measureRedaction()
    case .record: Recording.measureRecording()
    case .store: Recording.measureStore(count: calls)
    }
  }
}

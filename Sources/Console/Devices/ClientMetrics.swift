package import Client
import FoundationEssentials
import Locking
import Observability
import Server

/// Counts the attempts of all devices' clients since the console started, and the durations of their phases, for Prometheus.
///
/// Labels are words of this program; no text of a backend or a user becomes a label.
package final class ClientMetrics: Sendable {
  /// The labels of a series of attempts.
  private struct Key: Hashable, Comparable, Sendable {
    let endpoint: String
    let outcome: String

    static func < (one: Self, other: Self) -> Bool { (one.endpoint, one.outcome) < (other.endpoint, other.outcome) }
  }

  /// The durations of a phase, over all attempts that had it.
  private struct Durations: Sendable {
    var buckets = [UInt64](repeating: 0, count: ClientMetrics.bounds.count)
    var count: UInt64 = 0
    var seconds = 0.0

    mutating func add(milliseconds: Double) {
      let value = milliseconds / 1000
      count += 1
      seconds += value
      if let index = ClientMetrics.bounds.firstIndex(where: { value <= $0 }) { buckets[index] += 1 }
    }
  }

  private struct State: Sendable {
    var attempts: [Key: UInt64] = [:]
    var phases = [Durations](repeating: Durations(), count: ClientMetrics.phases.count)
  }

  /// Upper bounds of the buckets, in seconds.
  private static let bounds = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
  ]
  /// The phases in their order of time.
  private static let phases: [(name: String, read: @Sendable (NetworkTimings) -> Double?)] = [
    ("queue", { $0.queue }), ("dns", { $0.dns }), ("connect", { $0.connect }), ("tls", { $0.tls }), ("send", { $0.send }),
    ("wait", { $0.wait }), ("receive", { $0.receive }), ("total", { $0.total }),
  ]
  /// Attempts of further series count as `other`.
  private static let seriesLimit = 512

  private let state = Locked(State())

  package init() {}

  /// Counts an attempt that has ended.
  package func note(_ report: AttemptReport) {
    state.withLock { state in
      var key = Key(endpoint: report.endpoint, outcome: report.error ?? "success")
      if state.attempts.count >= Self.seriesLimit, state.attempts[key] == nil {
        key = Key(endpoint: "other", outcome: key.outcome)
      }
      state.attempts[key, default: 0] += 1
      for (index, phase) in Self.phases.enumerated() {
        if let duration = phase.read(report.timings) { state.phases[index].add(milliseconds: duration) }
      }
    }
  }

  /// The counts in Prometheus' text format 0.0.4.
  package func prometheusText() -> [UInt8] {
    let state = state.withLock { $0 }
    let attempts = "understudy_client_attempts_total"
    var out = MetricsText()
    out.begin(attempts, "counter", "Attempts of the devices' clients.")
    for (key, count) in state.attempts.sorted(by: { $0.key < $1.key }) {
      out.sample(attempts, [("endpoint", key.endpoint), ("outcome", key.outcome)], "\(count)")
    }
    let phases = "understudy_client_phase_seconds"
    out.begin(phases, "histogram", "How long the phases of attempts took.")
    for (phase, durations) in zip(Self.phases, state.phases) {
      out.histogram(
        phases, ("phase", phase.name), zip(Self.bounds, durations.buckets), count: durations.count, sum: durations.seconds)
    }
    return out.bytes
  }
}

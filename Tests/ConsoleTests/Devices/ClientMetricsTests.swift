import Client
import Observability
import Testing

@testable import Console

@Suite("What the clients did, as numbers")
struct ClientMetricsTests {
  private func report(_ endpoint: String, error: String? = nil, timings: NetworkTimings = NetworkTimings()) -> AttemptReport {
    AttemptReport(endpoint: endpoint, status: nil, error: error, timings: timings)
  }

  private func lines(_ metrics: ClientMetrics) -> [String] {
    String(decoding: metrics.prometheusText(), as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test func attemptsAreCountedByEndpointAndOutcome() {
    let metrics = ClientMetrics()
    for _ in 0..<3 { metrics.note(report("/rpc/me")) }
    metrics.note(report("/rpc/me", error: "timeout"))
    let lines = lines(metrics)
    #expect(lines.contains(#"understudy_client_attempts_total{endpoint="/rpc/me",outcome="success"} 3"#))
    #expect(lines.contains(#"understudy_client_attempts_total{endpoint="/rpc/me",outcome="timeout"} 1"#))
  }

  @Test func onlyPhasesThatTookPlaceAreCounted() {
    let metrics = ClientMetrics()
    metrics.note(report("/rpc/me", timings: NetworkTimings(wait: 2, total: 600)))
    let lines = lines(metrics)
    #expect(lines.contains(#"understudy_client_phase_seconds_bucket{phase="wait",le="0.001"} 0"#))
    #expect(lines.contains(#"understudy_client_phase_seconds_bucket{phase="wait",le="0.0025"} 1"#))
    #expect(lines.contains(#"understudy_client_phase_seconds_bucket{phase="total",le="+Inf"} 1"#))
    #expect(lines.contains(#"understudy_client_phase_seconds_count{phase="dns"} 0"#))
  }

  @Test func theNumberOfSeriesIsBounded() {
    let metrics = ClientMetrics()
    for number in 0..<1000 { metrics.note(report("/\(number)")) }
    let lines = lines(metrics)
    #expect(lines.count { $0.hasPrefix("understudy_client_attempts_total{") } == 513)
    #expect(lines.contains(#"understudy_client_attempts_total{endpoint="other",outcome="success"} 488"#))
  }
}

/// Writes metrics in the Prometheus text format, version 0.0.4.
package struct MetricsText {
  private var text = ""

  package init() {}

  package var bytes: [UInt8] { Array(text.utf8) }

  /// Writes the header of a metric.
  package mutating func begin(_ name: String, _ type: String, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
  }

  /// Writes one sample; `labels` are pairs of name and value.
  package mutating func sample(_ name: String, _ labels: [(String, String)], _ value: String) {
    text += name
    if !labels.isEmpty {
      text += "{" + labels.map { "\($0.0)=\"\(Self.escape($0.1))\"" }.joined(separator: ",") + "}"
    }
    text += " \(value)\n"
  }

  /// Writes a metric with a single sample.
  mutating func single(_ name: String, _ type: String, _ help: String, _ value: Int) {
    begin(name, type, help)
    sample(name, [], "\(value)")
  }

  /// Writes the samples of a histogram; `buckets` has the number of values up to each bound and above the one before.
  package mutating func histogram(
    _ name: String, _ label: (String, String), _ buckets: some Sequence<(Double, UInt64)>, count: UInt64, sum: Double
  ) {
    var below: UInt64 = 0
    for (bound, count) in buckets {
      below += count
      sample("\(name)_bucket", [label, ("le", "\(bound)")], "\(below)")
    }
    sample("\(name)_bucket", [label, ("le", "+Inf")], "\(count)")
    sample("\(name)_sum", [label], "\(sum)")
    sample("\(name)_count", [label], "\(count)")
  }

  /// Escapes backslash, quote and line feed, which would end or break a label's value.
  private static func escape(_ value: String) -> String {
    var result = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension ServerMetrics {

  /// All metrics in the Prometheus text format.
  package func prometheusText() -> [UInt8] {
    var out = MetricsText()
    let all = series
    out.begin("http_requests_total", "counter", "Requests answered.")
    for (key, series) in all {
      let labels = [("route", key.route), ("method", key.method), ("status", "\(key.statusClass)xx")]
      out.sample("http_requests_total", labels, "\(series.count)")
    }
    appendDurations(all, to: &out)
    out.begin("http_requests_refused_total", "counter", "Requests refused before a handler saw them.")
    for (status, count) in refused { out.sample("http_requests_refused_total", [("status", "\(status)")], "\(count)") }
    out.single("http_requests_in_flight", "gauge", "Requests in progress.", inFlight.value)
    out.single("http_connections", "gauge", "Open connections.", connections.value)
    out.single("http_connections_total", "counter", "Connections accepted.", accepted.value)
    out.single("http_connections_refused_total", "counter", "Connections rejected at a limit.", rejected.value)
    out.single("http_received_bytes_total", "counter", "Bytes received, not counting TLS.", received.value)
    out.single("http_sent_bytes_total", "counter", "Bytes sent, not counting TLS.", sent.value)
    out.single("process_open_fds", "gauge", "Open file descriptors, including sockets.", OpenFiles.count)
    out.single("process_own_memory_bytes", "gauge", "Resident memory that is not shared.", ProcessMemory.resident)
    out.single("http_event_stream_subscribers", "gauge", "Open event streams.", subscribers.value)
    return out.bytes
  }

  /// Labeled by route only, because a histogram has many samples.
  private func appendDurations(_ all: [(key: Key, value: Series)], to out: inout MetricsText) {
    let name = "http_request_duration_seconds"
    out.begin(name, "histogram", "Time from the end of the request head to the response, without event streams.")
    var routes: [String: Series] = [:]
    for (key, series) in all { routes[key.route, default: Series()].add(series) }
    for (route, series) in routes.sorted(by: { $0.key < $1.key }) {
      out.histogram(name, ("route", route), zip(Self.bounds, series.buckets), count: series.timed, sum: series.seconds)
    }
  }
}

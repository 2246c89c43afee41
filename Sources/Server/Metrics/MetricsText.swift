/// Writes metrics in Prometheus' text format, version 0.0.4.
private struct MetricsText {
  private(set) var text = ""

  /// Begins a metric.
  mutating func begin(_ name: String, _ type: String, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
  }

  /// One sample; labels are name and value in turn.
  mutating func sample(_ name: String, _ labels: [(String, String)], _ value: String) {
    text += name
    if !labels.isEmpty {
      text += "{" + labels.map { "\($0.0)=\"\(Self.escape($0.1))\"" }.joined(separator: ",") + "}"
    }
    text += " \(value)\n"
  }

  /// A metric of one sample.
  mutating func single(_ name: String, _ type: String, _ help: String, _ value: Int) {
    begin(name, type, help)
    sample(name, [], "\(value)")
  }

  /// Backslash, quote and line feed end or break a label's value.
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
  /// The type of ``prometheusText()``.
  package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// Everything counted, in Prometheus' text format.
  package func prometheusText() -> [UInt8] {
    var out = MetricsText()
    let all = series
    out.begin("http_requests_total", "counter", "Answered requests.")
    for (key, series) in all {
      let labels = [("route", key.route), ("method", key.method), ("status", "\(key.statusClass)xx")]
      out.sample("http_requests_total", labels, "\(series.count)")
    }
    appendDurations(all, to: &out)
    out.begin("http_requests_refused_total", "counter", "Requests refused before a handler saw them.")
    for (status, count) in refused { out.sample("http_requests_refused_total", [("status", "\(status)")], "\(count)") }
    out.single("http_requests_in_flight", "gauge", "Requests under way.", inFlight.value)
    out.single("http_connections", "gauge", "Open connections.", connections.value)
    out.single("http_connections_total", "counter", "Connections let in.", accepted.value)
    out.single("http_connections_refused_total", "counter", "Connections turned away at a limit.", rejected.value)
    out.single("http_received_bytes_total", "counter", "Bytes of requests, without TLS.", received.value)
    out.single("http_sent_bytes_total", "counter", "Bytes of answers, without TLS.", sent.value)
    out.single("process_open_fds", "gauge", "Open files, sockets among them.", OpenFiles.count)
    out.single("process_own_memory_bytes", "gauge", "Memory of its own that is in use.", ProcessMemory.resident)
    out.single("http_event_stream_subscribers", "gauge", "Open event streams.", subscribers.value)
    return Array(out.text.utf8)
  }

  /// By route alone: a histogram has many samples.
  private func appendDurations(_ all: [(key: Key, value: Series)], to out: inout MetricsText) {
    let name = "http_request_duration_seconds"
    out.begin(name, "histogram", "From the end of a head to the answer handed over, event streams left out.")
    var routes: [String: Series] = [:]
    for (key, series) in all { routes[key.route, default: Series()].add(series) }
    for (route, series) in routes.sorted(by: { $0.key < $1.key }) {
      var sum: UInt64 = 0
      for (bound, count) in zip(Self.bounds, series.buckets) {
        sum += count
        out.sample("\(name)_bucket", [("route", route), ("le", "\(bound)")], "\(sum)")
      }
      out.sample("\(name)_bucket", [("route", route), ("le", "+Inf")], "\(series.timed)")
      out.sample("\(name)_sum", [("route", route)], "\(series.seconds)")
      out.sample("\(name)_count", [("route", route)], "\(series.timed)")
    }
  }
}

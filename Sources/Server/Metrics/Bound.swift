import Wire

/// One of the limits in `Documentation/limits.md`: a resource, its limit and its current use.
package struct Bound: Sendable, Hashable {
  /// The name in the table of that page, in lower case with underscores, including the unit.
  package let name: String
  package let limit: Int
  /// The current use; nil if the limit applies to a single request or response, or is a time.
  package let used: Int?

  package init(_ name: String, limit: Int, used: Int? = nil) {
    self.name = name
    self.limit = limit
    self.used = used
  }

  /// Merges the bounds of several owners: for each name, the one with the highest use.
  package static func fullest(_ bounds: [Bound]) -> [Bound] {
    var fullest: [String: Bound] = [:]
    for bound in bounds {
      guard let other = fullest[bound.name], (other.used ?? 0) >= (bound.used ?? 0) else {
        fullest[bound.name] = bound
        continue
      }
    }
    return fullest.values.sorted { $0.name < $1.name }
  }

  /// The bounds as two gauges in the Prometheus text format.
  package static func prometheusText(_ bounds: [Bound]) -> [UInt8] {
    let limit = "understudy_limit"
    let used = "understudy_used"
    var text = "# HELP \(limit) The limit of a resource.\n# TYPE \(limit) gauge\n"
    for bound in bounds { text += "\(limit){name=\"\(bound.name)\"} \(bound.limit)\n" }
    text += "# HELP \(used) The current use; for limits of each device or browser, the highest.\n"
    text += "# TYPE \(used) gauge\n"
    for bound in bounds {
      if let amount = bound.used { text += "\(used){name=\"\(bound.name)\"} \(amount)\n" }
    }
    return Array(text.utf8)
  }
}

extension HTTPServer {
  /// The bounds of this server.
  package var bounds: [Bound] {
    let limits = configuration.limits
    return [
      Bound("connections", limit: limits.connections, used: metrics.connections.value),
      Bound("connections_of_a_client", limit: limits.connectionsPerClient, used: limits.isBehindProxy ? clients.maximum : nil),
      Bound("open_files", limit: OpenFiles.limit, used: OpenFiles.count),
      Bound("request_line_bytes", limit: limits.request.requestLine),
      Bound("request_head_bytes", limit: limits.request.head),
      Bound("request_fields", limit: limits.request.fields),
      Bound("request_head_seconds", limit: Int(limits.headTimeout.components.seconds)),
      Bound("request_body_bytes", limit: limits.body),
      Bound("bodies_bytes", limit: limits.bodies, used: bodies.used),
      Bound("request_body_seconds", limit: Int(limits.bodyTimeout.components.seconds)),
      Bound("idle_connection_seconds", limit: Int(limits.idleTimeout.components.seconds)),
      Bound("write_without_headway_seconds", limit: Int(limits.writeTimeout.components.seconds)),
      Bound("metric_series", limit: ServerMetrics.seriesLimit, used: metrics.fullestShard),
    ]
  }
}

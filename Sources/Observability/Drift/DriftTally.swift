package import JSON

/// The differences of a device's exchanges by endpoint, including those of rows that were evicted; limited in number.
package struct DriftTally: Sendable {
  /// The most differences that are listed, over all endpoints; the others are only counted.
  static let limit = 300

  private struct Key: Hashable {
    let method: String
    let endpoint: String
  }

  private struct Entry {
    var rows = 0
    var path: String
    var firstSeen: Timestamp
    var lastSeen: Timestamp
    /// The differences in the order of their first occurrence.
    var order: [NetworkDrift] = []
    var differences: [NetworkDrift: DriftSummary.Difference] = [:]
  }

  private var entries: [Key: Entry] = [:]
  private var listed = 0
  private var unlisted = 0

  package init() {}

  /// Adds the differences of a row; `id` and `endpoint` replace its own.
  package mutating func add(_ drift: [NetworkDrift], of row: NetworkRow, id: String? = nil, endpoint: String? = nil) {
    let key = Key(method: row.method, endpoint: endpoint ?? row.endpoint)
    if entries[key] == nil, listed >= Self.limit {
      unlisted += drift.count
      return
    }
    var entry = entries[key] ?? Entry(path: row.path, firstSeen: row.startedAt, lastSeen: row.startedAt)
    entry.rows += 1
    entry.path = row.path
    entry.firstSeen = min(entry.firstSeen, row.startedAt)
    entry.lastSeen = max(entry.lastSeen, row.startedAt)
    for one in drift {
      let general = one.generalized
      if entry.differences[general] == nil {
        guard listed < Self.limit else {
          unlisted += 1
          continue
        }
        listed += 1
        entry.order.append(general)
        entry.differences[general] = DriftSummary.Difference(general, at: row.startedAt)
      }
      entry.differences[general]?.add(row, id: id ?? row.id)
    }
    entries[key] = entry
  }

  /// The differences by endpoint, sorted by path and method.
  package var summary: DriftSummary {
    DriftSummary(
      endpoints: entries.sorted { ($0.key.endpoint, $0.key.method) < ($1.key.endpoint, $1.key.method) }.map { key, entry in
        DriftSummary.Endpoint(
          method: key.method, endpoint: key.endpoint, path: entry.path, rows: entry.rows, firstSeenAt: entry.firstSeen,
          lastSeenAt: entry.lastSeen, differences: entry.order.compactMap { entry.differences[$0] })
      }, unlisted: unlisted)
  }
}

/// The differences of a device's exchanges by endpoint.
package struct DriftSummary: Hashable, Sendable {
  /// An endpoint with differences.
  package struct Endpoint: Hashable, Sendable {
    package let method: String
    /// The endpoint's name.
    package let endpoint: String
    /// The redacted path of the last row that differs.
    package let path: String
    /// The number of rows with a difference.
    package var rows: Int
    package var firstSeenAt: Timestamp
    package var lastSeenAt: Timestamp
    /// The differences in the order of their first occurrence.
    package var differences: [Difference]
  }

  /// A difference; `*` in the pointer replaces the positions in arrays.
  package struct Difference: Hashable, Sendable {
    package let drift: NetworkDrift
    /// The number of rows with it.
    package private(set) var count: Int
    package private(set) var firstSeenAt: Timestamp
    package private(set) var lastSeenAt: Timestamp
    /// The last row with it.
    package private(set) var lastRowID: String

    init(_ drift: NetworkDrift, at instant: Timestamp) {
      self.drift = drift
      count = 0
      firstSeenAt = instant
      lastSeenAt = instant
      lastRowID = ""
    }

    mutating func add(_ row: NetworkRow, id: String) {
      count += 1
      firstSeenAt = min(firstSeenAt, row.startedAt)
      if row.startedAt >= lastSeenAt { (lastSeenAt, lastRowID) = (row.startedAt, id) }
    }

    /// Adds another device's count of the same difference.
    mutating func add(_ other: Difference) {
      count += other.count
      firstSeenAt = min(firstSeenAt, other.firstSeenAt)
      if other.lastSeenAt > lastSeenAt { (lastSeenAt, lastRowID) = (other.lastSeenAt, other.lastRowID) }
    }
  }

  /// The endpoints, sorted by name and method.
  package private(set) var endpoints: [Endpoint]
  /// The number of differences that are not listed because there are too many.
  package private(set) var unlisted: Int

  package init(endpoints: [Endpoint] = [], unlisted: Int = 0) {
    self.endpoints = endpoints
    self.unlisted = unlisted
  }

  /// Adds the differences of another device.
  package mutating func merge(_ other: DriftSummary) {
    unlisted += other.unlisted
    for endpoint in other.endpoints {
      guard let index = endpoints.firstIndex(where: { $0.method == endpoint.method && $0.endpoint == endpoint.endpoint }) else {
        endpoints.append(endpoint)
        continue
      }
      endpoints[index].rows += endpoint.rows
      endpoints[index].firstSeenAt = min(endpoints[index].firstSeenAt, endpoint.firstSeenAt)
      endpoints[index].lastSeenAt = max(endpoints[index].lastSeenAt, endpoint.lastSeenAt)
      for difference in endpoint.differences {
        if let known = endpoints[index].differences.firstIndex(where: { $0.drift == difference.drift }) {
          endpoints[index].differences[known].add(difference)
        } else {
          endpoints[index].differences.append(difference)
        }
      }
    }
    endpoints.sort { ($0.endpoint, $0.method) < ($1.endpoint, $1.method) }
  }
}

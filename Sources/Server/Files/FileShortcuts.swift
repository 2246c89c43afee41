/// Maps the bytes of a request's path to prepared responses, for as long as the file need not be checked for changes.
struct FileShortcuts {
  private struct Entry {
    let wire: [UInt8]
    let path: String
    let prepared: PreparedFile
    var end: ContinuousClock.Instant
  }

  /// How long a file is served without being checked.
  static let freshness = Duration.seconds(1)

  /// Keyed by a hash of the path; if two paths have the same hash, one of them takes the slower way.
  private var entries: [UInt64: Entry] = [:]

  /// The responses, if they are fresh. Only the first caller that finds them stale checks the file; the others use them
  /// meanwhile.
  mutating func find(_ wire: UnsafeBufferPointer<UInt8>, at instant: ContinuousClock.Instant) -> PreparedFile? {
    let hash = Self.hash(wire)
    guard let entry = entries[hash], entry.wire.elementsEqual(wire) else { return nil }
    if instant < entry.end { return entry.prepared }
    entries[hash]?.end = instant + Self.freshness
    return nil
  }

  /// Adds a path as sent. Drops all entries if there are more than `limit`, as clients may spell a path in many ways.
  mutating func add(
    _ wire: String, _ path: String, _ prepared: PreparedFile, until end: ContinuousClock.Instant, limit: Int
  ) {
    let wire = Array(wire.utf8)
    let hash = wire.withUnsafeBufferPointer(Self.hash)
    if let entry = entries[hash], entry.prepared === prepared, entry.wire == wire { return }
    if entries.count >= limit { entries.removeAll() }
    entries[hash] = Entry(wire: wire, path: path, prepared: prepared, end: end)
  }

  /// Drops every entry of a file that was read again.
  mutating func forget(_ path: String) {
    if entries.values.contains(where: { $0.path == path }) { entries = entries.filter { $0.value.path != path } }
  }

  /// FNV-1a, 64 bits. The dictionary's own seeded hash protects against chosen collisions.
  private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return hash
  }
}

/// From the bytes of a request's path straight to a file's answers, for as long as the file need not be looked at again.
struct FileShortcuts {
  private struct Entry {
    let wire: [UInt8]
    let path: String
    let prepared: PreparedFile
    var end: ContinuousClock.Instant
  }

  /// How long a file need not be looked at again.
  static let freshness = Duration.seconds(1)

  /// By a hash of the bytes; of two paths with the same hash one is not found here, which costs time and nothing else.
  private var entries: [UInt64: Entry] = [:]

  /// The answers, while they hold; whoever finds them old looks at the file, the others use them meanwhile.
  mutating func find(_ wire: UnsafeBufferPointer<UInt8>, at instant: ContinuousClock.Instant) -> PreparedFile? {
    let hash = Self.hash(wire)
    guard let entry = entries[hash], entry.wire.elementsEqual(wire) else { return nil }
    if instant < entry.end { return entry.prepared }
    entries[hash]?.end = instant + Self.freshness
    return nil
  }

  /// Adds a path as it came; with more than `limit` of them, spellings of the same files, all are forgotten.
  mutating func add(
    _ wire: String, _ path: String, _ prepared: PreparedFile, until end: ContinuousClock.Instant, limit: Int
  ) {
    let wire = Array(wire.utf8)
    let hash = wire.withUnsafeBufferPointer(Self.hash)
    if let entry = entries[hash], entry.prepared === prepared, entry.wire == wire { return }
    if entries.count >= limit { entries.removeAll() }
    entries[hash] = Entry(wire: wire, path: path, prepared: prepared, end: end)
  }

  /// Forgets every way to a file that was looked at again.
  mutating func forget(_ path: String) {
    if entries.values.contains(where: { $0.path == path }) { entries = entries.filter { $0.value.path != path } }
  }

  /// FNV-1a, 64 bits; the dictionary's own hash on top of it keeps anybody from aiming at one place of it.
  private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return hash
  }
}

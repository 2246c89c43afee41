/// From the bytes of a request's path straight to a file's answers, for as long as the file need not be looked at again.
struct FileShortcuts {
  private struct Entry {
    let wire: [UInt8]
    let path: String
    let ready: ReadyFile
    let end: ContinuousClock.Instant
  }

  /// By a hash of the bytes; of two paths with the same hash one is not found here, which costs time and nothing else.
  private var entries: [UInt64: Entry] = [:]

  /// The answers, while they hold.
  func find(_ wire: UnsafeBufferPointer<UInt8>, at instant: ContinuousClock.Instant) -> ReadyFile? {
    guard let entry = entries[Self.hash(wire)], instant < entry.end, entry.wire.elementsEqual(wire) else { return nil }
    return entry.ready
  }

  /// Adds a path as it came; with more than `limit` of them, spellings of the same files, all are forgotten.
  mutating func add(
    _ wire: String, _ path: String, _ ready: ReadyFile, until end: ContinuousClock.Instant, limit: Int
  ) {
    if entries.count >= limit { entries.removeAll() }
    let wire = Array(wire.utf8)
    entries[wire.withUnsafeBufferPointer(Self.hash)] = Entry(wire: wire, path: path, ready: ready, end: end)
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

/// The attempts of a log that changed since they were last saved.
struct UnsavedAttempts {
  /// The maximum number of attempts that left the memory and wait to be saved.
  static let departedLimit = 4096
  /// The most bytes of their bodies.
  private static let departedByteLimit = 16 << 20

  /// The `seq` of the changed attempts in memory.
  private var changed: Set<RowSequence> = []
  /// Attempts that left the memory, or lost their bodies to make room, before they were saved.
  private var departed: [NetworkRowDetail] = []
  private var departedBytes = 0
  /// How many attempts left the memory unsaved because too many waited.
  private(set) var lost = 0

  /// How many wait to be saved.
  var count: Int { changed.count + departed.count }

  /// Records that an attempt changed.
  mutating func note(_ seq: RowSequence) { changed.insert(seq) }

  /// Keeps an attempt that leaves the memory or loses its bodies, if it is not saved.
  mutating func keep(_ attempt: NetworkRowDetail) {
    guard changed.remove(attempt.row.seq) != nil else { return }
    guard departed.count < Self.departedLimit, departedBytes + attempt.bodyBytes <= Self.departedByteLimit else {
      lost += 1
      return
    }
    departed.append(attempt)
    departedBytes += attempt.bodyBytes
  }

  /// Removes the waiting attempts.
  mutating func removeAll() {
    changed = []
    departed = []
    departedBytes = 0
  }

  /// Takes the waiting attempts: those that have left, and the `seq` of those in memory in ascending order.
  mutating func take() -> (departed: [NetworkRowDetail], changed: [RowSequence]) {
    defer { removeAll() }
    return (departed, changed.sorted())
  }
}
